import { objectsAt, textAt } from "../core/read-json.ts";
import type { JsonObject } from "../core/json.ts";
import { isRestarted } from "./container-state.ts";
import type { ContainerFacts, ContainerState } from "./container-state.ts";
import { timestampOf } from "./node-types.ts";
import type { KubeObject } from "./node-types.ts";
import type { ContainerSpec, PodSpec } from "./pod-spec.ts";

export interface PodFacts {
  readonly pod: KubeObject;
  readonly spec: PodSpec;
  readonly initContainers: readonly ContainerFacts[];
  readonly containers: readonly ContainerFacts[];
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly address: string;
  /** Volumes are there and containers may start. */
  readonly isPrepared: boolean;
  /** The whole Pod was ended for this reason (DeadlineExceeded). */
  readonly ended?: { readonly reason: string; readonly message: string };
}

type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

/** What the node writes of a Pod's status, in the shape of kubelets'. Source: Kubernetes, pkg/kubelet/status. */
export function podStatus(facts: PodFacts): JsonObject {
  const { pod, spec, address, ended } = facts;
  const phase = ended === undefined ? phaseOf(facts) : "Failed";
  const generation = pod.metadata.generation;
  const qosClass = textAt(pod, "status", "qosClass");
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    ...(ended === undefined ? {} : { reason: ended.reason, message: ended.message }),
    conditions: conditionsOf(facts, phase),
    hostIP: address,
    hostIPs: [{ ip: address }],
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: timestampOf(facts.startedAtMs),
    ...(spec.initContainers.length === 0
      ? {}
      : { initContainerStatuses: statusesOf(spec.initContainers, facts.initContainers) }),
    containerStatuses: statusesOf(spec.containers, facts.containers),
    ...(qosClass === undefined ? {} : { qosClass }),
  };
}

function statusesOf(specs: readonly ContainerSpec[], facts: readonly ContainerFacts[]): JsonObject[] {
  return specs
    .map((spec) =>
      containerStatus(
        spec,
        facts.find(({ name }) => name === spec.name),
      ),
    )
    .sort((a, b) => ((textAt(a, "name") ?? "") < (textAt(b, "name") ?? "") ? -1 : 1));
}

function containerStatus(spec: ContainerSpec, facts: ContainerFacts | undefined): JsonObject {
  const state = facts?.state ?? { kind: "waiting", reason: "PodInitializing" };
  const hasImage = facts !== undefined && facts.containerId !== "";
  return {
    name: spec.name,
    state: stateField(state),
    lastState: facts?.lastState === undefined ? {} : stateField(facts.lastState),
    ready: facts?.isReady ?? false,
    restartCount: facts?.restartCount ?? 0,
    image: facts?.image ?? spec.image,
    imageID: hasImage ? facts.image : "",
    ...(hasImage ? { containerID: facts.containerId } : {}),
    started: facts?.hasStarted ?? false,
    ...(spec.resources === undefined || !hasImage ? {} : { resources: spec.resources }),
    ...(spec.mounts.length === 0
      ? {}
      : {
          volumeMounts: spec.mounts.map(({ volume, mountPath, isReadOnly }) => ({
            name: volume,
            mountPath,
            ...(isReadOnly ? { readOnly: true, recursiveReadOnly: "Disabled" } : {}),
          })),
        }),
  };
}

function stateField(state: ContainerState): JsonObject {
  switch (state.kind) {
    case "waiting":
      return { waiting: { reason: state.reason, ...(state.message === undefined ? {} : { message: state.message }) } };
    case "running":
      return { running: { startedAt: timestampOf(state.startedAtMs) } };
    case "terminated":
      return {
        terminated: {
          exitCode: state.exitCode,
          reason: state.reason,
          ...(state.message === undefined ? {} : { message: state.message }),
          startedAt: timestampOf(state.startedAtMs),
          finishedAt: timestampOf(state.finishedAtMs),
          ...(state.containerId === "" ? {} : { containerID: state.containerId }),
        },
      };
  }
}

/** Source: Kubernetes, pkg/kubelet/kubelet_pods.go getPhase. */
function phaseOf({ spec, initContainers, containers }: PodFacts): Phase {
  const ordinaryInit = initContainers.filter(
    ({ name }) => spec.initContainers.find((container) => container.name === name)?.isSidecar !== true,
  );
  const failedInit = ordinaryInit.some(
    ({ state }) => state.kind === "terminated" && state.exitCode !== 0 && spec.restartPolicy === "Never",
  );
  if (failedInit) return "Failed";
  const isInitialized = ordinaryInit.every(({ state }) => state.kind === "terminated" && state.exitCode === 0);
  if (!isInitialized || containers.length < spec.containers.length) return "Pending";
  // A container that waits for its next run counts as running; one that never ran keeps the Pod pending.
  const isPending = containers.some(({ state, lastState }) => state.kind === "waiting" && lastState === undefined);
  if (isPending) return "Pending";
  const isAlive = containers.some(
    ({ state }) => state.kind !== "terminated" || isRestarted(spec.restartPolicy, state.exitCode),
  );
  if (isAlive) return "Running";
  const hasFailed = containers.some(({ state }) => state.kind === "terminated" && state.exitCode !== 0);
  return hasFailed ? "Failed" : "Succeeded";
}

interface ConditionResult {
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

function conditionsOf(facts: PodFacts, phase: Phase): JsonObject[] {
  const { pod, nowMs } = facts;
  const old = objectsAt(pod, "status", "conditions");
  const generation = pod.metadata.generation;
  const containersReady = readyResult(facts, phase);
  const wanted: readonly (readonly [string, ConditionResult])[] = [
    ["PodReadyToStartContainers", { isTrue: facts.isPrepared && phase !== "Succeeded" && phase !== "Failed" }],
    ["Initialized", initializedResult(facts, phase)],
    ["Ready", withGates(facts, containersReady, old)],
    ["ContainersReady", containersReady],
    ["PodScheduled", { isTrue: true }],
  ];
  return wanted.map(([type, { isTrue, reason, message }]) => {
    const status = isTrue ? "True" : "False";
    const known = old.find((condition) => condition["type"] === type);
    const since = known?.["status"] === status ? textAt(known, "lastTransitionTime") : undefined;
    return {
      type,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status,
      lastProbeTime: null,
      lastTransitionTime: since ?? timestampOf(nowMs),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
    };
  });
}

function initializedResult({ spec, initContainers }: PodFacts, phase: Phase): ConditionResult {
  if (phase === "Succeeded") return { isTrue: true, reason: "PodCompleted" };
  const incomplete = spec.initContainers.filter(({ name, isSidecar }) => {
    const facts = initContainers.find((one) => one.name === name);
    if (isSidecar) return facts?.hasStarted !== true;
    return !(facts?.state.kind === "terminated" && facts.state.exitCode === 0);
  });
  if (incomplete.length === 0) return { isTrue: true };
  const message = `containers with incomplete status: ${nameList(incomplete)}`;
  return { isTrue: false, reason: "ContainersNotInitialized", message };
}

function readyResult({ spec, containers, initContainers }: PodFacts, phase: Phase): ConditionResult {
  if (phase === "Succeeded") return { isTrue: false, reason: "PodCompleted" };
  if (phase === "Failed") return { isTrue: false, reason: "PodFailed" };
  const sidecars = spec.initContainers.filter(({ isSidecar }) => isSidecar);
  const all = [...initContainers, ...containers];
  const unready = [...sidecars, ...spec.containers].filter(
    ({ name }) => all.find((facts) => facts.name === name)?.isReady !== true,
  );
  if (unready.length === 0) return { isTrue: true };
  const message = `containers with unready status: ${nameList(unready)}`;
  return { isTrue: false, reason: "ContainersNotReady", message };
}

function withGates({ spec }: PodFacts, containersReady: ConditionResult, old: readonly JsonObject[]): ConditionResult {
  if (!containersReady.isTrue) return containersReady;
  const open = spec.readinessGates.filter((gate) => {
    return old.find((condition) => condition["type"] === gate)?.["status"] !== "True";
  });
  if (open.length === 0) return containersReady;
  const message = open.map((gate) => `the status of pod readiness gate "${gate}" is not "True", but False`).join(", ");
  return { isTrue: false, reason: "ReadinessGatesNotReady", message };
}

function nameList(containers: readonly ContainerSpec[]): string {
  return `[${containers.map(({ name }) => name).join(" ")}]`;
}
