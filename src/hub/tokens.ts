import { isJsonObject } from "../core/json.ts";
import type { JoinProtocol, StatusWrite } from "../join/join.ts";
import { isSuspended } from "../model/is-suspended.ts";
import type { Condition, KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import type { HubFacts, TokenSubject } from "../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import type { PlannedChange } from "../model/plan.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import type { MemberIndex } from "../planning/member-index.ts";
import { isFromGit, refusalNotInGit } from "../planning/edits-by-hand.ts";
import { refusalNotServed } from "../planning/not-served.ts";
import { planChildren, planChildrenOf } from "../planning/plan-member.ts";
import { isTokenClosed, tokenEndMs } from "../planning/token-life.ts";
import { tokenStatus } from "../planning/token-status.ts";
import { tokenOwner } from "./child-fights.ts";
import { tokenTransitions } from "./events.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubWriter } from "./hub-writer.ts";
import { createHubWriter } from "./hub-writer.ts";
import { issueAndDeliver } from "./issue-credential.ts";
import { refusalOfToken } from "./exclusive-names.ts";

/** A token whose name is taken is requeued after this. */
const takenNameRetryMs = 30_000;

type TokenPorts = Pick<
  HubPorts,
  "hubApi" | "view" | "protocols" | "hubFacts" | "childFights" | "clock" | "entropy" | "log" | "events"
>;

/**
 * Reconciles a ClusterRegistrationToken: account, rights, credential, Secret with the values. Removes all of them when
 * the token has ended or is deleted. Returns milliseconds after which to requeue.
 */
export async function reconcileToken(
  ports: TokenPorts,
  target: { readonly workspace: string; readonly name: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { workspace, name } = target;
  const { view, hubFacts } = ports;
  const write = createHubWriter(ports, signal);
  const subject = view.tokenOf(workspace, name);
  if (!subject) {
    // A namespace that is no workspace (any more) is not watched: the token may be there.
    if (view.isWorkspace(workspace)) await removeTokenObjects(ports, write, { workspace, name });
    return undefined;
  }
  const protocol = ports.protocols.get(subject.token.spec?.protocol ?? "rollcall");
  // A suspension keeps no credential valid: what the token's end removes is removed.
  if (isSuspended(subject.token) && !isTokenClosed(subject, hubFacts())) {
    const endMs = tokenEndMs(subject, hubFacts());
    return endMs === undefined ? undefined : Math.max(0, endMs - ports.clock.nowMs());
  }
  if (!protocol) {
    await writeStatus(write, subject, notServedTokenStatus(subject, view.membersOf(workspace), hubFacts()));
    return undefined;
  }
  const startedAtMs = hubFacts().nowMs;
  const isDeclared = isFromGit(subject.token);
  if (!isDeclared) await removeTokenObjects(ports, write, { workspace, name });
  const refusal = isDeclared
    ? refusalOfToken(ports, subject, wantedRefs(protocol, subject, hubFacts()))
    : refusalNotInGit(subject.token);
  if (refusal) {
    const refused = { ...subject, refusal };
    for (const status of protocol.tokenStatuses(refused, view.membersOf(workspace), hubFacts()))
      await writeStatus(write, refused, status);
    const { token } = view.tokenOf(workspace, name) ?? subject;
    for (const event of tokenTransitions(token, subject.token.status?.conditions, token.status?.conditions ?? []))
      ports.events.record(event);
    return takenNameRetryMs;
  }
  const scope = { protocol, write, signal, current: (): TokenSubject => view.tokenOf(workspace, name) ?? subject };
  await applyTokenObjects(ports, scope);
  await issueTokenCredentials(ports, scope);
  await writeTokenStatuses(ports, scope, subject.token.status?.conditions);
  // A moment that came during the pass is due: what it changes may have been decided before it.
  const facts = { ...hubFacts(), nowMs: startedAtMs };
  const dueAtMs = protocol.dueAtMs({ kind: "token", subject: scope.current() }, facts);
  const dueInMs = dueAtMs === undefined ? undefined : Math.max(0, dueAtMs - ports.clock.nowMs());
  const fightInMs = ports.childFights.nextInMs(tokenOwner(workspace, name));
  if (dueInMs === undefined || fightInMs === undefined) return dueInMs ?? fightInMs;
  return Math.min(dueInMs, fightInMs);
}

interface TokenScope {
  readonly protocol: JoinProtocol;
  readonly write: HubWriter;
  readonly signal: AbortSignal;
  /** The token as the view shows it now. */
  readonly current: () => TokenSubject;
}

/** A field that another writer keeps changing is reverted at once, or a second after the previous revert. */
async function applyTokenObjects(
  { view, hubFacts, childFights }: TokenPorts,
  { protocol, write, current }: TokenScope,
): Promise<void> {
  const subject = current();
  const owner = tokenOwner(subject.workspace, subject.name);
  const planned = planChildrenOf(protocol, { kind: "token", subject }, hubFacts());
  const changes = planned.changes.filter((change) => !childFights.isHeld(owner, change));
  const done = changes.map((change) => ({ change, before: view.get(change.ref) }));
  await write.execute(changes);
  childFights.record(owner, done);
}

/** Values that another writer keeps changing are issued anew as other objects are reverted. */
async function issueTokenCredentials(
  ports: TokenPorts,
  { protocol, write, signal, current }: TokenScope,
): Promise<void> {
  const { view, hubFacts, childFights } = ports;
  for (const due of protocol.credentialsDue({ kind: "token", subject: current() }, hubFacts())) {
    const subject = current();
    const owner = tokenOwner(subject.workspace, subject.name);
    const change = changeOfValues(subject);
    const before = view.get(change.ref);
    if (childFights.isHeld(owner, change)) continue;
    const isIssued = await issueAndDeliver({ ...ports, write }, protocol, {
      subject: { kind: "token", subject },
      due,
      signal,
    });
    if (isIssued && isDataOfOther(before)) childFights.record(owner, [{ change, before }]);
  }
}

/** True when another manager has put data into the Secret: without that, values are issued anew for a reason of the hub. */
function isDataOfOther(secret: KubeObject | undefined): boolean {
  return (secret?.metadata.managedFields ?? []).some(
    ({ manager, fieldsV1 }) => manager !== fieldManagers.hub && isJsonObject(fieldsV1) && "f:data" in fieldsV1,
  );
}

/** The values differ with each issue: what is the same is that they are issued. */
function changeOfValues({ workspace: namespace, name }: TokenSubject): PlannedChange {
  const ref = { type: resourceTypes.secret, namespace, name };
  const object = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace } };
  return {
    kind: "update",
    ref,
    object,
    manager: fieldManagers.hub,
    fields: [{ path: "data.values", from: "", to: "" }],
  };
}

async function writeTokenStatuses(
  { view, hubFacts, childFights, events }: TokenPorts,
  { protocol, write, current }: TokenScope,
  before: readonly Condition[] | undefined,
): Promise<void> {
  const { workspace, name } = current();
  const message = childFights.describe(tokenOwner(workspace, name));
  const fight = message === undefined ? {} : { fight: { reason: "FieldFight", message } };
  const subject = { ...current(), ...fight };
  for (const status of protocol.tokenStatuses(subject, view.membersOf(workspace), hubFacts()))
    await writeStatus(write, subject, status);
  const { token } = current();
  for (const event of tokenTransitions(token, before, token.status?.conditions ?? [])) events.record(event);
  if (message !== undefined) events.record({ regarding: token, type: "Warning", reason: "FieldFight", message });
}

/**
 * The status of a token counts how often it was used, also by clusters that have left: a replica that took over with a late view
 * would count uses back. The objects of other protocols have no such memory.
 */
async function writeStatus(
  write: Pick<HubWriter, "applyStatus">,
  { token }: TokenSubject,
  status: StatusWrite,
): Promise<void> {
  const isOwn = status.ref.type === resourceTypes.clusterRegistrationToken;
  await write.applyStatus(status, isOwn ? token : undefined);
}

/** Of a token whose protocol the daemon does not serve. */
function notServedTokenStatus(subject: TokenSubject, members: MemberIndex, hub: HubFacts): StatusWrite {
  const { workspace: namespace, name, token } = subject;
  const refusal = isFromGit(token) ? refusalNotServed(token.spec?.protocol ?? "rollcall") : refusalNotInGit(token);
  const values = { hasSecret: false, isComplete: false };
  const status = { ...tokenStatus({ subject: { ...subject, refusal }, members, hub, values }) };
  return { ref: { type: resourceTypes.clusterRegistrationToken, namespace, name }, status };
}

async function removeTokenObjects(
  { view, protocols }: Pick<HubPorts, "view" | "protocols">,
  write: HubWriter,
  { workspace, name }: { readonly workspace: string; readonly name: string },
): Promise<void> {
  const children = view.childrenOf(labelKeys.token, workspace, name);
  const ownedTypes = [...protocols.values()].flatMap((protocol) => protocol.ownedTypes);
  await write.execute(planChildren({ desired: [], children, ownedTypes }).changes);
}

/** What the token needs, and the Secret of its own name that its values come into. */
function wantedRefs(protocol: JoinProtocol, subject: TokenSubject, hub: HubFacts): ObjectRef[] {
  const desired = protocol.desiredTokenObjects(subject, hub);
  if (desired.length === 0) return [];
  const refs = desired.flatMap((object) => {
    const type = resourceTypeOf(object);
    return type === undefined ? [] : [refOf(type, object)];
  });
  return [...refs, { type: resourceTypes.secret, namespace: subject.workspace, name: subject.name }];
}
