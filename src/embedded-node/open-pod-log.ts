import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { PodManager } from "./pod-manager.ts";
import type { PodRunner } from "./pod-runner.ts";
import { readContainerLog } from "./read-container-log.ts";

/** What `kubectl logs` asks for. Source: Kubernetes API, core/v1 PodLogOptions. */
export interface PodLogRequest {
  readonly namespace: string;
  readonly name: string;
  /** May be left out when the Pod has one container. */
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  readonly stream?: "All" | "Stdout" | "Stderr";
  /** Ends the reading; the answer just ends. */
  readonly signal: AbortSignal;
}

/** Opens the log that a request asks for. Throws E_KUBE_NOT_FOUND (no such Pod here) and E_KUBE_INVALID. */
export async function openPodLog(
  manager: Pick<PodManager, "runnerOf">,
  request: PodLogRequest,
  clock: Clock,
): Promise<AsyncIterable<Uint8Array>> {
  const { namespace, name, previous = false } = request;
  const runner = manager.runnerOf(namespace, name);
  if (runner === undefined) throw new AppError("E_KUBE_NOT_FOUND", `pod "${name}" does not run on this node`);
  const container = containerOf(runner, request);
  const logs = runner.logsOf(container);
  if (logs === undefined) throw invalid(`container ${container} is not valid for pod ${name}`);
  const facts = runner.factsOf(container);
  // The log of a run is opened before its program is started: until the container runs, the run is none yet.
  const runs = facts?.state.kind === "running" ? logs : logs.filter(({ isEnded }) => isEnded);
  const isAgain = facts?.state.kind === "waiting" || facts?.state === facts?.lastState;
  // While it waits for its next run, the last run is both: the present one and the previous.
  const log = previous && !isAgain ? runs.at(-2) : runs.at(-1);
  if (log === undefined) {
    if (previous) throw invalid(`previous terminated container "${container}" in pod "${name}" not found`);
    const reason = facts?.state.kind === "waiting" ? facts.state.reason : "ContainerCreating";
    throw invalid(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
  }
  const sinceMs = sinceOf(request, clock);
  const { tailLines, limitBytes, stream, signal } = request;
  return readContainerLog(log, {
    isFollowing: request.follow === true && !previous,
    hasTimestamps: request.timestamps === true,
    signal,
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(stream === "Stdout" || stream === "Stderr" ? { stream: stream === "Stdout" ? "stdout" : "stderr" } : {}),
  });
}

function containerOf(runner: PodRunner, { container = "", name }: PodLogRequest): string {
  if (container !== "") return container;
  const names = runner.spec.containers.map((one) => one.name);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw invalid(`a container name must be specified for pod ${name}, choose one of: [${names.join(" ")}]`);
}

function sinceOf({ sinceSeconds, sinceTime }: PodLogRequest, clock: Clock): number | undefined {
  if (sinceSeconds !== undefined) return clock.nowMs() - sinceSeconds * 1000;
  const atMs = sinceTime === undefined ? Number.NaN : Date.parse(sinceTime);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function invalid(message: string): AppError {
  return new AppError("E_KUBE_INVALID", message);
}
