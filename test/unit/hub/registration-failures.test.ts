import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Decide } from "./registration-world.ts";
import { granted, openRegistrations, refOf, refused } from "./registration-world.ts";

/**
 * As many decisions are written at once as the hub allows: requests `slow-…` are refused, and their writes end when `last` is
 * decided. So `last` is decided after the others have ended.
 */
async function openBusy(slow: number, names: readonly string[], last: string, decide: Decide) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const world = await openRegistrations((name, scene) => {
    if (name === last) end();
    return name.startsWith("slow-") ? refused(name) : decide(name, scene);
  });
  const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
  const replaceApply = (replaced: (object: KubeObject) => Promise<void>): void => {
    Object.assign(world.ports.hubApi, {
      apply: async (...args: Parameters<KubeApi["apply"]>) => {
        await replaced(args[0]);
        return await apply(...args);
      },
    });
  };
  const waitIfSlow = async ({ metadata: { name } }: KubeObject): Promise<void> => {
    if (name.startsWith("slow-")) await ended;
  };
  replaceApply(waitIfSlow);
  for (let index = 0; index < slow; index++) await world.ask(`slow-${index}`);
  for (const name of [...names, last]) await world.ask(name);
  return { ...world, waitIfSlow, replaceApply };
}

describe("createRegistrations, with many decisions at once", () => {
  it("reports no refusal after a grant that failed, although no other grant is under way: it may depend on that one", async () => {
    const error = new AppError("E_KUBE_FORBIDDEN", "apply");
    const world = await openBusy(7, ["one"], "late", (name) => (name === "one" ? granted(name) : refused(name)));
    world.replaceApply(async (object) => {
      await world.waitIfSlow(object);
      if (object.metadata.name === "one") throw error;
    });
    await expect(world.reconcile()).rejects.toBe(error);
    expect(world.decided).toContain("late");
    expect([world.statusOf("slow-0") !== undefined, world.statusOf("late")]).toEqual([true, undefined]);
  });

  it("writes a third grant of one member after the second, although the first one has ended", async () => {
    const world = await openBusy(6, ["first", "second"], "third", (name) =>
      granted("eu-1", { state: { clientID: name } }),
    );
    await world.reconcile();
    const once = ["hold fleet/eu-1", "release fleet/eu-1"];
    expect(world.held).toEqual([...once, ...once, ...once]);
    expect(world.stateOf("eu-1")?.clientID).toBe("third");
  });
});

describe("createRegistrations, with requests that are being deleted", () => {
  it("admits no agent whose request is being deleted, also when its finalizers cannot be taken away now", async () => {
    const world = await openRegistrations((name) => granted(name));
    await world.ask("deleted", undefined, { finalizers: ["x/y"] });
    await world.ports.hubApi.delete(refOf("deleted"));
    Object.assign(world.ports.hubApi, {
      mergePatch: () => Promise.reject(new AppError("E_KUBE_CONFLICT", "patch")),
    });
    await world.reconcile();
    expect([world.decided, world.clusterOf("deleted")]).toEqual([[], undefined]);
  });
});
