import type { JoinProtocol, StatusWrite } from "../join/join.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { isFromGit, refusalNotInGit } from "../planning/edits-by-hand.ts";
import { refusalNotServed } from "../planning/not-served.ts";
import { planChildren, planChildrenOf } from "../planning/plan-member.ts";
import { tokenStatus } from "../planning/token-status.ts";
import { tellTokenTurn } from "./events.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubWriter } from "./hub-writer.ts";
import { createHubWriter } from "./hub-writer.ts";
import { issueAndDeliver } from "./issue-credential.ts";
import { refusalOfToken } from "./exclusive-names.ts";

/** A token whose name is taken looks again after this. */
const takenNameRetryMs = 30_000;

type TokenPorts = Pick<HubPorts, "hubApi" | "view" | "protocols" | "hubFacts" | "clock" | "entropy" | "log" | "events">;

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
    await removeTokenObjects(ports, write, { workspace, name });
    return undefined;
  }
  const protocol = ports.protocols.get(subject.token.spec?.protocol ?? "rollcall");
  const { annotations = {} } = subject.token.metadata;
  // A suspension keeps no credential valid.
  const isSuspended = annotations[annotationKeys.reconcile] === "disabled" && !annotations[annotationKeys.revoked];
  if (isSuspended) return undefined;
  if (!protocol) {
    await write.applyStatus(notServedTokenStatus(subject, view.membersOf(workspace), hubFacts()));
    return undefined;
  }
  const isDeclared = isFromGit(subject.token);
  if (!isDeclared) await removeTokenObjects(ports, write, { workspace, name });
  const refusal = isDeclared
    ? refusalOfToken(ports, subject, wantedRefs(protocol, subject, hubFacts()))
    : refusalNotInGit(subject.token);
  if (refusal) {
    const refused = { ...subject, refusal };
    for (const status of protocol.tokenStatuses(refused, view.membersOf(workspace), hubFacts()))
      await write.applyStatus(status);
    return takenNameRetryMs;
  }
  const current = (): TokenSubject => view.tokenOf(workspace, name) ?? subject;
  await write.execute(planChildrenOf(protocol, { kind: "token", subject }, hubFacts()).changes);
  for (const due of protocol.credentialsDue({ kind: "token", subject: current() }, hubFacts())) {
    await issueAndDeliver({ ...ports, write }, protocol, {
      subject: { kind: "token", subject: current() },
      due,
      signal,
    });
  }
  const before = subject.token.status?.conditions;
  for (const status of protocol.tokenStatuses(current(), view.membersOf(workspace), hubFacts()))
    await write.applyStatus(status);
  const { token } = current();
  for (const event of tellTokenTurn(token, before, token.status?.conditions ?? [])) ports.events.note(event);
  const dueAtMs = protocol.dueAtMs({ kind: "token", subject: current() }, hubFacts());
  return dueAtMs === undefined ? undefined : Math.max(0, dueAtMs - ports.clock.nowMs());
}

/** Of a token whose protocol the daemon does not serve. */
function notServedTokenStatus(subject: TokenSubject, members: readonly Member[], hub: HubFacts): StatusWrite {
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
