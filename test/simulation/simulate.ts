import { beginWorld, nameClusters } from "./begin.ts";
import type { Deed, DrawnBesides } from "./deeds.ts";
import { drawDeeds, healAtMs, roundMs } from "./deeds.ts";
import { doDeed } from "./do-deed.ts";
import { forgeKinds } from "./forge/forge-deeds.ts";
import type { Stage } from "./do-deed.ts";
import { createIntent } from "./intent.ts";
import type { Invariant, Scene, Violation } from "./invariants/invariant.ts";
import { allInvariants } from "./invariants/invariants.ts";
import type { HubMirror } from "./mirror.ts";
import { createMirror } from "./mirror.ts";
import { isRenewalNear } from "./near-renewal.ts";
import { installPlatform } from "./platform.ts";
import { defaultHeartbeatSeconds, paceOf } from "./pace.ts";
import type { Scheduler } from "./scheduler.ts";
import type { StoryLine } from "./story.ts";
import { createTrace } from "./trace.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

export interface RunOptions extends DrawnBesides {
  readonly seed: number;
  readonly clusterCount: number;
  readonly roundCount: number;
  /** Default: those of the seed. */
  readonly deeds?: readonly Deed[];
  /** Between two heartbeats of our agents. Default 60. */
  readonly heartbeatSeconds?: number;
  /** How many calm hours more each round has. Default 0. */
  readonly calmHours?: number;
  readonly print?: (line: string) => void;
}

export interface RunResult {
  readonly options: RunOptions;
  readonly violations: readonly Violation[];
  readonly story: readonly StoryLine[];
  readonly digest: string;
  readonly eventCount: number;
  /** Simulated, from the beginning to the end or to the first violation. */
  readonly elapsedMs: number;
  readonly clusterHours: number;
  /** What the hub had at the end. */
  readonly mirror: HubMirror;
}

let running: Scheduler | undefined;

/** Takes over the process: from now on nothing in it has the real time. */
export function takeOverProcess(): void {
  installPlatform(() => {
    if (running === undefined) throw new Error("no world runs");
    return running;
  });
}

const beginMs = 10 * 60_000;
/** For a fresh daemon to become the leader and to reconcile everything twice. */
const freshMs = 4 * 60_000;
/** For renewals that are due then: once, and not for an agent that never ends to ask. */
const longestWaitMs = 3_600_000;
const tickMs = 10_000;
/** Without a fault, before the invariants of a rest are checked. */
const restMs = 10 * 60_000;

/** Those that are given, or that the seed draws. */
export function deedsOf({ deeds, seed, roundCount, ...besides }: RunOptions): readonly Deed[] {
  return deeds ?? drawDeeds(seed, roundCount, besides);
}

/** Runs one world by one seed until its rounds are over or a promise is broken. */
export async function simulate(options: RunOptions): Promise<RunResult> {
  const { seed, clusterCount, roundCount, heartbeatSeconds = defaultHeartbeatSeconds, calmHours = 0 } = options;
  const pace = paceOf(heartbeatSeconds);
  const calmMs = calmHours * 3_600_000;
  const deeds = deedsOf(options);
  const trace = createTrace(options.print);
  const violations: Violation[] = [];
  const mirror = createMirror();
  const otherMirror = createMirror();
  const intent = createIntent();
  let invariants: readonly Invariant[] = [];
  const told = new Map<string, string>();
  const world: World = createWorld({
    seed,
    replicaCount: seed % 4 === 1 ? 2 : 1,
    // Of a run without such clusters nothing changes.
    servesForeign: deeds.some(({ kind }) => kind === "add foreign cluster"),
    hasForge: deeds.some(({ kind }) => forgeKinds.has(kind)),
    pace,
    trace,
    observer: {
      onRow: (row) => {
        const change = { row, key: row.record.key, ...mirror.take(row) };
        for (const invariant of invariants) invariant.onRow?.(change);
      },
      onOtherRow: (row) => {
        const change = { row, key: row.record.key, ...otherMirror.take(row) };
        for (const invariant of invariants) invariant.onOtherRow?.(change);
      },
      onCall: (call) => {
        for (const invariant of invariants) invariant.onCall?.(call);
      },
      onRefUpdate: (update) => {
        for (const invariant of invariants) invariant.onRefUpdate?.(update);
      },
      onRestore: (copy) => {
        const before = mirror.below("");
        mirror.begin([...copy.rows.values()]);
        for (const invariant of invariants) invariant.onRestore?.({ copy, before });
      },
      onExit: (exit) => {
        for (const invariant of invariants) invariant.onExit?.(exit);
      },
      onLog: (node, message, fields) => {
        // Of a process's log lines each is printed once in a minute.
        const minute = `${Math.floor(scheduler.elapsedMs / 60_000)}`;
        const text = `${message} ${describeFields(fields)}`;
        if (told.get(`${node.name} ${text}`) === minute) return;
        told.set(`${node.name} ${text}`, minute);
        story.tell(node.name, text);
      },
    },
  });
  const { scheduler, story } = world;
  running = scheduler;
  const stage: Stage = {
    world,
    intent,
    lasting: new Set(),
    standstills: new Set(),
    agentFaults: new Set(),
    disturbedAtMs: 0,
    outsideDisturbedAtMs: 0,
    hubDisturbedAtMs: 0,
  };
  let calmSince: number | undefined;
  const scene: Scene = {
    world,
    mirror,
    intent,
    disturbedAtMs: () => (stage.lasting.size > 0 ? scheduler.elapsedMs : stage.disturbedAtMs),
    outsideDisturbedAtMs: () =>
      stage.lasting.size > stage.standstills.size ? scheduler.elapsedMs : stage.outsideDisturbedAtMs,
    hubDisturbedAtMs: () =>
      stage.lasting.size > stage.agentFaults.size ? scheduler.elapsedMs : stage.hubDisturbedAtMs,
    hubUnseenAtMs: () =>
      Math.max(...world.replicas.map((replica) => world.network.halfOpenAtMs(replica) ?? 0), scene.hubDisturbedAtMs()),
    calmSinceMs: () => (stage.lasting.size > 0 ? undefined : calmSince),
    violate: (invariant, text) => {
      story.tell("INVARIANT", `${invariant}: ${text}`);
      violations.push({ invariant, elapsedMs: scheduler.elapsedMs, text });
    },
  };
  invariants = allInvariants(scene, otherMirror);
  let clusterMs = 0;
  const run = async (durationMs: number, lookMs = tickMs): Promise<void> => {
    const endMs = scheduler.elapsedMs + durationMs;
    while (scheduler.elapsedMs < endMs && violations.length === 0) {
      const before = scheduler.elapsedMs;
      await scheduler.run(Math.min(lookMs, endMs - before), () => violations.length > 0);
      clusterMs += world.members.size * (scheduler.elapsedMs - before);
      if (stage.lasting.size > 0) calmSince = undefined;
      else calmSince ??= scheduler.elapsedMs;
      for (const invariant of invariants) invariant.onTick?.();
    }
  };
  world.act("begin", () => beginWorld(world, nameClusters(clusterCount)));
  await run(beginMs);
  atRest();
  for (let round = 0; round < roundCount && violations.length === 0; round++) {
    const roundStartMs = scheduler.elapsedMs;
    for (const deed of deeds.filter(({ atMs }) => Math.floor(atMs / roundMs) === round)) {
      await run(roundStartMs + (deed.atMs % roundMs) - scheduler.elapsedMs);
      if (violations.length === 0) await perform(deed);
    }
    await run(roundStartMs + healAtMs - scheduler.elapsedMs);
    scheduler.send(world.people, 0, "all is healed", () => {
      for (const end of [...stage.lasting]) end();
    });
    await run(roundStartMs + roundMs - scheduler.elapsedMs);
    await run(calmMs, pace.calmTickMs);
    // A fault can wait for what the daemon does by the clock, such as to install an agent again.
    while (violations.length === 0 && scheduler.elapsedMs - scene.disturbedAtMs() < restMs) await run(tickMs);
    atRest();
  }
  if (violations.length === 0) await startAfresh();
  return {
    options,
    violations,
    story: story.lines,
    digest: trace.digest(),
    eventCount: scheduler.eventCount,
    elapsedMs: scheduler.elapsedMs,
    clusterHours: clusterMs / 3_600_000,
    mirror,
  };

  async function perform(deed: Deed): Promise<void> {
    scheduler.send(world.people, 0, `deed: ${deed.kind}`, () => doDeed(stage, deed));
    await run(1);
  }

  async function startAfresh(): Promise<void> {
    // What an agent asks for by the clock meanwhile is nothing that a fresh daemon changes.
    const latestMs = scheduler.elapsedMs + longestWaitMs;
    const isNear = (): boolean => isRenewalNear(mirror, scheduler.wallMs(), scheduler.wallMs() + freshMs);
    while (scheduler.elapsedMs < latestMs && violations.length === 0 && isNear()) await run(tickMs);
    if (violations.length > 0) return;
    for (const invariant of invariants) invariant.onFreshStart?.();
    scheduler.send(world.people, 0, "every daemon starts afresh", () => {
      for (const replica of world.replicas) world.kill(replica);
      for (const replica of world.replicas) world.startReplica(replica);
    });
    await run(freshMs);
    if (violations.length === 0) for (const invariant of invariants) invariant.afterFreshStart?.();
  }

  function atRest(): void {
    if (violations.length === 0) for (const invariant of invariants) invariant.atRest?.();
  }
}

/** The fields with most of the information of a log line. */
function describeFields(fields: object): string {
  const { error, ...others } = fields as { readonly error?: unknown };
  const cause = error instanceof Error ? error.message : JSON.stringify(error);
  const rest = Object.entries(others).filter(([, value]) => typeof value === "string");
  return [...rest.map(([key, value]) => `${key}=${String(value)}`), cause ?? ""].join(" ").slice(0, 200);
}
