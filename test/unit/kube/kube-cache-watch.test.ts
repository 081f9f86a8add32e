import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeCache, KubeCacheOptions } from "../../../src/kube/kube.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { object, ScriptedHub } from "./scripted-hub.ts";

const type = resourceTypes.configMap;

describe("startKubeCache, of watches that end", () => {
  const caches: KubeCache[] = [];
  afterEach(() => Promise.all(caches.splice(0).map((cache) => cache.stop())));

  /** A cache whose first list has this version, and whose watch is open. */
  async function start(version: string, items: KubeObject[] = [], options: KubeCacheOptions = {}) {
    const [hub, clock, errors] = [new ScriptedHub(), createManualClock(), [] as unknown[]];
    hub.answer(version, ...items);
    const onError = (error: unknown) => errors.push(error);
    const cache = startKubeCache(hub.api, type, { onError, ...options }, { clock, random: fixedRandom(0.999) });
    caches.push(cache);
    await clock.advance(0);
    return { hub, clock, cache, errors };
  }

  it.each([
    { known: "10", bookmark: "9", isOlder: true },
    { known: "10", bookmark: "10", isOlder: false },
    { known: "10", bookmark: "11", isOlder: false },
    { known: "10", bookmark: "9x", isOlder: false },
    { known: "10", bookmark: "x9", isOlder: false },
    { known: "x10", bookmark: "9", isOlder: false },
    { known: "10x", bookmark: "9", isOlder: false },
  ])("after version $known, takes a bookmark of $bookmark for an older copy: $isOlder", async (row) => {
    const { hub, clock, errors } = await start(row.known);
    hub.watch.bookmark(row.bookmark);
    await clock.advance(0);
    expect([hub.lists.length, errors]).toEqual([row.isOlder ? 2 : 1, []]);
  });

  it.each(["E_KUBE_FORBIDDEN", "E_KUBE_THROTTLED", "E_KUBE_UNAUTHORIZED"] as const)(
    "asks for the same version again after a watch that failed with %s, and lists after five that were refused in a row",
    async (code) => {
      const { hub, clock, errors } = await start("10");
      hub.answer("20");
      hub.refusal = new AppError(code, "refused");
      hub.watch.fail(hub.refusal);
      for (let seconds = 0; seconds < 120 && hub.lists.length === 1; seconds++) await clock.advance(1000);
      expect(hub.versions).toEqual(["10", "10", "10", "10", "10", "10", "20"]);
      expect(errors).toHaveLength(hub.versions.length);
    },
  );

  it("begins to count refusals anew when a watch was accepted", async () => {
    const { hub, clock } = await start("10");
    const refused = new AppError("E_KUBE_FORBIDDEN", "refused");
    for (let times = 0; times < 3; times++) {
      hub.refusal = refused;
      hub.watch.fail(refused);
      await clock.advance(800);
      hub.refusal = undefined;
      await clock.advance(60_000);
    }
    expect([hub.lists.length, new Set(hub.versions)]).toEqual([1, new Set(["10"])]);
  });

  it.each([
    { lastedMs: 999, waitsMs: 800 },
    { lastedMs: 1000, waitsMs: 0 },
  ])("waits $waitsMs ms after a watch without events of $lastedMs ms, and reports no error", async (row) => {
    const { hub, clock, errors, cache } = await start("10");
    await clock.advance(row.lastedMs);
    hub.watch.end();
    await clock.advance(0);
    expect(cache.failingSinceMs !== undefined).toBe(row.waitsMs > 0);
    if (row.waitsMs > 0) await clock.advance(row.waitsMs - 10);
    expect(hub.lists).toHaveLength(row.waitsMs > 0 ? 1 : 2);
    await clock.advance(10);
    expect([hub.lists.length, errors]).toEqual([2, []]);
  });

  it("distinguishes a deletion that the watch reported from an object that a list lacks, and gives what was deleted", async () => {
    const changes: unknown[] = [];
    const onChange: KubeCacheOptions["onChange"] = (change) => changes.push(change);
    const { hub, clock } = await start("10", [object("a", "5"), object("b", "6")], { onChange });
    hub.watch.tell("deleted", object("a", "12"));
    await clock.advance(0);
    hub.answer("20");
    hub.watch.fail(new AppError("E_KUBE_GONE", "too old"));
    await clock.advance(0);
    const of = (name: string) => ({ type, namespace: "edge", name });
    expect(changes.map((change) => structuredClone(change))).toEqual([
      { ref: of("a"), object: object("a", "5") },
      { ref: of("b"), object: object("b", "6") },
      { ref: of("a"), object: undefined, removed: object("a", "12"), isDeletionSeen: true },
      { ref: of("b"), object: undefined, removed: object("b", "6") },
    ]);
    expect(changes.map((change) => "removed" in (change as object))).toEqual([false, false, true, true]);
  });

  it("is neither away nor stale before the first answer of its server", async () => {
    const hub = new ScriptedHub();
    let answer: (list: { items: KubeObject[]; resourceVersion: string }) => void = () => undefined;
    hub.answerList = () => new Promise((resolve) => (answer = resolve));
    const cache = startKubeCache(hub.api, type, {}, { clock: createManualClock(), random: fixedRandom() });
    caches.push(cache);
    expect([cache.isAway, cache.isStale, cache.isSynced, cache.failingSinceMs]).toEqual([
      false,
      false,
      false,
      undefined,
    ]);
    answer({ items: [], resourceVersion: "10" });
  });

  it("listens to the signal of its environment until it is stopped", async () => {
    const { signal } = new AbortController();
    const environment = { clock: createManualClock(), random: fixedRandom(), signal };
    const cache = startKubeCache(new ScriptedHub().api, type, {}, environment);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await cache.stop();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
