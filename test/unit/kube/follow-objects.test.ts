import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { followObjects } from "../../../src/kube/follow-objects.ts";
import type { ObjectChange } from "../../../src/kube/follow-objects.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { object, ScriptedHub } from "./scripted-hub.ts";

const type = resourceTypes.configMap;

function shown(change: ObjectChange): string {
  if (change.kind === "listed") return "listed";
  const { name, resourceVersion } = change.object.metadata;
  return `${change.kind} ${name}@${resourceVersion}`;
}

function follow(...items: KubeObject[]) {
  const hub = new ScriptedHub();
  hub.answer("10", ...items);
  const stopping = new AbortController();
  const query = { labelSelector: "x=1", signal: stopping.signal };
  const changes = followObjects(hub.api, type, query, () => Promise.resolve());
  /** The next so many changes. */
  const take = async (count: number): Promise<string[]> => {
    const taken: string[] = [];
    for (let left = count; left > 0; left--) {
      const next = await changes.next();
      taken.push(next.done === true ? "end" : shown(next.value));
    }
    return taken;
  };
  return { hub, stopping, take };
}

const gone = new AppError("E_KUBE_GONE", "too old");

describe("followObjects", () => {
  it("gives each object, then the end of the list, then each change from the list's version on", async () => {
    const { hub, take } = follow(object("a", "5"), object("b", "6"));
    expect(await take(3)).toEqual(["added a@5", "added b@6", "listed"]);
    const next = take(3);
    await expect.poll(() => hub.watches.length, { interval: 1 }).toBe(1);
    hub.watch.bookmark("11");
    hub.watch.tell("modified", object("a", "12"));
    hub.watch.tell("added", object("c", "13"));
    hub.watch.tell("deleted", object("b", "14"));
    expect(await next).toEqual(["modified a@12", "added c@13", "deleted b@14"]);
    expect([hub.lists, hub.versions]).toEqual([["x=1"], ["10"]]);
  });

  it.each([
    { how: "ends each watch at once", end: (hub: ScriptedHub) => hub.watch.end() },
    { how: "calls each version too old", end: (hub: ScriptedHub) => hub.watch.fail(gone) },
  ])("does not list again and again where a server $how: it waits between two lists", async ({ end }) => {
    const hub = new ScriptedHub();
    let go = (): void => undefined;
    const pauses: number[] = [];
    const pause = (): Promise<void> => {
      pauses.push(hub.lists.length);
      return new Promise((resolve) => (go = resolve));
    };
    const changes = followObjects(hub.api, type, {}, pause);
    expect((await changes.next()).value).toEqual({ kind: "listed" });
    for (const count of [1, 2, 3]) {
      const next = changes.next();
      await expect.poll(() => hub.watches.length, { interval: 1 }).toBe(count);
      end(hub);
      await expect.poll(() => pauses, { interval: 1 }).toEqual([1, 2, 3].slice(0, count));
      go();
      expect((await next).value).toEqual({ kind: "listed" });
    }
  });

  it("reports the end of an empty list", async () => {
    expect(await follow().take(1)).toEqual(["listed"]);
  });

  it.each([
    { how: "the server ends it", end: (hub: ScriptedHub) => hub.watch.end() },
    { how: "its version is too old", end: (hub: ScriptedHub) => hub.watch.fail(gone) },
  ])("lists anew after a watch when $how, and gives only what differs from what it gave", async ({ end }) => {
    const { hub, take } = follow(object("a", "5"), object("b", "6"), object("c", "7"));
    await take(4);
    const next = take(2);
    await expect.poll(() => hub.watches.length, { interval: 1 }).toBe(1);
    hub.watch.tell("modified", object("b", "11"));
    hub.watch.tell("deleted", object("c", "12"));
    await next;
    hub.answer("20", object("b", "11"), object("c", "15"), object("d", "16"));
    end(hub);
    expect(await take(4)).toEqual(["deleted a@5", "added c@15", "added d@16", "listed"]);
    hub.answer("30", object("b", "11"), object("c", "21"), object("d", "16"));
    const third = take(2);
    await expect.poll(() => hub.watches.length, { interval: 1 }).toBe(2);
    end(hub);
    expect(await third).toEqual(["modified c@21", "listed"]);
    expect(hub.versions).toEqual(["10", "20"]);
  });

  it("takes an object of the same name and version that was made anew for another one", async () => {
    const { hub, take } = follow(object("a", "5"));
    await take(2);
    const again = object("a", "5");
    again.metadata.uid = "another";
    hub.answer("20", again);
    const next = take(3);
    await expect.poll(() => hub.watches.length, { interval: 1 }).toBe(1);
    hub.watch.end();
    expect(await next).toEqual(["deleted a@5", "added a@5", "listed"]);
  });

  it("gives objects that have neither a version nor a uid", async () => {
    const bare: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "bare" } };
    expect(await follow(bare).take(2)).toEqual(["added bare@undefined", "listed"]);
  });

  it("fails as the watch fails", async () => {
    const { hub, take } = follow();
    await take(1);
    const next = take(1);
    await expect.poll(() => hub.watches.length, { interval: 1 }).toBe(1);
    hub.watch.fail(new AppError("E_KUBE_FORBIDDEN", "no rights"));
    await expect(next).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
  });

  it("ends when its signal is aborted, and does not begin after it", async () => {
    const { hub, stopping, take } = follow();
    await take(1);
    const next = take(1);
    await expect.poll(() => hub.watches.length, { interval: 1 }).toBe(1);
    stopping.abort();
    expect(await next).toEqual(["end"]);
    const late = followObjects(hub.api, type, { signal: AbortSignal.abort() });
    expect((await late.next()).done).toBe(true);
    expect(hub.lists).toHaveLength(1);
  });

  it("needs no signal", async () => {
    const hub = new ScriptedHub();
    expect((await followObjects(hub.api, type, {}).next()).value).toEqual({ kind: "listed" });
  });
});
