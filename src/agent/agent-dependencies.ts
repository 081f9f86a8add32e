import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { HubAddress } from "../join/rollcall/signed-hub-info.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";

/** Which hub to talk to, and as whom. */
export interface HubTarget extends HubAddress {
  /** Bearer token; absent for public objects. */
  readonly token?: string;
  /** Accept any certificate: only without a token, for texts that prove themselves. */
  readonly isUnverified?: boolean;
}

export interface FollowedObject {
  /** True from a read that did not reach the server to the next one that does. */
  readonly isAway: boolean;
  stop(): Promise<void>;
}

export interface AgentDependencies {
  readonly downstreamApi: KubeApi;
  readonly connectHub: (target: HubTarget) => KubeApi;
  /** Follows one object until it is stopped, by watch or, where that is not possible, by polling. */
  readonly followObject: (
    api: KubeApi,
    ref: ObjectRef,
    listener: {
      readonly onObject: (object: KubeObject | undefined) => void;
      readonly onError: (error: unknown) => void;
    },
  ) => FollowedObject;
  /** Runs the work while this process leads among the agent's replicas, again and again, until the signal is aborted. */
  readonly runAsLeader: (work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Ends the agent. */
  readonly signal: AbortSignal;
  readonly settings: AgentRuntimeSettings;
}

export interface AgentRuntimeSettings {
  /** This program's version. */
  readonly version: string;
  /** The agent's namespace downstream. */
  readonly namespace: string;
  readonly podName: string;
  /** Where probes ask; undefined: nowhere. Port 0: one that is free. */
  readonly health?: { readonly host: string; readonly port: number };
  /** Between two reads of the cluster. Default 30 s. */
  readonly factsPeriodMs?: number;
  /** The longest time without a report, whatever happens. Default 30 min. */
  readonly longestSilenceMs?: number;
}
