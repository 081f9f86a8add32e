import { smallestOf } from "../core/extremes.ts";
import { describeError, isAppError } from "../core/errors.ts";
import { isJsonEqual } from "../core/json.ts";
import type { JoinProtocol } from "../join/join.ts";
import type { MemberOrigin } from "../model/cluster-memory.ts";
import type { ClusterStatus } from "../model/generated/cluster.ts";
import type { Member } from "../model/member.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import { computeClusterStatus, heartbeatOf } from "../planning/cluster-status.ts";
import type { InstallState, Refusal } from "../planning/cluster-status.ts";
import { findCondition } from "../planning/conditions.ts";
import { diffOwnedFields, isAppliedBy, ownedLabelKeys } from "../planning/owned-fields.ts";
import { originOf } from "../planning/member-origin.ts";
import { planChildrenOf } from "../planning/plan-member.ts";
import { tellTransitions } from "./events.ts";
import { executeChanges } from "./execute-changes.ts";
import type { HubContext } from "./hub-context.ts";
import {
  createMemory,
  currentMember as current,
  executeContextOf,
  throwFirstFailure,
  writeMemory,
  writeStatus,
} from "./hub-context.ts";
import { installRetryMsOf, issueAndInstall, keepRejoin } from "./install-member.ts";
import { reconcileLeave } from "./leave.ts";
import { releaseHolds } from "./leave-step.ts";
import { reconcileOrphan } from "./orphans.ts";
import { leaveFormerProtocol } from "./protocol-change.ts";
import { isOwnManager, writtenAtMs } from "./watched-time.ts";
import type { Newcomers } from "./newcomers.ts";
import { readReportedFacts } from "./reported-facts.ts";
import { finishMove, forgetFormer, heirOf, sendBack, takeOverMemory } from "./moves.ts";
import { refusalByName } from "./sole-names.ts";
import { stripHolds } from "./strip-holds.ts";

/** A member whose name is taken looks again after this. */
const takenNameRetryMs = 30_000;
/** Children that stand in other children: a namespace, and what is in it. */
const maxRounds = 2;
/**
 * An agent that was just let in reports in a moment: what there is to say of it until then is said with that, in one
 * write. One that does not come is told of after this time.
 */
const firstReportMs = 10_000;
/** A memory that is there and was not seen yet is awaited this long, unless the watch brings it before. */
const memoryRetryMs = 500;

/** What members are worked on with. */
export interface MembersContext extends HubContext {
  readonly newcomers: Pick<Newcomers, "holdBackMs">;
}

/**
 * Brings one member to what its Cluster says: children on the hub, credentials, the agent's installation, conditions.
 * Every step looks at what is there and may be repeated. Returns milliseconds after which to look again, if at all.
 */
export async function reconcileMember(
  context: MembersContext,
  target: { readonly workspace: string; readonly name: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return await bringMember(context, target, signal);
  } catch (error) {
    signal.throwIfAborted();
    await tellRefusal(context, target, { error, signal });
    throw error;
  }
}

/** A quota, a policy or a right that is missing: the queue tries again, and people see what to change. */
async function tellRefusal(
  context: HubContext,
  { workspace, name }: { readonly workspace: string; readonly name: string },
  { error, signal }: { readonly error: unknown; readonly signal: AbortSignal },
): Promise<void> {
  const member = context.view.memberOf(workspace, name);
  const protocol = context.protocols.get(member?.cluster.spec?.protocol ?? "rollcall");
  if (!member || !protocol || member.cluster.metadata.annotations?.[annotationKeys.leave] !== undefined) return;
  if (!isAppError(error, "E_KUBE_FORBIDDEN") && !isAppError(error, "E_KUBE_INVALID")) return;
  const failure = { reason: "WriteRefused", message: describeError(error).slice(0, 1024) };
  try {
    await writeClusterStatus(context, protocol, { member, install: undefined, failure, signal });
  } catch (cause) {
    // What was refused is thrown by the caller; that it cannot be shown either is worth a line.
    context.log.warn("a refused write cannot be shown", { cluster: `${workspace}/${name}`, error: cause });
  }
}

async function bringMember(
  context: MembersContext,
  target: { readonly workspace: string; readonly name: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { workspace, name } = target;
  const member = context.view.memberOf(workspace, name);
  if (!member) {
    // One that is remembered is made again, and goes on.
    if (!context.view.memoryOf(workspace, name)) context.health.forget(`${workspace}/${name}`);
    return reconcileOrphan(context, target, signal);
  }
  const annotations = member.cluster.metadata.annotations ?? {};
  const protocol = context.protocols.get(member.cluster.spec?.protocol ?? "rollcall");
  if (!protocol || annotations[annotationKeys.reconcile] === "disabled") return undefined;
  observeBeat(context, protocol, member);
  const partingMs = await leaveFormerProtocol(context, member, signal);
  if (partingMs !== undefined) return partingMs;
  return bringServed(context, protocol, { member: current(context, member), signal });
}

/** The same for a member that has parted from every other protocol. */
async function bringServed(
  context: MembersContext,
  protocol: JoinProtocol,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const annotations = member.cluster.metadata.annotations ?? {};
  if (annotations[annotationKeys.leave] !== undefined) {
    if (await sendBack(context, protocol, { member, signal })) return 0;
    return reconcileLeave(context, protocol, { member, signal });
  }

  if (heirOf(member) && (await finishMove(context, protocol, { member, signal }))) return undefined;
  if (await takeOverMemory(context, member, signal)) return 0;
  const refusal = refusalByName(context, protocol, member);
  if (refusal) {
    await writeClusterStatus(context, protocol, { member, install: undefined, refusal, signal });
    return takenNameRetryMs;
  }
  if (!member.memory && !(await createMemory(context, member, signal))) return memoryRetryMs;
  await forgetFormer(context, member, signal);
  await keepOrigin(context, current(context, member), signal);
  const rejoinDueMs = await keepRejoin(context, protocol, { member: current(context, member), signal });
  await keepHubLabels(context, member, signal);
  await stripHolds(context, member.children, signal);
  await keepChildren(context, protocol, { member, signal });
  await releaseHolds(context, protocol.formerHolds?.(current(context, member)) ?? [], signal);
  const install = await issueAndInstall(context, protocol, { member: current(context, member), signal });
  const seen = current(context, member);
  const reportsInMs = firstReportDueMs(context, protocol, seen);
  if (reportsInMs > 0 && install?.kind !== "failed") return reportsInMs;
  const isJoined = findCondition(seen.cluster.status?.conditions, "Joined")?.status === "True";
  if (!isJoined && protocol.factsOf(seen, context.hubFacts()).hasJoined) {
    const key = `${seen.workspace}/${seen.name}`;
    const heldBackMs = context.newcomers.holdBackMs(key);
    if (heldBackMs > 0) return heldBackMs;
    context.health.begin(key);
  }
  const status = clusterStatus(context, protocol, { member: seen, install });
  for (const write of protocol.statusWrites(seen, context.hubFacts(), status))
    await writeStatus(context, write, signal);
  await writeClusterStatus(context, protocol, { member: current(context, member), install, signal });
  // Credentials that are in use no more go at once, not at the next event.
  await keepChildren(context, protocol, { member, signal });
  const retryMs = installRetryMsOf(install);
  if (retryMs !== undefined) return retryMs;
  const dueAtMs = protocol.dueAtMs({ kind: "member", member: current(context, member) }, context.hubFacts());
  const dueMs = [dueAtMs, rejoinDueMs].filter((moment) => moment !== undefined);
  return dueMs.length === 0 ? undefined : Math.max(0, smallestOf(dueMs) - context.clock.nowMs());
}

/** Milliseconds for which the first report of an agent that was just let in may still come; 0 when it came or is late. */
function firstReportDueMs(context: HubContext, protocol: JoinProtocol, member: Member): number {
  const hub = context.hubFacts();
  const { join, credential } = member.memory ?? {};
  if (join === undefined || protocol.factsOf(member, hub).hasJoined) return 0;
  const passedMs = hub.nowMs - Date.parse(credential?.issuedAt ?? join.time);
  return passedMs < 0 ? 0 : Math.max(0, firstReportMs - passedMs);
}

/** Hands the member's newest beat to the health timer. */
export function observeBeat(context: HubContext, protocol: JoinProtocol, member: Member): void {
  const { periodSeconds, failureThreshold } = heartbeatOf(member.cluster, protocol.agentPeriodSeconds?.(member));
  const carrier = member.children.find((child) => protocol.beatOf(child) !== undefined);
  const marker = carrier && protocol.beatOf(carrier)?.marker;
  const written = (): number | undefined => carrier && writtenAtMs(carrier, isOwnManager);
  const windowMs = periodSeconds * failureThreshold * 1000;
  context.health.observe(`${member.workspace}/${member.name}`, windowMs, marker, written);
}

/** A Cluster that is deleted by hand is made again from what is remembered of it; a leave that was called back is forgotten. */
async function keepOrigin(context: HubContext, member: Member, signal: AbortSignal): Promise<void> {
  const origin = originOf(member.cluster);
  const { leave, ...memory } = member.memory ?? {};
  // What the hub made and nobody changed is remembered as it was made; the rest of its spec are defaults.
  const known = memory.origin;
  const isAsMade = known?.isDeclared === false && member.cluster.metadata.generation === 1;
  if (leave === undefined && isJsonEqual(known, isAsMade ? withSpecOf(known, origin) : origin)) return;
  await writeMemory(context, member, { ...memory, origin }, signal);
}

function withSpecOf({ spec }: MemberOrigin, { spec: _, ...origin }: MemberOrigin): MemberOrigin {
  return { ...origin, ...(spec === undefined ? {} : { spec }) };
}

/** Labels from token and agent belong to rollcall-hub, where no file or rule names the key. */
async function keepHubLabels(context: HubContext, member: Member, signal: AbortSignal): Promise<void> {
  const { cluster, memory } = member;
  const gitKeys = ownedLabelKeys(cluster, fieldManagers.git);
  const remembered = { ...memory?.labels?.agent, ...memory?.labels?.token };
  const labels = Object.fromEntries(Object.entries(remembered).filter(([key]) => !gitKeys.has(key)));
  const repository = cluster.metadata.labels?.[labelKeys.repository];
  if (!isAppliedBy(cluster, fieldManagers.git) && repository !== undefined) labels[labelKeys.repository] = repository;
  const type = resourceTypes.cluster;
  const object = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name: member.name,
      namespace: member.workspace,
      // An empty map would never be there, and so be written again and again.
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    },
    ...specOfNewcomer(cluster),
  };
  const isHubs = isAppliedBy(cluster, fieldManagers.hub);
  if (!isHubs && Object.keys(labels).length === 0) return;
  if (
    diffOwnedFields(object, cluster, { manager: fieldManagers.hub }).every(
      ({ path }) => !path.startsWith("metadata.labels"),
    )
  )
    return;
  context.view.noteWritten(type, await context.hubApi.apply(object, { fieldManager: fieldManagers.hub, signal }));
}

/** What the hub said of a cluster that came in without a file: an apply that left it out would take it away. */
function specOfNewcomer(cluster: Member["cluster"]): { spec?: Record<string, string> } {
  const { protocol = "rollcall", clientID } = cluster.spec ?? {};
  if (protocol === "rollcall" || isAppliedBy(cluster, fieldManagers.git)) return {};
  return { spec: { protocol, ...(clientID === undefined ? {} : { clientID }) } };
}

async function keepChildren(
  context: HubContext,
  protocol: JoinProtocol,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<void> {
  // What stands in a namespace that was just made is wanted only now.
  for (let round = 0; round < maxRounds; round++) {
    const seen = current(context, member);
    const { changes } = planChildrenOf(protocol, { kind: "member", member: seen }, context.hubFacts());
    if (changes.length === 0) return;
    throwFirstFailure(await executeChanges(changes, executeContextOf(context, signal)), context.log);
  }
}

interface ClusterStatusOptions {
  readonly member: Member;
  readonly install: InstallState | undefined;
  readonly refusal?: Refusal;
  readonly failure?: Refusal;
}

function clusterStatus(context: HubContext, protocol: JoinProtocol, options: ClusterStatusOptions): ClusterStatus {
  const { member, install, refusal, failure } = options;
  const hub = context.hubFacts();
  const agentPeriodSeconds = protocol.agentPeriodSeconds?.(member);
  return computeClusterStatus({
    member,
    hub,
    ...(agentPeriodSeconds === undefined ? {} : { agentPeriodSeconds }),
    facts: readReportedFacts(protocol, member, hub),
    beat: context.health.stateOf(`${member.workspace}/${member.name}`),
    ...(install ? { install } : {}),
    ...(refusal ? { refusal } : {}),
    ...(failure ? { failure } : {}),
  });
}

async function writeClusterStatus(
  context: HubContext,
  protocol: JoinProtocol,
  options: ClusterStatusOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { member, signal } = options;
  const status = clusterStatus(context, protocol, options);
  const ref = { type: resourceTypes.cluster, namespace: member.workspace, name: member.name };
  if (!(await writeStatus(context, { ref, status }, signal))) return;
  const before = member.cluster.status?.conditions;
  for (const event of tellTransitions(member.cluster, before, status.conditions ?? [])) context.events?.note(event);
}
