import { describe, expect, it } from "vitest";
import type { ContainerFacts } from "../../../src/embedded-node/container-state.ts";
import { readPodSpec } from "../../../src/embedded-node/pod-spec.ts";
import { podStatus } from "../../../src/embedded-node/pod-status.ts";

const startMs = Date.parse("2026-01-02T03:04:05Z");

function facts(name: string, change: Partial<ContainerFacts> = {}): ContainerFacts {
  return {
    name,
    image: "i",
    state: { kind: "running", startedAtMs: startMs },
    lastState: undefined,
    restartCount: 0,
    isReady: true,
    hasStarted: true,
    containerId: "rollcall://x",
    ...change,
  };
}

function ended(exitCode: number): Partial<ContainerFacts> {
  const times = { startedAtMs: startMs, finishedAtMs: startMs + 1000, containerId: "rollcall://x" };
  return {
    state: { kind: "terminated", exitCode, reason: exitCode === 0 ? "Completed" : "Error", ...times },
    isReady: false,
    hasStarted: false,
  };
}

function statusFor(
  containers: readonly ContainerFacts[],
  options: { restartPolicy?: string; status?: object; init?: readonly ContainerFacts[]; spec?: object } = {},
) {
  const { restartPolicy = "Always", status = {}, init = [], spec = {} } = options;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u", generation: 3 },
    spec: {
      restartPolicy,
      containers: containers.map(({ name }) => ({ name, image: "i" })),
      ...(init.length === 0 ? {} : { initContainers: init.map(({ name }) => ({ name, image: "i" })) }),
      ...spec,
    },
    status,
  };
  return podStatus({
    pod,
    spec: readPodSpec(pod),
    initContainers: init,
    containers,
    startedAtMs: startMs,
    nowMs: startMs + 5000,
    address: "127.0.0.1",
    isPrepared: true,
  });
}

const conditionsOf = (status: object) =>
  Object.fromEntries(
    (status as { conditions: { type: string; status: string; reason?: string }[] }).conditions.map(
      ({ type, status: value, reason }) => [type, reason === undefined ? value : `${value}/${reason}`],
    ),
  );

describe("podStatus", () => {
  it.each([
    {
      name: "waits for its first run",
      containers: [facts("c", { state: { kind: "waiting", reason: "ContainerCreating" } })],
      phase: "Pending",
    },
    {
      name: "waits for its next run",
      containers: [
        facts("c", { state: { kind: "waiting", reason: "CrashLoopBackOff" }, lastState: ended(1).state as never }),
      ],
      phase: "Running",
    },
    { name: "runs", containers: [facts("c")], phase: "Running" },
    { name: "ended well and runs again", containers: [facts("c", ended(0))], phase: "Running" },
    { name: "ended well", containers: [facts("c", ended(0))], restartPolicy: "OnFailure", phase: "Succeeded" },
    {
      name: "ended badly and runs again",
      containers: [facts("c", ended(1))],
      restartPolicy: "OnFailure",
      phase: "Running",
    },
    { name: "ended badly", containers: [facts("c", ended(1))], restartPolicy: "Never", phase: "Failed" },
    { name: "partly runs", containers: [facts("a", ended(1)), facts("b")], restartPolicy: "Never", phase: "Running" },
    {
      name: "partly failed",
      containers: [facts("a", ended(1)), facts("b", ended(0))],
      restartPolicy: "Never",
      phase: "Failed",
    },
  ])("is $phase when it $name under $restartPolicy", ({ containers, phase, restartPolicy }) => {
    expect(statusFor(containers, restartPolicy === undefined ? {} : { restartPolicy })).toMatchObject({ phase });
  });

  it("is Pending while an init container runs, and Failed when one fails for good", () => {
    const waiting = facts("c", { state: { kind: "waiting", reason: "PodInitializing" }, isReady: false });
    expect(statusFor([waiting], { init: [facts("i")] })).toMatchObject({ phase: "Pending" });
    expect(conditionsOf(statusFor([waiting], { init: [facts("i")] }))).toMatchObject({
      Initialized: "False/ContainersNotInitialized",
    });
    expect(statusFor([waiting], { init: [facts("i", ended(1))], restartPolicy: "Never" })).toMatchObject({
      phase: "Failed",
    });
  });

  it("keeps the time of an unchanged condition, and names no condition of others", () => {
    const old = { type: "Ready", status: "True", lastTransitionTime: "2025-01-01T00:00:00Z" };
    const foreign = { type: "example.com/Done", status: "True" };
    const status = statusFor([facts("c")], { status: { conditions: [foreign, old], qosClass: "Burstable" } });
    const { conditions } = status as { conditions: { type: string; lastTransitionTime: string }[] };
    expect(conditions.find(({ type }) => type === "Ready")).toMatchObject({
      lastTransitionTime: "2025-01-01T00:00:00Z",
      observedGeneration: 3,
      lastProbeTime: null,
    });
    expect(conditions.map(({ type }) => type)).not.toContain(foreign.type);
    expect(status).toMatchObject({ qosClass: "Burstable", observedGeneration: 3, startTime: "2026-01-02T03:04:05Z" });
  });

  it("names the containers that are not ready", () => {
    const status = statusFor([facts("a", { isReady: false }), facts("b")]);
    expect((status as { conditions: object[] }).conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", message: "containers with unready status: [a]" }),
    );
  });

  it("is not Ready before its readiness gates are open", () => {
    const spec = { readinessGates: [{ conditionType: "example.com/Done" }] };
    expect(conditionsOf(statusFor([facts("c")], { spec }))).toMatchObject({
      ContainersReady: "True",
      Ready: "False/ReadinessGatesNotReady",
    });
    const status = { conditions: [{ type: "example.com/Done", status: "True" }] };
    expect(conditionsOf(statusFor([facts("c")], { spec, status }))).toMatchObject({ Ready: "True" });
  });
});
