import { describe, expect, it } from "vitest";
import { runOffboardingSteps } from "../../../../src/hub/members/run-offboarding-steps.ts";
import type { OffboardingStep } from "../../../../src/join/join.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { startMs } from "../../join/hub-scene.ts";
import { openMemberWorld } from "./member-world.ts";

const ref = { type: resourceTypes.secret, namespace: "fleet", name: "s" };
const cluster = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
const ask = (isDone: boolean): OffboardingStep => ({ kind: "ask-agent", write: { ref: cluster, status: {} }, isDone });
const tell: OffboardingStep = { kind: "notify-agent", objects: [], isDone: false, untilMs: startMs + 9 };
const remove = (purpose: string): OffboardingStep => ({ kind: "delete", purpose, refs: [ref] });
const uninstall: OffboardingStep = { kind: "uninstall", refs: [ref] };
const placed: OffboardingStep = {
  kind: "remove-placed",
  refs: [],
  isReleased: false,
  isDone: false,
  untilMs: startMs + 9,
};

interface Given {
  readonly agoMs?: number;
  readonly isRevoked?: boolean;
  readonly cancelledAfter?: number;
  readonly answerWaitMs?: number;
}

async function run(
  steps: readonly OffboardingStep[],
  { agoMs = 0, isRevoked = false, cancelledAfter, answerWaitMs = 0 }: Given = {},
) {
  const world = await openMemberWorld();
  await world.addCluster("eu-1", { annotations: isRevoked ? { "rollcall.dev/revoked": "x" } : {}, state: {} });
  const { member, write, signal } = world.scopeOf("eu-1");
  const phases: string[] = [];
  const recorded: string[] = [];
  const waitMs = await runOffboardingSteps({ ...world.ports, answerWaitMs: () => answerWaitMs, write }, steps, {
    member,
    beganMs: startMs - agoMs,
    show: (phase) => Promise.resolve(void phases.push(phase)),
    isCancelled: () => phases.length === cancelledAfter,
    record: (done) => Promise.resolve(void recorded.push(...Object.keys(done))),
    signal,
  });
  return {
    waitMs,
    phases,
    recorded,
    events: world.events.map(({ reason }) => reason),
    messages: world.events.map(({ message }) => message),
  };
}

const minute = 60_000;

describe("runOffboardingSteps", () => {
  it("shows the phase of each step, and records the steps that must not run again", async () => {
    const steps = [ask(true), remove("revoke"), remove("objects"), { kind: "release", refs: [] } as const];
    const phases = ["Uninstalling", "Revoking", "Removing", "Removing"];
    expect(await run(steps)).toMatchObject({ waitMs: 0, phases, recorded: ["isUninstalled", "revokedAt"], events: [] });
  });

  it("runs no step after one that waits, nor after a cancellation", async () => {
    const wait: OffboardingStep = { kind: "wait", untilMs: startMs + 7 };
    expect(await run([wait, ask(true)])).toMatchObject({ waitMs: 7, phases: ["Removing"], recorded: [] });
    expect(await run([tell, ask(true)])).toMatchObject({ waitMs: 9, phases: ["Uninstalling"], recorded: [] });
    expect(await run([placed, ask(true)])).toMatchObject({ waitMs: 1000, phases: ["Removing"], recorded: ["placed"] });
    expect(await run([ask(true), ask(true)], { cancelledAfter: 2 })).toMatchObject({
      waitMs: 1,
      recorded: ["isUninstalled"],
    });
  });

  it("continues after a step whose time is over", async () => {
    const over = { untilMs: startMs };
    const steps = [
      { ...tell, ...over },
      { ...placed, ...over },
      { kind: "wait", ...over },
    ] as OffboardingStep[];
    expect(await run(steps)).toMatchObject({ waitMs: 0, phases: ["Uninstalling", "Removing", "Removing"] });
    expect((await run([{ ...placed, ...over }])).events).toEqual(["PlacedLeftBehind"]);
  });

  it.each([
    { step: ask(false), isRevoked: false, agoMs: 15 * minute - 1, waitMs: 500 },
    { step: ask(false), isRevoked: false, agoMs: 15 * minute, waitMs: 0 },
    { step: ask(false), isRevoked: true, agoMs: 0, waitMs: 0 },
    { step: uninstall, isRevoked: false, agoMs: 15 * minute - 1, waitMs: 500 },
    { step: uninstall, isRevoked: true, agoMs: minute - 1, waitMs: 500 },
    { step: uninstall, isRevoked: true, agoMs: minute, waitMs: 0 },
  ])("retries $step.kind after $agoMs ms (revoked: $isRevoked) in $waitMs ms", async ({ step, waitMs, ...given }) => {
    const { events, recorded, ...result } = await run([step], given);
    expect(result.waitMs).toBe(waitMs);
    expect(events).toEqual(waitMs === 0 ? ["AgentLeftBehind"] : []);
    expect(recorded).toEqual(waitMs === 0 ? ["isUninstalled"] : []);
  });

  it("reports what the agent could not remove, when it has left", async () => {
    const steps = [{ ...ask(true), left: "ClusterRole/agent" } as OffboardingStep];
    expect(await run(steps)).toMatchObject({ waitMs: 0, recorded: ["isUninstalled"], events: ["AgentLeftBehind"] });
    expect(await run([{ ...ask(false), left: "ClusterRole/agent" } as OffboardingStep])).toMatchObject({ events: [] });
  });

  it("does not wait for a revoked agent to answer", async () => {
    expect((await run([tell], { isRevoked: true })).waitMs).toBe(0);
  });

  it.each<{ what: string; step: OffboardingStep; waitMs: number }>([
    { what: "notify-agent", step: { ...tell, untilMs: startMs }, waitMs: 90_000 },
    { what: "remove-placed", step: { ...placed, untilMs: startMs }, waitMs: 1000 },
    { what: "ask-agent", step: ask(false), waitMs: 500 },
    { what: "uninstall", step: uninstall, waitMs: 500 },
    { what: "a wait of the hub's own", step: { kind: "wait", untilMs: startMs }, waitMs: 0 },
  ])("does not give an agent up while no agent could report until just now ($what)", async ({ step, waitMs }) => {
    const given = { agoMs: 240 * minute, answerWaitMs: 90_000 };
    expect(await run([step], given)).toMatchObject({ waitMs, events: [] });
  });

  it("gives a revoked agent up, also where no agent could report until just now", async () => {
    expect(await run([tell, ask(false)], { isRevoked: true, answerWaitMs: 90_000 })).toMatchObject({ waitMs: 0 });
  });

  it("names once what stays of an agent that did not answer in time", async () => {
    const given = { agoMs: 15 * minute };
    expect((await run([{ ...ask(false), left: "ClusterRole/agent" } as OffboardingStep], given)).messages).toEqual([
      "Its cluster could not be reached in time; what is left there: the agent.",
    ]);
    expect((await run([uninstall], given)).messages).toEqual([
      "Its cluster could not be reached in time; what is left there: Secret/fleet/s.",
    ]);
    expect((await run([{ ...ask(true), left: "ClusterRole/agent" } as OffboardingStep])).messages).toEqual([
      "Its agent could not remove everything; what is left there: ClusterRole/agent.",
    ]);
  });
});
