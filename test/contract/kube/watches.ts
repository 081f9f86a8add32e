import { afterEach, describe, expect, it } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import type { KubeApi, KubeCache, WatchEvent, WatchOptions } from "../../../src/kube/kube.ts";
import type { ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { fixedRandom } from "../../support/manual-clock.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { configMap, configMapRef, manager, namesOf, soon } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";

const type = resourceTypes.configMap;

export function describeWatches(hub: HubSession): void {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  /** A watch that lasts until the test ends; what it has reported so far, as `kind name`. */
  function observe(api: KubeApi, options: WatchOptions, watched: ResourceType = type) {
    const aborting = new AbortController();
    const events: WatchEvent[] = [];
    const done = (async () => {
      for await (const event of api.watch(watched, { ...options, signal: aborting.signal })) events.push(event);
    })();
    done.catch(() => undefined); // the test awaits it, or not
    ends.push(() => {
      aborting.abort();
      return done.catch(() => undefined);
    });
    const changes = () =>
      events.flatMap((event) => (event.kind === "bookmark" ? [] : [`${event.kind} ${event.object.metadata.name}`]));
    return { events, changes, done };
  }

  describe("watches", () => {
    it("report every change after the version of a list, in order, with whole objects", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.create(configMap(namespace, "before"), manager);
      const { resourceVersion } = await hub.admin.list(type, { namespace });
      const watching = observe(hub.admin, { namespace, resourceVersion, labelSelector: "t=1" });
      const object = configMap(namespace, "a", { x: "1" });
      object.metadata.labels = { t: "1" };
      const created = await hub.admin.create(object, manager);
      const patched = await hub.admin.mergePatch(configMapRef(namespace, "a"), { data: { x: "2" } }, manager);
      await hub.admin.delete(configMapRef(namespace, "a"));
      await expect.poll(watching.changes, soon).toEqual(["added a", "modified a", "deleted a"]);
      const [added, modified, deleted] = watching.events;
      expect(added).toEqual({ kind: "added", object: created });
      expect(modified).toEqual({ kind: "modified", object: patched });
      expect(deleted).toMatchObject({ object: { data: { x: "2" }, metadata: { uid: created.metadata.uid } } });
    });

    it("resume from the version of any event", async () => {
      const namespace = await hub.newNamespace();
      const versions: string[] = [];
      for (const name of ["a", "b", "c"]) {
        const created = await hub.admin.create(configMap(namespace, name), manager);
        versions.push(created.metadata.resourceVersion ?? "");
      }
      const labelled = { namespace, fieldSelector: "metadata.name!=kube-root-ca.crt" };
      const watching = observe(hub.admin, { ...labelled, resourceVersion: versions[0] ?? "" });
      await expect.poll(watching.changes, soon).toEqual(["added b", "added c"]);
      const later = observe(hub.admin, { ...labelled, resourceVersion: versions[2] ?? "" });
      await hub.admin.delete(configMapRef(namespace, "a"));
      await expect.poll(later.changes, soon).toEqual(["deleted a"]);
    });

    it("report objects that enter or leave the selection as added and deleted", async () => {
      const namespace = await hub.newNamespace();
      const { resourceVersion } = await hub.admin.list(type, { namespace });
      const watching = observe(hub.admin, { namespace, resourceVersion, labelSelector: "tier=gold" });
      const ref = configMapRef(namespace, "a");
      await hub.admin.create(configMap(namespace, "a"), manager);
      await hub.admin.mergePatch(ref, { metadata: { labels: { tier: "gold" } } }, manager);
      await hub.admin.mergePatch(ref, { data: { x: "1" } }, manager);
      await hub.admin.mergePatch(ref, { metadata: { labels: { tier: "silver" } } }, manager);
      await hub.admin.delete(ref);
      await expect.poll(watching.changes, soon).toEqual(["added a", "modified a", "deleted a"]);
    });

    it("report one object only, when it is named", async () => {
      const namespace = await hub.newNamespace();
      const { resourceVersion } = await hub.admin.list(type, { namespace });
      const watching = observe(hub.admin, { namespace, resourceVersion, fieldSelector: "metadata.name=b" });
      for (const name of ["a", "b", "c"]) await hub.admin.create(configMap(namespace, name), manager);
      await hub.admin.delete(configMapRef(namespace, "b"));
      await expect.poll(watching.changes, soon).toEqual(["added b", "deleted b"]);
    });

    it("report no writes that changed nothing", async () => {
      const namespace = await hub.newNamespace();
      const created = await hub.admin.create(configMap(namespace, "a", { x: "1" }), manager);
      const resourceVersion = created.metadata.resourceVersion ?? "";
      const watching = observe(hub.admin, { namespace, resourceVersion, fieldSelector: "metadata.name=a" });
      await hub.admin.update(created, manager);
      await hub.admin.mergePatch(configMapRef(namespace, "a"), { data: { x: "2" } }, manager);
      await expect.poll(watching.changes, soon).toEqual(["modified a"]);
    });

    it("end by themselves after the requested time, with a bookmark before", async () => {
      const namespace = await hub.newNamespace();
      const { resourceVersion } = await hub.admin.list(type, { namespace });
      const opened: string[] = [];
      const api = hub.adminWith({ watchSeconds: 5, random: fixedRandom(0) });
      const onOpen = () => opened.push("open");
      const watching = observe(api, { namespace, resourceVersion, fieldSelector: "metadata.name=a", onOpen });
      await expect.poll(() => opened, soon).toEqual(["open"]);
      // Something must happen to the kind, elsewhere, that the bookmark can report.
      const elsewhere = await hub.admin.create(configMap(await hub.newNamespace(), "other"), manager);
      await watching.done;
      const bookmarks = watching.events.filter((event) => event.kind === "bookmark");
      expect(watching.events).toEqual(bookmarks);
      const last = bookmarks.at(-1)?.resourceVersion ?? "0";
      expect(BigInt(last)).toBeGreaterThanOrEqual(BigInt(elsewhere.metadata.resourceVersion ?? "0"));
      const resumed = observe(hub.admin, { namespace, resourceVersion: last });
      await hub.admin.create(configMap(namespace, "a"), manager);
      await expect.poll(resumed.changes, soon).toContain("added a");
    });

    it("from a version that the hub may have forgotten report everything, or that it is expired: never a part", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.create(configMap(namespace, "a"), manager);
      const watching = observe(hub.admin, { namespace, resourceVersion: "1" });
      const outcome = watching.done.catch((error: unknown) => error);
      const isGone = async () => isAppError(await Promise.race([outcome, Promise.resolve()]), "E_KUBE_GONE");
      await expect.poll(async () => watching.changes().includes("added a") || (await isGone()), soon).toBe(true);
    });

    it("of a resource that the hub does not know fail", async () => {
      const unknown = { group: "unheard.example", version: "v1", kind: "Thing", plural: "things", isNamespaced: true };
      await expect(observe(hub.admin, { resourceVersion: "1" }, unknown).done).rejects.toMatchObject({
        code: "E_KUBE_NOT_FOUND",
      });
    });
  });

  describe("caches", () => {
    function startCache(api: KubeApi, namespace: string, changes: string[]): KubeCache {
      const options = {
        namespace,
        labelSelector: "t=1",
        keepManagedFields: false,
        onChange: ({ ref, object }: { ref: { name: string }; object: unknown }) =>
          changes.push(`${object === undefined ? "-" : "+"}${ref.name}`),
      };
      const cache = startKubeCache(api, type, options, { clock: realClock, random: realRandom });
      ends.push(() => cache.stop());
      return cache;
    }
    const labelled = (namespace: string, name: string) => {
      const object = configMap(namespace, name);
      object.metadata.labels = { t: "1" };
      return object;
    };

    it("follow the hub through watches that end again and again", async () => {
      const namespace = await hub.newNamespace();
      await hub.admin.create(labelled(namespace, "a"), manager);
      const changes: string[] = [];
      const cache = startCache(hub.adminWith({ watchSeconds: 1, random: fixedRandom(0) }), namespace, changes);
      await cache.whenSynced();
      expect(namesOf(cache.list())).toEqual(["a"]);
      expect(cache.get(namespace, "a")?.metadata.managedFields).toBeUndefined();
      for (let index = 0; index < 30; index++) {
        await hub.admin.create(labelled(namespace, `n-${index}`), manager);
        if (index % 2 === 0) await hub.admin.delete(configMapRef(namespace, `n-${index}`));
        await realClock.sleep(100);
      }
      const expected = namesOf((await hub.admin.list(type, { namespace, labelSelector: "t=1" })).items);
      expect(expected).toHaveLength(16);
      await expect.poll(() => namesOf(cache.list()).sort(), soon).toEqual([...expected].sort());
      expect(cache.failingSinceMs).toBeUndefined();
      const replayed = new Set<string>();
      for (const change of changes) {
        if (change.startsWith("+")) replayed.add(change.slice(1));
        else replayed.delete(change.slice(1));
      }
      expect([...replayed].sort()).toEqual([...expected].sort());
    });
  });
}
