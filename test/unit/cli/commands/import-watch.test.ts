import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { followNewObjects } from "../../../../src/cli/commands/import-watch.ts";
import { apiOf } from "../../../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../../support/hub-under-test.ts";
import { embeddedHub } from "../../../support/hub-under-test.ts";

const type = resourceTypes.serviceAccount;
const manager = { fieldManager: "test" };
const namespace = "default";

describe("followNewObjects", () => {
  let hub: HubUnderTest;
  let api: KubeApi;
  beforeAll(async () => {
    hub = await embeddedHub();
    api = apiOf(readKubeconfig(hub.kubeconfig));
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
  });

  const make = (name: string) =>
    api.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } }, manager);

  /** Follows new objects, of which these count, until `onNew` of one of them resolves with true. */
  async function follow(
    names: readonly string[],
    onNew: (object: KubeObject, ofName: number) => Promise<boolean>,
    onGone: (object: KubeObject) => void = () => undefined,
  ): Promise<readonly string[]> {
    const ending = new AbortController();
    const reported: string[] = [];
    await followNewObjects(api, type, {
      known: [],
      signal: ending.signal,
      onNew: async (object) => {
        const { name } = object.metadata;
        if (!names.includes(name)) return;
        reported.push(name);
        if (await onNew(object, reported.filter((one) => one === name).length)) ending.abort();
      },
      onGone,
      onError: () => undefined,
    });
    return reported;
  }

  it("reports no object again that was deleted after its report failed: its file would declare nothing", async () => {
    let markDeleted = (): void => undefined;
    const deleted = new Promise<void>((resolve) => (markDeleted = resolve));
    const following = follow(
      ["late", "next"],
      async ({ metadata: { name } }, ofName) => {
        if (name === "late") {
          await api.delete({ type, namespace, name });
          await deleted;
          await make("next");
          throw new Error("the disk is full");
        }
        // Each try comes later than the one before: the first of the other object would have come long before the last.
        if (ofName < 5) throw new Error("the disk is still full");
        return true;
      },
      ({ metadata }) => {
        if (metadata.name === "late") markDeleted();
      },
    );
    await make("late");
    expect(await following).toEqual(["late", "next", "next", "next", "next", "next"]);
  });

  it("reports an object once that took the name of one whose report failed", async () => {
    let markDeleted = (): void => undefined;
    const deleted = new Promise<void>((resolve) => (markDeleted = resolve));
    const uids: (string | undefined)[] = [];
    const following = follow(
      ["same", "other"],
      async ({ metadata: { name, uid } }, ofName) => {
        if (name === "other") {
          // Tried so often that a try of the first one, had it come, would have come before the last.
          if (ofName < 5) throw new Error("the disk is full");
          return true;
        }
        uids.push(uid);
        if (ofName > 1) return false;
        await api.delete({ type, namespace, name });
        await deleted;
        for (const next of ["same", "other"]) await make(next);
        throw new Error("the disk is full");
      },
      () => markDeleted(),
    );
    await make("same");
    await following;
    expect(new Set(uids).size).toBe(2);
    expect(uids).toHaveLength(2);
  });

  it("ends after a report that has begun", async () => {
    let isReported = false;
    const ending = new AbortController();
    await Promise.all([
      followNewObjects(api, type, {
        known: [],
        signal: ending.signal,
        onNew: async () => {
          ending.abort();
          await api.list(type);
          isReported = true;
        },
        onGone: () => undefined,
        onError: () => undefined,
      }).then(() => expect(isReported).toBe(true)),
      make("last"),
    ]);
  });

  it("reports that a known object was deleted also where that was before the first list", async () => {
    const known = [await make("first"), await make("second")];
    await api.delete({ type, namespace, name: "first" });
    const ending = new AbortController();
    const gone: string[] = [];
    await followNewObjects(api, type, {
      known,
      signal: ending.signal,
      onNew: () => Promise.resolve(),
      onGone: ({ metadata: { name } }) => {
        gone.push(name);
        if (name === "second") ending.abort();
        else void api.delete({ type, namespace, name: "second" });
      },
      onError: () => undefined,
    });
    expect(gone).toEqual(["first", "second"]);
  });

  it("reports an object as it is when its report is tried again", async () => {
    const seen: unknown[] = [];
    const following = follow(["changing"], async ({ metadata: { name, labels } }, ofName) => {
      seen.push(labels?.["is"]);
      if (ofName === 1) {
        const body = { metadata: { labels: { is: "changed" } } };
        await api.mergePatch({ type, namespace, name }, body, manager);
      }
      if (labels?.["is"] === undefined && ofName < 6) throw new Error("not written");
      return true;
    });
    await make("changing");
    await following;
    expect(seen.at(-1)).toBe("changed");
  });
});
