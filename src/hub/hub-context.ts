import type { Clock } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Entropy, JoinProtocol, StatusWrite } from "../join/join.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { ClusterMemory } from "../model/cluster-memory.ts";
import { memoryName, memoryObject } from "../model/cluster-memory.ts";
import type { AgentRollout } from "../model/generated/agent-rollout.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { apiVersionOf, describeRef } from "../model/kubernetes.ts";
import type { HubFacts, Member } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { originOf } from "../planning/member-origin.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import type { ChangeOutcome, ExecuteContext } from "./execute-changes.ts";
import type { EventRecorder } from "./events.ts";
import type { HealthTimer } from "./health.ts";
import type { HubView } from "./hub-view.ts";

/** What every controller of the hub works with. */
export interface HubContext {
  readonly hubApi: KubeApi;
  readonly view: HubView;
  readonly health: HealthTimer;
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
  readonly hubFacts: () => HubFacts;
  /** How a new version of the agent goes through the clusters of a Repository, by its label. Default: that of the schema. */
  readonly agentRollout?: (repositoryLabel: string) => AgentRollout;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  /** Where Events go; absent: nowhere. */
  readonly events?: Pick<EventRecorder, "note">;
  /**
   * A client of a downstream cluster from the text of its kubeconfig.
   * @throws E_KUBECONFIG when it is malformed or not self-contained
   */
  readonly connectDownstream: (kubeconfig: string) => KubeApi;
  /**
   * Milliseconds for which a leave whose first step may be taken since `beganMs` waits: other tools use what is published
   * of the cluster. 0: no longer. Default: nothing is published.
   */
  readonly publishedHoldMs?: (member: Pick<Member, "workspace" | "name" | "cluster">, beganMs: number) => number;
}

/** The newest view of a member; the one given, when it is gone meanwhile. */
export function currentMember({ view }: Pick<HubContext, "view">, member: Member): Member {
  return view.memberOf(member.workspace, member.name) ?? member;
}

export function executeContextOf(context: HubContext, signal: AbortSignal): ExecuteContext {
  const { hubApi, view } = context;
  return {
    hubApi,
    noteWritten: (type, object) => view.noteWritten(type, object),
    noteDeleted: (ref) => view.noteDeleted(ref),
    signal,
  };
}

/** Writes a status as rollcall-hub, unless the hub has it already. True when something was written. */
export async function writeStatus(context: HubContext, write: StatusWrite, signal: AbortSignal): Promise<boolean> {
  const { ref, status } = write;
  const live = context.view.get(ref);
  const object: KubeObject = {
    apiVersion: apiVersionOf(ref.type),
    kind: ref.type.kind,
    metadata: { name: ref.name, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) },
    status,
  };
  const manager = fieldManagers.hub;
  if (live && diffOwnedFields(object, live, { manager, subresource: "status" }).length === 0) return false;
  const written = await context.hubApi.apply(object, { fieldManager: manager, subresource: "status", signal });
  context.view.noteWritten(ref.type, written);
  return true;
}

/**
 * Writes a member's memory. The version that was read is the precondition, so that a stale leader cannot undo what a newer
 * one remembers (E_KUBE_CONFLICT: the key is worked on again).
 */
export async function writeMemory(
  context: HubContext,
  member: { readonly workspace: string; readonly name: string },
  memory: ClusterMemory,
  signal: AbortSignal,
): Promise<void> {
  const { workspace, name } = member;
  const type = resourceTypes.configMap;
  const live = context.view.get({ type, namespace: workspace, name: memoryName(name) });
  const object = memoryObject(workspace, name, memory);
  if (live && diffOwnedFields(object, live, { manager: fieldManagers.hub }).length === 0) return;
  const options = { fieldManager: fieldManagers.hub, signal };
  if (live?.metadata.resourceVersion !== undefined) object.metadata.resourceVersion = live.metadata.resourceVersion;
  context.view.noteWritten(type, await context.hubApi.apply(object, options));
}

/**
 * Makes the memory of a member that has none, with nothing but its origin. False when there is one already: whoever granted a registration at the
 * same time wrote who the member is, and an apply would overwrite that.
 */
export async function createMemory(
  context: Pick<HubContext, "hubApi" | "view">,
  member: Pick<Member, "workspace" | "name" | "cluster">,
  signal: AbortSignal,
): Promise<boolean> {
  const object = memoryObject(member.workspace, member.name, { origin: originOf(member.cluster) });
  try {
    const written = await context.hubApi.create(object, { fieldManager: fieldManagers.hub, signal });
    context.view.noteWritten(resourceTypes.configMap, written);
    return true;
  } catch (error) {
    if (isAppError(error, "E_KUBE_EXISTS")) return false;
    throw error;
  }
}

/** Throws the first failure; the rest is logged. */
export function throwFirstFailure(outcomes: readonly ChangeOutcome[], log: Log): void {
  const failed = outcomes.flatMap(({ change, error }) => (error ? [{ change, error }] : []));
  for (const { change, error } of failed.slice(1))
    log.warn("a write failed", { object: describeRef(change.ref), error });
  if (failed[0]) throw failed[0].error;
}
