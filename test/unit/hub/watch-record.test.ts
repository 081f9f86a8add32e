import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { HealthTimer } from "../../../src/hub/health.ts";
import { keepWatchRecord } from "../../../src/hub/watch-record.ts";
import type { Witness } from "../../../src/hub/watched-time.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const periodMs = 5000;
const windowMs = 3 * periodMs;
const hourMs = 3_600_000;

/** One Lease on an API server that can be away, agents that renew, and daemons that are started and killed. */
function startWorld(agents: readonly string[]) {
  const clock = createManualClock();
  const hub = { isAway: false, lease: undefined as KubeObject | undefined, version: 0, writes: 0, refusal: "" };
  const series = new Map(
    agents.map((name) => [
      name,
      { sinceMs: clock.nowMs(), lastMs: clock.nowMs(), renewedMs: clock.monotonicMs(), isDead: false },
    ]),
  );
  const unresponsive = new Set<string>();
  let daemon: ReturnType<typeof startDaemon> | undefined;

  const call = <T>(isKilled: () => boolean, answer: () => T): Promise<T> => {
    if (hub.isAway || isKilled()) return Promise.reject(new AppError("E_KUBE_UNREACHABLE", "away"));
    if (hub.refusal !== "") return Promise.reject(new AppError("E_KUBE_FORBIDDEN", hub.refusal));
    return Promise.resolve(answer());
  };
  const put = (object: KubeObject, manager: string): KubeObject => {
    const time = new Date(Math.floor(clock.nowMs() / 1000) * 1000).toISOString();
    hub.writes += 1;
    hub.version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(hub.version), managedFields: [{ manager, time }] };
    hub.lease = { ...object, metadata };
    return hub.lease;
  };
  const witnesses = (): Witness[] =>
    [...series.values()].map(({ sinceMs, lastMs }) => ({ renewedAtMs: lastMs, heldMs: lastMs - sinceMs, periodMs }));

  function startDaemon() {
    let isKilled = false;
    const health = new HealthTimer({
      clock,
      onTurn: (name) =>
        health.stateOf(name).kind === "unresponsive" ? unresponsive.add(name) : unresponsive.delete(name),
      watchFailingSinceMs: () => (hub.isAway ? clock.nowMs() : undefined),
    });
    const observe = (): void => {
      if (hub.isAway) return;
      for (const [name, { lastMs }] of series) health.observe(name, windowMs, String(lastMs), () => lastMs);
    };
    const hubApi = {
      get: () =>
        call(
          () => isKilled,
          () => hub.lease,
        ),
      create: (object: KubeObject, options: { fieldManager: string }) =>
        call(
          () => isKilled,
          () => put(object, options.fieldManager),
        ),
      update: (object: KubeObject, options: { fieldManager: string }) =>
        call(
          () => isKilled,
          () => {
            if (object.metadata.resourceVersion !== String(hub.version)) throw new AppError("E_KUBE_CONFLICT", "newer");
            return put(object, options.fieldManager);
          },
        ),
    };
    const leading = keepWatchRecord({
      hubApi,
      namespace: "rollcall-system",
      identity: `daemon-${hub.writes}`,
      health,
      shortestPeriodMs: () => periodMs,
      witnesses,
      clock,
      log: silentLog,
    });
    let hasStarted = false;
    void leading.then(() => {
      hasStarted = true;
      if (!isKilled) observe();
      for (const name of series.keys())
        if (!isKilled && health.stateOf(name).kind === "unresponsive") unresponsive.add(name);
    });
    return {
      health,
      observe: () => (hasStarted ? observe() : undefined),
      /** Nothing more of it reaches the hub. */
      kill: async () => {
        isKilled = true;
        health.stop();
        await (await leading).stop();
      },
    };
  }

  const pass = async (durationMs: number): Promise<void> => {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= 1000) {
      await clock.advance(1000);
      for (const agent of series.values()) {
        const restedMs = clock.monotonicMs() - agent.renewedMs;
        if (agent.isDead || hub.isAway || restedMs < periodMs) continue;
        const heldMs = restedMs > 1.5 * periodMs ? 0 : agent.lastMs - agent.sinceMs + restedMs;
        agent.lastMs = clock.nowMs();
        agent.sinceMs = agent.lastMs - heldMs;
        agent.renewedMs = clock.monotonicMs();
      }
      daemon?.observe();
    }
  };
  return {
    clock,
    hub,
    unresponsive,
    pass,
    die: (name: string) => Object.assign(series.get(name) ?? {}, { isDead: true }),
    start: async () => {
      daemon = startDaemon();
      await clock.advance(0);
    },
    kill: async () => {
      await daemon?.kill();
      daemon = undefined;
    },
    /** A daemon that is there for `aliveMs` and away for `awayMs`, until `isMet` or for `lives` times. */
    crashLoop: async (lives: number, { aliveMs, awayMs }: { aliveMs: number; awayMs: number }) => {
      const seen = new Set<string>();
      for (let life = 0; life < lives; life++) {
        daemon = startDaemon();
        await clock.advance(0);
        await pass(aliveMs);
        for (const name of unresponsive) seen.add(name);
        await daemon.kill();
        daemon = undefined;
        await pass(awayMs);
      }
      return [...seen].sort();
    },
  };
}

describe("keepWatchRecord", () => {
  it.each([
    { reason: "is there for 1 s of 13 s", agents: ["dead", "alive"], aliveMs: 1000, awayMs: 12_000 },
    { reason: "is there for 1 s of five minutes", agents: ["dead", "alive"], aliveMs: 1000, awayMs: 299_000 },
    { reason: "is there for 10 s of 13 s, and no agent lives", agents: ["dead"], aliveMs: 10_000, awayMs: 3000 },
  ])("F28 a dead agent is reported by a daemon that $reason", async ({ agents, aliveMs, awayMs }) => {
    const world = startWorld(agents);
    await world.start();
    await world.pass(60_000);
    expect([...world.unresponsive]).toEqual([]);
    world.die("dead");
    await world.pass(1000);
    await world.kill();
    expect(await world.crashLoop(3, { aliveMs, awayMs })).toEqual(["dead"]);
  });

  it("F28 no member is reported for an hour in which the hub was away, before a whole window was watched", async () => {
    const world = startWorld(["dead", "one", "two"]);
    await world.start();
    await world.pass(60_000);
    world.die("dead");
    await world.pass(windowMs - 2000);
    world.hub.isAway = true;
    await world.pass(1000);
    await world.kill();
    await world.pass(hourMs);
    world.hub.isAway = false;
    await world.pass(2000);
    // It crashes once more while agents come back.
    expect(await world.crashLoop(2, { aliveMs: 2000, awayMs: 3000 })).toEqual([]);
    await world.start();
    await world.pass(windowMs);
    expect([...world.unresponsive]).toEqual(["dead"]);
    await world.kill();
  });

  it("F28 without a living agent, an absence that may have been the hub's starts a new window", async () => {
    const world = startWorld(["dead"]);
    await world.start();
    await world.pass(60_000);
    world.die("dead");
    await world.kill();
    await world.pass(hourMs);
    await world.start();
    await world.pass(windowMs - 1000);
    expect([...world.unresponsive]).toEqual([]);
    await world.pass(3000);
    expect([...world.unresponsive]).toEqual(["dead"]);
    await world.kill();
  });

  it("F28 an hour in which only the daemon was away counts at once", async () => {
    const world = startWorld(["dead", "alive"]);
    await world.start();
    await world.pass(60_000);
    world.die("dead");
    await world.kill();
    await world.pass(hourMs);
    await world.start();
    expect([...world.unresponsive]).toEqual(["dead"]);
    await world.pass(60_000);
    expect([...world.unresponsive]).toEqual(["dead"]);
    await world.kill();
  });

  it("F28 F27 a clock that is set before a restart makes no member unresponsive", async () => {
    for (const stepMs of [-hourMs, hourMs]) {
      const world = startWorld(["one", "two"]);
      await world.start();
      await world.pass(60_000);
      world.clock.jump(stepMs);
      await world.pass(2000);
      await world.kill();
      await world.start();
      expect([...world.unresponsive]).toEqual([]);
      await world.pass(2000);
      await world.kill();
      expect(await world.crashLoop(3, { aliveMs: 3000, awayMs: 2000 })).toEqual([]);
    }
  });

  it("keeps the record of another daemon that led meanwhile, and starts without a right to it", async () => {
    const world = startWorld(["dead"]);
    world.hub.refusal = "leases is forbidden";
    await world.start();
    world.die("dead");
    await world.pass(windowMs + 3000);
    expect([...world.unresponsive]).toEqual(["dead"]);
    expect(world.hub.writes).toBe(0);
    world.hub.refusal = "";
    await world.pass(2000);
    expect(world.hub.writes).toBeGreaterThan(0);
    await world.kill();
  });
});
