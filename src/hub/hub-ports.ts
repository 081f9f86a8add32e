import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Entropy, JoinProtocol } from "../join/join.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { AgentRollout } from "../model/generated/agent-rollout.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { HubFacts, Member } from "../model/member.ts";
import type { ChildFights } from "./child-fights.ts";
import type { EventRecorder } from "./events.ts";
import type { HealthTimer } from "./health.ts";
import type { HubView } from "./hub-view.ts";

/**
 * What the hub's controllers reach the world by. No function takes all of it: each names the ports that it uses, as
 * `Pick<HubPorts, "view" | "log">`. Writes go through `createHubWriter`.
 */
export interface HubPorts {
  readonly hubApi: KubeApi;
  readonly view: HubView;
  readonly health: HealthTimer;
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
  readonly hubFacts: () => HubFacts;
  /** The limits of the agent rollout of a Repository, by the Repository's label. */
  readonly agentRollout: (repositoryLabel: string) => AgentRollout;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly events: Pick<EventRecorder, "record">;
  readonly childFights: ChildFights;
  /**
   * A client of a downstream cluster from the text of its kubeconfig.
   * @throws E_KUBECONFIG when it is malformed or not self-contained
   */
  readonly connectDownstream: (kubeconfig: string) => KubeApi;
  /**
   * Milliseconds for which the offboarding of a member waits, whose first step may run since `beganMs`: other tools use the
   * published objects of the cluster. 0: it does not wait.
   */
  readonly publishedHoldMs: (member: Pick<Member, "workspace" | "name" | "cluster">, beganMs: number) => number;
  /** See HealthTimer.answerWaitMs. */
  readonly answerWaitMs: () => number;
}
