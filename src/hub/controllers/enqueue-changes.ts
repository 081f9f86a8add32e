import { BoundedCache } from "../../core/bounded-cache.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { RateBudget } from "../../core/rate-budget.ts";
import { fullBudget, spendOne } from "../../core/rate-budget.ts";
import type { RegistrationKind } from "../../join/join.ts";
import type { ClusterName } from "../../model/member-state.ts";
import { memberStateName } from "../../model/member-state.ts";
import type { KubeObject, ResourceType } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../model/well-known.ts";
import { writtenByAgents } from "../forget-large-sets.ts";
import type { HubPorts } from "../hub-ports.ts";
import type { ViewChange } from "../hub-view.ts";
import { recordHeartbeat } from "../record-heartbeat.ts";
import type { SecretUsers } from "../secret-users.ts";
import { secretUsers } from "../secret-users.ts";

/** Between the status that an agent was admitted and the next collection of expired requests. */
const collectAfterMs = 1000;
/** The status of a token counts its uses; decisions use the states themselves. */
const countUsesAfterMs = 1000;
const groupsAfterMs = 200;
/**
 * Changes of reports and statuses by which their member is reconciled at once: what its agent writes, and what the hub writes for
 * that. Nothing else bounds how often an agent writes, and each pass may write as much as the agent did.
 */
const reportChanges = { burst: 60, ratePerSecond: 1 / 5 };
/** Members whose changes are counted; the one that had none for longest is counted anew. */
const mostMembers = 16_384;

/** Where keys go; each is part of a WorkQueue. Keys: `workspace/name`; of registrations and groups the workspace. */
export interface KeyQueues {
  readonly members: { add(key: string): void; addAfter(key: string, delayMs: number): void };
  readonly tokens: { add(key: string): void; addAfter(key: string, delayMs: number): void };
  readonly registrations: { add(key: string): void; addAfter(key: string, delayMs: number): void };
  readonly groups: { add(key: string): void; addAfter(key: string, delayMs: number): void };
}

export interface ChangeRouter {
  /** Enqueues what depends on a changed object. */
  onChange(change: ViewChange): void;
  /** Enqueues everything. */
  enqueueAll(): void;
}

type RouterPorts = Pick<HubPorts, "view" | "protocols" | "health" | "clock">;

interface Router {
  readonly ports: RouterPorts;
  readonly queues: KeyQueues;
  readonly registrationKinds: ReadonlyMap<ResourceType, RegistrationKind>;
  /** `workspace/registration` -> `workspace/member` that it was granted as, and back. */
  readonly memberByRegistration: Map<string, string>;
  readonly registrationByMember: Map<string, string>;
  readonly named: SecretUsers;
  /** Kinds of other projects. */
  readonly foreignTypes: ReadonlySet<ResourceType>;
  /** By member: what is left of `reportChanges`. */
  readonly budgets: BoundedCache<string, RateBudget>;
}

/** Decides by each change of the view which keys to reconcile. */
export function createChangeRouter(ports: RouterPorts, queues: KeyQueues): ChangeRouter {
  const protocols = [...ports.protocols.values()];
  const byHeartbeatType = new Map(protocols.map((protocol) => [protocol.heartbeatType, protocol]));
  const router: Router = {
    ports,
    queues,
    registrationKinds: new Map(protocols.map(({ registrations: kind }) => [kind.type, kind])),
    memberByRegistration: new Map(),
    registrationByMember: new Map(),
    foreignTypes: new Set(protocols.flatMap(({ observedTypes }) => observedTypes)),
    budgets: new BoundedCache({ limit: mostMembers }),
    named: secretUsers(ports.view.list(resourceTypes.cluster), (cluster) => {
      const { kubeConfigSecretRef, protocol = "rollcall" } = cluster.spec ?? {};
      const ofProtocol = ports.protocols.get(protocol)?.namedSecrets(cluster) ?? [];
      return kubeConfigSecretRef === undefined ? ofProtocol : [kubeConfigSecretRef.name, ...ofProtocol];
    }),
  };
  return {
    onChange: (change) => {
      // A heartbeat is one small write: it is passed to the health timer and enqueues nothing.
      const isOnlyHeartbeat =
        byHeartbeatType.get(change.ref.type)?.isOnlyHeartbeat(change.before, change.object) === true;
      if (isOnlyHeartbeat) passHeartbeat(ports, change);
      else if (change.ref.type === resourceTypes.cluster) enqueueCluster(router, change);
      else enqueueOther(router, change);
    },
    enqueueAll: () => enqueueAll(router),
  };
}

function passHeartbeat({ view, protocols, health }: RouterPorts, { ref, object, before }: ViewChange): void {
  const seen = object ?? before;
  for (const { label, workspace, name } of seen ? view.ownersOf(ref, seen) : []) {
    const member = label === labelKeys.cluster ? view.memberOf(workspace, name) : undefined;
    const protocol = protocols.get(member?.cluster.spec?.protocol ?? "rollcall");
    if (member && protocol) recordHeartbeat(health, protocol, member);
  }
}

function enqueueCluster(router: Router, change: ViewChange): void {
  const { ref, object, before } = change;
  const { groups, registrations } = router.queues;
  const workspace = ref.namespace ?? "";
  router.named.record(before, object);
  const member = { workspace, name: ref.name };
  enqueueMember(router, { ...member, before, delayMs: delayOf(router, member, change) });
  // The state was written before; a count of members counts this one only now.
  if (!before) followState(router, workspace, ref.name);
  groups.addAfter(workspace, groupsAfterMs);
  // No decision depends on a status; but the request of an admitted agent has expired.
  if (isStatusOnly(change)) registrations.addAfter(workspace, collectAfterMs);
  else registrations.add(workspace);
}

function enqueueOther(router: Router, change: ViewChange): void {
  const { queues, named } = router;
  const { ref } = change;
  const workspace = ref.namespace ?? "";
  if (ref.type === resourceTypes.clusterRegistrationToken) {
    queues.tokens.add(`${workspace}/${ref.name}`);
    if (!isStatusOnly(change)) queues.registrations.add(workspace);
  }
  if (ref.type === resourceTypes.clusterGroup) queues.groups.add(workspace);
  enqueueRegistration(router, change);
  if (ref.type === resourceTypes.secret) {
    for (const name of named.of(workspace, ref.name)) queues.members.add(`${workspace}/${name}`);
  }
  enqueueOwners(router, change);
}

function enqueueRegistration(
  { queues, registrationKinds, memberByRegistration }: Router,
  { ref, object, before }: ViewChange,
): void {
  const kind = registrationKinds.get(ref.type);
  if (kind === undefined) return;
  for (const seen of [object, before]) {
    if (seen === undefined) continue;
    const asked = kind.workspaceOf(seen);
    queues.registrations.add(asked);
    const member = memberByRegistration.get(`${asked}/${ref.name}`);
    if (member !== undefined) queues.members.add(member);
  }
}

function enqueueOwners(router: Router, change: ViewChange): void {
  const { queues, ports } = router;
  const { ref, object, before } = change;
  const seenOwners = [object, before].flatMap((seen) => (seen ? ports.view.ownersOf(ref, seen) : []));
  const owners = [
    ...new Map(seenOwners.map((owner) => [`${owner.label} ${owner.workspace}/${owner.name}`, owner])).values(),
  ];
  // An agent may wait because a person created an object of its kind on the hub.
  if (owners.length === 0 && router.foreignTypes.has(ref.type)) queues.registrations.add(ref.namespace ?? "");
  for (const owner of owners) {
    if (owner.label === labelKeys.token) {
      queues.tokens.add(`${owner.workspace}/${owner.name}`);
      continue;
    }
    enqueueMember(router, { ...owner, delayMs: delayOf(router, owner, change) });
    if (ref.type !== resourceTypes.configMap || ref.name !== memberStateName(owner.name)) continue;
    followState(router, owner.workspace, owner.name);
    queues.registrations.add(ref.namespace ?? "");
  }
}

/** Milliseconds until the member is reconciled for this change: 0 but for an agent that changes what it writes without an end. */
function delayOf({ budgets, ports: { clock } }: Router, { workspace, name }: ClusterName, change: ViewChange): number {
  const {
    ref: { type },
    object,
    before,
  } = change;
  if (object === undefined || before === undefined) return 0;
  if (!writtenByAgents.has(type) && !isStatusOnly(change)) return 0;
  const nowMs = clock.monotonicMs();
  const key = `${workspace}/${name}`;
  const budget = budgets.get(key) ?? fullBudget(reportChanges, nowMs);
  budgets.set(key, budget);
  return spendOne(budget, nowMs);
}

/** A member, its successor and its predecessor. */
function enqueueMember(
  { ports: { view }, queues: { members } }: Router,
  {
    workspace,
    name,
    before,
    delayMs = 0,
  }: ClusterName & { readonly before?: KubeObject | undefined; readonly delayMs?: number },
): void {
  const enqueue = (key: string): void => (delayMs > 0 ? members.addAfter(key, delayMs) : members.add(key));
  enqueue(`${workspace}/${name}`);
  const cluster = view.get({ type: resourceTypes.cluster, namespace: workspace, name }) ?? before;
  const to = cluster?.metadata.annotations?.[annotationKeys.movedTo];
  if (to !== undefined) enqueue(to);
  const from = view.memberStateOf(workspace, name)?.movedFrom;
  if (from) enqueue(`${from.workspace}/${from.name}`);
}

/** Takes in by which registration and token a member joined, and forgets the registration before. */
function followState(router: Router, workspace: string, cluster: string): void {
  const { ports, queues, memberByRegistration, registrationByMember } = router;
  const member = `${workspace}/${cluster}`;
  const before = registrationByMember.get(member);
  if (before !== undefined && memberByRegistration.get(before) === member) memberByRegistration.delete(before);
  registrationByMember.delete(member);
  const join = ports.view.memberStateOf(workspace, cluster)?.join;
  if (!join) return;
  const registration = `${workspace}/${join.registration}`;
  memberByRegistration.set(registration, member);
  registrationByMember.set(member, registration);
  // The count of uses is the sum of many states: those that change together are counted together.
  if (join.token !== undefined) queues.tokens.addAfter(`${workspace}/${join.token}`, countUsesAfterMs);
}

function enqueueAll(router: Router): void {
  const { queues, registrationKinds } = router;
  const { view } = router.ports;
  for (const { metadata } of view.list(resourceTypes.cluster)) {
    queues.members.add(`${metadata.namespace}/${metadata.name}`);
    followState(router, metadata.namespace ?? "", metadata.name);
  }
  // Objects of members whose Cluster was deleted manually, too.
  for (const type of [resourceTypes.configMap, resourceTypes.serviceAccount, resourceTypes.secret]) {
    for (const { metadata } of view.list(type)) {
      const owner = metadata.labels?.[labelKeys.cluster];
      if (owner !== undefined && view.isWorkspace(metadata.namespace ?? ""))
        queues.members.add(`${metadata.namespace}/${owner}`);
    }
  }
  for (const { metadata } of view.list(resourceTypes.clusterRegistrationToken))
    queues.tokens.add(`${metadata.namespace}/${metadata.name}`);
  for (const workspace of view.workspaces) {
    queues.registrations.add(workspace);
    queues.groups.add(workspace);
  }
  for (const [type, kind] of registrationKinds)
    for (const registration of view.list(type)) queues.registrations.add(kind.workspaceOf(registration));
}

/** No decision about an agent depends on what the hub writes into a status. */
function isStatusOnly({ object, before }: ViewChange): boolean {
  if (!object || !before) return false;
  const { generation, labels, annotations, deletionTimestamp } = before.metadata;
  const after = object.metadata;
  return (
    object.metadata.uid === before.metadata.uid &&
    generation !== undefined &&
    generation === after.generation &&
    deletionTimestamp === after.deletionTimestamp &&
    isJsonEqual(labels, after.labels) &&
    isJsonEqual(annotations, after.annotations)
  );
}
