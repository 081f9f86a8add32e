/** Source: Kubernetes API, core/v1 ContainerState. */
export type ContainerState = WaitingState | RunningState | TerminatedState;

export interface WaitingState {
  readonly kind: "waiting";
  readonly reason: string;
  readonly message?: string;
}

export interface RunningState {
  readonly kind: "running";
  readonly startedAtMs: number;
}

export interface TerminatedState {
  readonly kind: "terminated";
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly containerId: string;
}

/** What is known of a container now. */
export interface ContainerFacts {
  readonly name: string;
  readonly image: string;
  readonly state: ContainerState;
  readonly lastState: TerminatedState | undefined;
  readonly restartCount: number;
  /** Its probes report it; a container without a readiness probe is ready while it runs. */
  readonly isReady: boolean;
  /** It runs and its startup probe, if it has one, succeeded. */
  readonly hasStarted: boolean;
  /** `rollcall://<id of the run>`; empty before the first. */
  readonly containerId: string;
}

/** Whether a container that ended is run again. */
export function isRestarted(policy: "Always" | "OnFailure" | "Never", exitCode: number): boolean {
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
