import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { PrinterColumn } from "../operations/resource-definition.ts";
import { ageColumn, column, nameColumn } from "./column.ts";
import { sinceText } from "../../core/human-duration.ts";

const none = "<none>";

export const podColumns: readonly PrinterColumn[] = [
  nameColumn,
  column("Ready", (pod) => {
    const { ready, total } = summarize(pod);
    return `${ready}/${total}`;
  }),
  column("Status", (pod) => summarize(pod).reason),
  column("Restarts", (pod, nowMs) => {
    const { restarts, lastRestart } = summarize(pod);
    if (restarts === 0 || lastRestart === undefined) return String(restarts);
    return `${restarts} (${sinceText(lastRestart, nowMs)} ago)`;
  }),
  ageColumn,
  column("IP", (pod) => textAt(objectsAt(pod, "status", "podIPs")[0], "ip") ?? none, "wide"),
  column("Node", (pod) => textAt(pod, "spec", "nodeName") ?? none, "wide"),
  column("Nominated Node", (pod) => textAt(pod, "status", "nominatedNodeName") ?? none, "wide"),
  column("Readiness Gates", readinessGates, "wide"),
];

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
}

/** The summary of a Pod's containers. Source: Kubernetes, pkg/printers/internalversion printPod. */
function summarize(pod: KubeObject): Summary {
  const sidecars = new Set(
    objectsAt(pod, "spec", "initContainers")
      .filter((container) => textAt(container, "restartPolicy") === "Always")
      .map((container) => textAt(container, "name")),
  );
  const total = objectsAt(pod, "spec", "containers").length + sidecars.size;
  const initial = summarizeInit(pod, sidecars);
  const isInitialized = objectsAt(pod, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Initialized" && textAt(condition, "status") === "True",
  );
  const before = initial.reason ?? phaseReason(pod);
  const main = initial.reason === undefined || isInitialized ? summarizeMain(pod, before) : undefined;
  const restartSources =
    main === undefined
      ? initial.statuses
      : [...initial.statuses.filter((one) => sidecars.has(textAt(one, "name"))), ...main.statuses];
  return {
    ready: initial.ready + (main?.ready ?? 0),
    total,
    reason: deletionReason(pod) ?? main?.reason ?? before,
    restarts: restartSources.reduce((sum, one) => sum + (numberAt(one, "restartCount") ?? 0), 0),
    lastRestart: restartSources
      .map((one) => textAt(one, "lastState", "terminated", "finishedAt"))
      .filter((one) => one !== undefined)
      .sort()
      .at(-1),
  };
}

function phaseReason(pod: KubeObject): string {
  const isGated = objectsAt(pod, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "PodScheduled" && textAt(condition, "reason") === "SchedulingGated",
  );
  if (isGated) return "SchedulingGated";
  return textAt(pod, "status", "reason") ?? textAt(pod, "status", "phase") ?? "";
}

function deletionReason(pod: KubeObject): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined;
  if (textAt(pod, "status", "reason") === "NodeLost") return "Unknown";
  const phase = textAt(pod, "status", "phase");
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating";
}

interface Partial {
  readonly statuses: readonly object[];
  readonly ready: number;
  readonly reason: string | undefined;
}

function summarizeInit(pod: KubeObject, sidecars: ReadonlySet<string | undefined>): Partial {
  const all = objectsAt(pod, "status", "initContainerStatuses");
  const count = objectsAt(pod, "spec", "initContainers").length;
  let ready = 0;
  for (const [index, status] of all.entries()) {
    const terminated = objectAt(status, "state", "terminated");
    if (terminated !== undefined && numberAt(terminated, "exitCode") === 0) continue;
    if (sidecars.has(textAt(status, "name")) && isTrueAt(status, "started")) {
      if (isTrueAt(status, "ready")) ready += 1;
      continue;
    }
    const waiting = textAt(status, "state", "waiting", "reason") ?? "PodInitializing";
    const text =
      terminated !== undefined
        ? terminatedReason(terminated)
        : waiting === "PodInitializing"
          ? `${index}/${count}`
          : waiting;
    return { statuses: all.slice(0, index + 1), ready, reason: `Init:${text}` };
  }
  return { statuses: all, ready, reason: undefined };
}

/** `before`: the reason where no container has one. */
function summarizeMain(pod: KubeObject, before: string): Partial {
  const statuses = objectsAt(pod, "status", "containerStatuses");
  let reason = before;
  let ready = 0;
  for (const status of [...statuses].reverse()) {
    const waiting = textAt(status, "state", "waiting", "reason") ?? "";
    const terminated = objectAt(status, "state", "terminated");
    if (waiting !== "") reason = waiting;
    else if (terminated !== undefined) reason = terminatedReason(terminated);
    else if (isTrueAt(status, "ready") && objectAt(status, "state", "running") !== undefined) ready += 1;
  }
  if (reason === "Completed" && ready > 0) {
    const isReady = objectsAt(pod, "status", "conditions").some(
      (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
    );
    reason = isReady ? "Running" : "NotReady";
  }
  return { statuses, ready, reason };
}

function terminatedReason(terminated: object): string {
  const reason = textAt(terminated, "reason") ?? "";
  if (reason !== "") return reason;
  const signal = numberAt(terminated, "signal") ?? 0;
  return signal === 0 ? `ExitCode:${numberAt(terminated, "exitCode") ?? 0}` : `Signal:${signal}`;
}

function readinessGates(pod: KubeObject): string {
  const gates = objectsAt(pod, "spec", "readinessGates").map((gate) => textAt(gate, "conditionType"));
  if (gates.length === 0) return none;
  const met = gates.filter((type) =>
    objectsAt(pod, "status", "conditions").some(
      (condition) => textAt(condition, "type") === type && textAt(condition, "status") === "True",
    ),
  );
  return `${met.length}/${gates.length}`;
}
