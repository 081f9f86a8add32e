import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import type { KubeCache, KubeCacheOptions } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedHub, object } from "./scripted-hub.ts";

const type = resourceTypes.configMap;

describe("startKubeCache", () => {
  const caches: KubeCache[] = [];
  afterEach(() => Promise.all(caches.splice(0).map((cache) => cache.stop())));

  function start(options: KubeCacheOptions = {}, hub = new ScriptedHub()) {
    const clock: ManualClock = createManualClock();
    const changes: string[] = [];
    const errors: unknown[] = [];
    const cache = startKubeCache(
      hub.api,
      type,
      {
        onChange: ({ ref, object: changed }) => changes.push(`${ref.name}@${changed?.metadata.resourceVersion ?? "-"}`),
        onError: (error) => errors.push(error),
        ...options,
      },
      { clock, random: fixedRandom(0.999) },
    );
    caches.push(cache);
    /** Lets everything that is ready run. */
    const settle = () => clock.advance(0);
    return { hub, clock, cache, changes, errors, settle };
  }
  async function startSynced(...items: KubeObject[]) {
    const hub = new ScriptedHub();
    hub.answer("10", ...items);
    const started = start({}, hub);
    await started.cache.whenSynced();
    await started.settle();
    started.changes.length = 0;
    return started;
  }
  const unreachable = new AppError("E_KUBE_UNREACHABLE", "reset");
  const gone = new AppError("E_KUBE_GONE", "too old");

  it("lists, reports every object, then follows a watch from the list's version", async () => {
    const hub = new ScriptedHub();
    hub.answer("10", object("a", "5"), object("b", "7"));
    const { cache, changes, settle } = start({ labelSelector: "x=1" }, hub);
    expect(cache.isSynced).toBe(false);
    await cache.whenSynced();
    await settle();
    expect(cache.isSynced).toBe(true);
    expect(changes).toEqual(["a@5", "b@7"]);
    hub.watch.tell("added", object("c", "11"));
    hub.watch.tell("modified", object("a", "12"));
    hub.watch.tell("deleted", object("b", "13"));
    await settle();
    expect(changes.slice(2)).toEqual(["c@11", "a@12", "b@-"]);
    expect(cache.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)).toEqual([
      "a@12",
      "c@11",
    ]);
    expect(cache.get("edge", "a")?.metadata.resourceVersion).toBe("12");
    expect(cache.get("edge", "b")).toBeUndefined();
    expect([hub.lists, hub.versions]).toEqual([["x=1"], ["10"]]);
  });

  it("gives objects of one namespace, and the same array until something changes", async () => {
    const { hub, cache, settle } = await startSynced(object("a", "5"), object("a", "6", "other"));
    expect(cache.list("edge")).toEqual([object("a", "5")]);
    expect(cache.list("none")).toEqual([]);
    const all = cache.list();
    expect(all).toHaveLength(2);
    expect(cache.list()).toBe(all);
    hub.watch.tell("deleted", object("a", "12"));
    await settle();
    expect(cache.list("edge")).toEqual([]);
    expect(cache.list()).toEqual([object("a", "6", "other")]);
  });

  it("resumes without a list when the server ends the watch, from the last event or bookmark", async () => {
    const { hub, changes, settle } = await startSynced();
    hub.watch.tell("added", object("a", "11"));
    hub.watch.end();
    await settle();
    hub.watch.bookmark("99");
    hub.watch.end();
    await settle();
    expect(hub.versions).toEqual(["10", "11", "99"]);
    expect(hub.lists).toHaveLength(1);
    expect(changes).toEqual(["a@11"]);
  });

  it("F9 lists anew, at once, when the version is too old, and reports the differences", async () => {
    const { hub, changes, cache, settle } = await startSynced(object("a", "5"), object("b", "6"), object("c", "7"));
    hub.answer("50", object("a", "5"), object("b", "44"), object("d", "45"));
    hub.watch.fail(gone);
    await settle();
    expect(changes).toEqual(["c@-", "b@44", "d@45"]);
    expect(hub.versions).toEqual(["10", "50"]);
    expect(cache.failingSinceMs).toBeUndefined();
  });

  it("does not press a server that calls every version too old", async () => {
    const { hub, clock, settle } = await startSynced();
    hub.refusal = gone;
    hub.watch.fail(gone);
    await settle();
    expect(hub.lists).toHaveLength(2);
    await clock.advance(60_000);
    expect(hub.lists.length).toBeLessThan(9);
    hub.refusal = undefined;
    await clock.advance(30_000);
    hub.watch.tell("added", object("a", "11"));
    await settle();
    expect(hub.watches.length).toBe(2);
  });

  it("reports an object that was made anew under the same name as changed", async () => {
    const { hub, changes, settle } = await startSynced(object("a", "5"));
    const again = object("a", "5");
    again.metadata.uid = "another";
    hub.answer("50", again);
    hub.watch.fail(gone);
    await settle();
    expect(changes).toEqual(["a@5"]);
  });

  it("waits 0.8 s and longer, up to 30 s, between tries, and keeps what it has", async () => {
    const { hub, clock, cache, errors, settle } = await startSynced(object("a", "5"));
    const failedAtMs = clock.nowMs();
    hub.refusal = unreachable;
    hub.answerList = () => Promise.reject(unreachable);
    hub.watch.fail(unreachable);
    await settle();
    const triesAtMs: number[] = [];
    let tries = hub.versions.length + hub.lists.length;
    for (let second = 0; second < 150; second += 0.1) {
      await clock.advance(100);
      const now = hub.versions.length + hub.lists.length;
      if (now > tries) triesAtMs.push(clock.nowMs() - failedAtMs);
      tries = now;
    }
    const gaps = triesAtMs.map((atMs, index) => Math.round((atMs - (triesAtMs[index - 1] ?? 0)) / 100) / 10);
    expect(gaps).toEqual([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30]);
    expect(cache.failingSinceMs).toBe(failedAtMs);
    expect(errors.length).toBe(triesAtMs.length + 1);
    expect(cache.list()).toHaveLength(1);
    hub.refusal = undefined;
    hub.answer("60");
    await clock.advance(30_000);
    expect(cache.failingSinceMs).toBeUndefined();
    expect(cache.list()).toEqual([]);
  });

  it("lists anew after a short outage, and is healthy as soon as the watch is open", async () => {
    const { hub, clock, cache, changes, settle } = await startSynced(object("a", "5"));
    hub.watch.bookmark("20");
    hub.answer("20", object("a", "5"));
    hub.watch.fail(unreachable);
    await settle();
    expect(cache.failingSinceMs).toBe(clock.nowMs());
    await clock.advance(800);
    expect(hub.versions).toEqual(["10", "20"]);
    expect(hub.lists).toEqual(["", ""]);
    expect(cache.failingSinceMs).toBeUndefined();
    expect(changes).toEqual([]);
  });

  it.each([
    { version: "9", reason: "has not reached the version that was known" },
    { version: "12", reason: "has written past the version that was known" },
  ])("F4 shows what a server lost that comes back from an older copy and $reason", async ({ version }) => {
    const { hub, clock, changes } = await startSynced(object("a", "5"), object("b", "9"));
    hub.watch.fail(unreachable);
    hub.answer(version, object("a", "5"));
    await clock.advance(800);
    expect(changes).toEqual(["b@-"]);
    expect(hub.versions).toEqual(["10", version]);
  });

  it("polls when watches are refused but lists are not", async () => {
    const { hub, clock, changes } = await startSynced(object("a", "5"));
    hub.refusal = unreachable;
    hub.watch.fail(unreachable);
    await clock.advance(60_000);
    hub.answer("60", object("a", "59"));
    await clock.advance(60_000);
    expect(changes).toEqual(["a@59"]);
  });

  it("lists anew when the server fails in a way that makes the version doubtful", async () => {
    const { hub, clock } = await startSynced();
    hub.watch.fail(new AppError("E_KUBE_SERVER", "an event of an unknown type"));
    await clock.advance(800);
    expect(hub.lists).toHaveLength(2);
  });

  it("F4 lists anew when a bookmark shows that the server's version went back", async () => {
    const { hub, changes, settle } = await startSynced(object("a", "5"));
    hub.answer("4");
    hub.watch.bookmark("3");
    await settle();
    expect(hub.lists).toHaveLength(2);
    expect(changes).toEqual(["a@-"]);
    expect(hub.versions).toEqual(["10", "4"]);
  });

  it("lists anew after a watch on which nothing came: the peer may be dead, or older than we know", async () => {
    const { hub, clock, settle } = await startSynced();
    await clock.advance(150_000);
    hub.watch.end();
    await settle();
    expect(hub.lists).toHaveLength(2);
    hub.watch.end();
    await settle();
    expect(hub.lists).toHaveLength(2);
    await clock.advance(800);
    expect(hub.lists).toHaveLength(3);
  });

  it("waits as long as the server asks", async () => {
    const hub = new ScriptedHub();
    hub.answerList = () =>
      Promise.reject(new AppError("E_KUBE_THROTTLED", "slow down", { data: { retryAfterSeconds: 20 } }));
    const { clock, settle } = start({}, hub);
    await settle();
    await clock.advance(19_900);
    expect(hub.lists).toHaveLength(1);
    await clock.advance(200);
    expect(hub.lists).toHaveLength(2);
  });

  it("F1 keeps what it has when a list fails", async () => {
    const { hub, cache, changes, settle } = await startSynced(object("a", "5"));
    hub.answerList = () => Promise.reject(new AppError("E_KUBE_SERVER", "half a page"));
    hub.watch.fail(gone);
    await settle();
    expect(cache.list()).toHaveLength(1);
    expect(changes).toEqual([]);
  });

  it("survives listeners that throw, and reports them", async () => {
    const problem = new Error("listener");
    const errors: unknown[] = [];
    const hub = new ScriptedHub();
    hub.answer("10", object("a", "5"));
    const onChange = () => {
      throw problem;
    };
    const onError = (error: unknown) => {
      errors.push(error);
      throw new Error("this one too");
    };
    const { cache, settle } = start({ onChange, onError }, hub);
    await cache.whenSynced();
    await settle();
    hub.watch.tell("added", object("b", "11"));
    await settle();
    expect(cache.list()).toHaveLength(2);
    expect(errors).toEqual([problem, problem]);
    expect(cache.failingSinceMs).toBeUndefined();
  });

  it("drops managedFields only when it is asked to", async () => {
    for (const keepManagedFields of [true, false]) {
      const hub = new ScriptedHub();
      const managed = object("a", "5");
      managed.metadata.managedFields = [{ manager: "x" }];
      hub.answer("10", managed);
      const { cache } = start({ keepManagedFields }, hub);
      await cache.whenSynced();
      expect(cache.get("edge", "a")?.metadata.managedFields !== undefined).toBe(keepManagedFields);
    }
  });

  it("holds and reports what it is given in the place of an object, of lists and of watches", async () => {
    const hub = new ScriptedHub();
    hub.answer("10", object("a", "5"));
    const copies = [object("a", "5"), object("b", "11")];
    const told: (KubeObject | undefined)[] = [];
    const hold = (brought: KubeObject): KubeObject =>
      copies.find(({ metadata }) => metadata.resourceVersion === brought.metadata.resourceVersion) ?? brought;
    const { cache, settle } = start({ hold, onChange: ({ object: changed }) => told.push(changed) }, hub);
    await cache.whenSynced();
    await settle();
    hub.watch.tell("added", object("b", "11"));
    hub.watch.tell("added", object("c", "12"));
    await settle();
    expect([cache.get("edge", "a") === copies[0], cache.get("edge", "b") === copies[1]]).toEqual([true, true]);
    expect([told[0] === copies[0], told[1] === copies[1], told[2]]).toEqual([true, true, object("c", "12")]);
  });

  it("reports nothing of an event that it knows already, and of the deletion of an unknown object", async () => {
    const { hub, changes, settle } = await startSynced(object("a", "5"));
    hub.watch.tell("added", object("a", "5"));
    hub.watch.tell("deleted", object("x", "11"));
    await settle();
    expect(changes).toEqual([]);
  });

  it("does nothing more once it is stopped, whatever it was waiting for", async () => {
    const hub = new ScriptedHub();
    let answer: (list: { items: KubeObject[]; resourceVersion: string }) => void = () => undefined;
    hub.answerList = () => new Promise((resolve) => (answer = resolve));
    const listing = start({}, hub);
    const waiting = expect(listing.cache.whenSynced()).rejects.toThrow();
    await listing.settle();
    const stopping = listing.cache.stop();
    answer({ items: [object("a", "5")], resourceVersion: "10" });
    await stopping;
    await waiting;
    expect(listing.changes).toEqual([]);
    expect(hub.watches).toHaveLength(0);
    expect(listing.errors).toEqual([]);

    const watching = await startSynced();
    await watching.cache.stop();
    watching.hub.watch.tell("added", object("late", "12"));
    await watching.settle();
    expect(watching.changes).toEqual([]);

    const backingOff = await startSynced();
    backingOff.hub.watch.fail(unreachable);
    await backingOff.settle();
    await backingOff.cache.stop();
    expect(backingOff.clock.sleepers).toBe(0);
  });

  it("ends with its environment's signal, and rejects those who wait with their own signal's reason", async () => {
    const hub = new ScriptedHub();
    hub.answerList = () => new Promise(() => undefined);
    const aborting = new AbortController();
    const clock = createManualClock();
    const cache = startKubeCache(hub.api, type, {}, { clock, random: fixedRandom(), signal: aborting.signal });
    const reason = new Error("mine");
    const impatient = new AbortController();
    const waiting = cache.whenSynced(impatient.signal);
    impatient.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(cache.whenSynced(impatient.signal)).rejects.toBe(reason);
    const patient = cache.whenSynced();
    const end = new Error("the program ends");
    aborting.abort(end);
    await expect(patient).rejects.toBe(end);
    const never = startKubeCache(hub.api, type, {}, { clock, random: fixedRandom(), signal: aborting.signal });
    await expect(never.whenSynced()).rejects.toBe(end);
    await never.stop();
    expect(hub.lists).toHaveLength(1);
  });
});
