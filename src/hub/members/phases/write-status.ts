import { isAppError } from "../../../core/errors.ts";
import type { StatusWrite } from "../../../join/join.ts";
import type { ClusterStatus } from "../../../model/generated/cluster.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { computeClusterStatus } from "../../../planning/cluster-status.ts";
import type { ClusterStatusInputs } from "../../../planning/cluster-status-inputs.ts";
import { reportTransitions } from "../../events.ts";
import type { HubPorts } from "../../hub-ports.ts";
import { readReportedFacts } from "../../reported-facts.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

type StatusPorts = Pick<HubPorts, "events" | "childFights"> & { readonly health: Pick<HubPorts["health"], "stateOf"> };
type ProtocolStatusPorts = Pick<HubPorts, "events"> & { readonly view: Pick<HubPorts["view"], "get"> };
/** What the status of a member contains besides what its objects show. */
type StatusExtras = Pick<ClusterStatusInputs, "install" | "refusal" | "failure" | "leave" | "isRevokedByOffboarding">;

/**
 * Writes the statuses of the objects of the protocol, then the status of the Cluster, also where the first fail: agents write
 * these objects, too, and can leave no room in them. A write that is refused is reported by the pass.
 */
export async function writeStatus(scope: MemberScope, ports: StatusPorts & ProtocolStatusPorts): Promise<PhaseResult> {
  const extras = scope.install ? { install: scope.install } : {};
  const status = clusterStatusOf(scope, ports, extras);
  const writes = scope.protocol.statusWrites(scope.member, scope.hub, status);
  let isWritten = false;
  try {
    isWritten = await writeProtocolStatuses(scope, ports, writes);
  } catch (error) {
    scope.signal.throwIfAborted();
    const isReported = isAppError(error, "E_KUBE_FORBIDDEN", "E_KUBE_INVALID");
    if (!isReported) await applyClusterStatus(scope, ports, status);
    throw error;
  }
  await applyClusterStatus(scope, ports, isWritten ? clusterStatusOf(scope, ports, extras) : status);
  return next;
}

/** Writes the statuses of the protocol's objects that differ, then reports their Events. True when one differed. */
export async function writeProtocolStatuses(
  { write }: Pick<MemberScope, "write">,
  { events, view }: ProtocolStatusPorts,
  writes: readonly StatusWrite[],
): Promise<boolean> {
  let isWritten = false;
  for (const { events: reported = [], ...status } of writes) {
    if (!(await write.applyStatus(status))) continue;
    isWritten = true;
    const regarding = view.get(status.ref);
    if (regarding) for (const event of reported) events.record({ regarding, ...event });
  }
  return isWritten;
}

/** The status of the Cluster as it should be now. */
export function clusterStatusOf(
  { member, hub, protocol, key }: Pick<MemberScope, "member" | "hub" | "protocol" | "key">,
  { health, childFights }: Pick<StatusPorts, "health" | "childFights">,
  extras: StatusExtras,
): ClusterStatus {
  const agentPeriodSeconds = protocol.agentPeriodSeconds(member);
  const fight = childFights.describe(key);
  return computeClusterStatus({
    member,
    hub,
    ...(agentPeriodSeconds === undefined ? {} : { agentPeriodSeconds }),
    facts: readReportedFacts(protocol, member, hub),
    heartbeat: health.stateOf(key),
    ...(fight === undefined ? {} : { fight: { reason: "FieldFight", message: fight } }),
    ...extras,
  });
}

/** Writes the status of the Cluster if it differs, and an Event for each condition that changed. */
export async function writeClusterStatus(scope: MemberScope, ports: StatusPorts, extras: StatusExtras): Promise<void> {
  await applyClusterStatus(scope, ports, clusterStatusOf(scope, ports, extras));
}

async function applyClusterStatus(
  scope: MemberScope,
  ports: Pick<StatusPorts, "events">,
  status: ClusterStatus,
): Promise<void> {
  const { cluster } = scope.member;
  const ref = { type: resourceTypes.cluster, namespace: scope.workspace, name: scope.name };
  if (!(await applyValidStatus(scope, { ref, status }, cluster))) return;
  for (const event of reportTransitions(cluster, cluster.status?.conditions, status.conditions ?? []))
    ports.events.record(event);
}

/** Fields of the status that hold what an agent reports. */
const reportedFields: ReadonlySet<string> = new Set<keyof ClusterStatus>([
  "agent",
  "kubernetesVersion",
  "platform",
  "nodes",
  "resources",
  "health",
  "apiServer",
  "properties",
]);

/**
 * Writes the status of the Cluster; where the API server takes it for invalid, without what the agent reports: no agent may
 * keep the hub from its conditions, or from an offboarding, by its report. True when it differed.
 */
export async function applyValidStatus(
  { write }: Pick<MemberScope, "write">,
  { ref, status }: StatusWrite,
  computedFrom: MemberScope["member"]["cluster"],
): Promise<boolean> {
  try {
    return await write.applyStatus({ ref, status }, computedFrom);
  } catch (error) {
    if (!isAppError(error, "E_KUBE_INVALID")) throw error;
    const own = Object.fromEntries(Object.entries(status).filter(([key]) => !reportedFields.has(key)));
    return write.applyStatus({ ref, status: own }, computedFrom);
  }
}
