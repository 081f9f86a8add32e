import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeCache } from "../../../src/kube/kube.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { ScriptedHub } from "./scripted-hub.ts";

const type = resourceTypes.configMap;
const unreachable = new AppError("E_KUBE_UNREACHABLE", "reset");
const forbidden = new AppError("E_KUBE_FORBIDDEN", "no rights yet");

describe("startKubeCache, of a server that is away", () => {
  const caches: KubeCache[] = [];
  afterEach(() => Promise.all(caches.splice(0).map((cache) => cache.stop())));

  it.each([
    { answer: "that it is away", error: unreachable, gaps: [20, 40, 80, 100] },
    { answer: "with a refusal", error: forbidden, gaps: [0.8, 1.6, 3.2, 6.4] },
  ])("waits between lists, as configured, where a server answers $answer", async ({ error, gaps }) => {
    const hub = new ScriptedHub();
    const listedAtMs: number[] = [];
    const clock = createManualClock();
    hub.answerList = () => {
      listedAtMs.push(clock.monotonicMs());
      return Promise.reject(error);
    };
    const awayBackoff = { initialMs: 20_000, maximumMs: 100_000 };
    const cache = startKubeCache(hub.api, type, {}, { clock, random: fixedRandom(0.999), awayBackoff });
    caches.push(cache);
    await clock.advance(303_000);
    const seconds = listedAtMs.slice(1, 5).map((atMs, index) => (atMs - (listedAtMs[index] ?? 0)) / 1000);
    expect(seconds.map((gap) => Number(gap.toFixed(1)))).toEqual(gaps);
  });

  it("lets caches with longer waits return one after the other from a hub that was killed and started at once", async () => {
    const draw = seededRandom(7);
    const [hub, clock] = [new ScriptedHub(), createManualClock()];
    const awayBackoff = { initialMs: 60_000, maximumMs: 300_000 };
    for (let count = 0; count < 100; count++)
      caches.push(startKubeCache(hub.api, type, {}, { clock, random: { ...fixedRandom(), next: draw }, awayBackoff }));
    await clock.advance(0);
    const perSecond: number[] = [];
    hub.answerList = () => Promise.reject(unreachable);
    for (const watch of hub.watches) watch.fail(unreachable);
    for (let second = 0; second < 140; second++) {
      const before = hub.lists.length;
      await clock.advance(1000);
      perSecond.push(hub.lists.length - before);
      hub.answer("20");
    }
    expect(perSecond[0]).toBe(100); // they learn that it is away: none of these is answered
    expect(Math.max(...perSecond.slice(1))).toBeLessThan(10);
    expect(perSecond.slice(1).reduce((sum, lists) => sum + lists)).toBe(100);
    expect(caches.map(({ isAway, failingSinceMs }) => [isAway, failingSinceMs])).toEqual(
      caches.map(() => [false, undefined]),
    );
  });

  it.each([
    { how: "its watch breaks off", error: unreachable, isStale: true },
    { how: "a version is not known any more", error: new AppError("E_KUBE_GONE", "410"), isStale: true },
    { how: "a watch is refused", error: forbidden, isStale: false },
  ])("holds what may be of another time ($isStale) when $how, until the next list", async ({ error, isStale }) => {
    const [hub, clock] = [new ScriptedHub(), createManualClock()];
    const cache = startKubeCache(hub.api, type, {}, { clock, random: fixedRandom(0.999) });
    caches.push(cache);
    await clock.advance(0);
    hub.answerList = () => Promise.reject(unreachable);
    hub.watch.fail(error);
    await clock.advance(0);
    const seen = [cache.isStale];
    await clock.advance(800);
    seen.push(cache.isStale);
    hub.answer("20");
    await clock.advance(30_000);
    expect([...seen, cache.isStale]).toEqual([isStale, isStale, false]);
  });

  it("is away from a list that finds no server until one that does", async () => {
    const [hub, clock] = [new ScriptedHub(), createManualClock()];
    const cache = startKubeCache(hub.api, type, {}, { clock, random: fixedRandom(0.999) });
    caches.push(cache);
    await clock.advance(0);
    const seen = [cache.isAway];
    hub.answerList = () => Promise.reject(unreachable);
    hub.watch.fail(unreachable);
    await clock.advance(0);
    seen.push(cache.isAway); // a watch that ends may be the doing of a proxy
    await clock.advance(800);
    seen.push(cache.isAway);
    hub.answerList = () => Promise.reject(forbidden);
    await clock.advance(1600);
    seen.push(cache.isAway);
    expect(seen).toEqual([false, false, true, false]);
  });
});
