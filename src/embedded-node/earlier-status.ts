import { numberAt, objectAt, objectsAt, textAt } from "../core/read-json.ts";
import type { JsonObject } from "../core/json.ts";
import type { TerminatedState } from "./container-state.ts";
import type { KubeObject } from "./node-types.ts";

/** A Pod's status of a container from an earlier run of the node. */
export interface EarlierContainer {
  readonly restartCount: number;
  /** How its last run ended; one that was running when the node ended counts as lost. */
  readonly state: TerminatedState | undefined;
}

/** Reads `status.containerStatuses` (or those of init containers) of a Pod that the node meets for the first time. */
export function earlierContainer(pod: KubeObject, name: string, nowMs: number): EarlierContainer {
  const statuses = [
    ...objectsAt(pod, "status", "containerStatuses"),
    ...objectsAt(pod, "status", "initContainerStatuses"),
  ];
  const status = statuses.find((one) => textAt(one, "name") === name);
  const restartCount = numberAt(status, "restartCount") ?? 0;
  const running = objectAt(status, "state", "running");
  if (running !== undefined) {
    // As after a reboot of a machine: its end was not observed.
    const state: TerminatedState = {
      kind: "terminated",
      exitCode: 255,
      reason: "Unknown",
      startedAtMs: Date.parse(textAt(running, "startedAt") ?? "") || nowMs,
      finishedAtMs: nowMs,
      containerId: textAt(status, "containerID") ?? "",
    };
    return { restartCount, state };
  }
  const finished = objectAt(status, "state", "terminated");
  if (finished !== undefined) return { restartCount, state: readTerminated(finished, nowMs) };
  const last = objectAt(status, "lastState", "terminated");
  return { restartCount, state: last === undefined ? undefined : readTerminated(last, nowMs) };
}

function readTerminated(state: JsonObject, nowMs: number): TerminatedState {
  const message = textAt(state, "message");
  return {
    kind: "terminated",
    exitCode: numberAt(state, "exitCode") ?? 0,
    reason: textAt(state, "reason") ?? "",
    ...(message === undefined ? {} : { message }),
    startedAtMs: Date.parse(textAt(state, "startedAt") ?? "") || nowMs,
    finishedAtMs: Date.parse(textAt(state, "finishedAt") ?? "") || nowMs,
    containerId: textAt(state, "containerID") ?? "",
  };
}
