import type { JoinProtocol } from "../join/join.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import type { TokenSubject } from "../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { planChildren, planChildrenOf } from "../planning/plan-member.ts";
import { tellTokenTurn } from "./events.ts";
import { executeChanges } from "./execute-changes.ts";
import type { HubContext } from "./hub-context.ts";
import { executeContextOf, throwFirstFailure, writeStatus } from "./hub-context.ts";
import { mintAndDeliver } from "./mint-credential.ts";
import { refusalOfToken } from "./sole-names.ts";

/** A token whose name is taken looks again after this. */
const takenNameRetryMs = 30_000;

/**
 * Brings a ClusterRegistrationToken to what it says: account, rights, credential, Secret with the values; and all of it
 * away when the token has ended or is gone. Returns milliseconds after which to look again.
 */
export async function reconcileToken(
  context: HubContext,
  target: { readonly workspace: string; readonly name: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { workspace, name } = target;
  const { view } = context;
  const subject = view.tokenOf(workspace, name);
  if (!subject) {
    const children = view.childrenOf(labelKeys.token, workspace, name);
    const ownedTypes = [...context.protocols.values()].flatMap((protocol) => protocol.ownedTypes);
    const { changes } = planChildren({ desired: [], children, ownedTypes });
    throwFirstFailure(await executeChanges(changes, executeContextOf(context, signal)), context.log);
    return undefined;
  }
  const protocol = context.protocols.get(subject.token.spec?.protocol ?? "rollcall");
  if (!protocol || subject.token.metadata.annotations?.[annotationKeys.reconcile] === "disabled") return undefined;
  const refusal = refusalOfToken(context, subject, wantedRefs(context, protocol, subject));
  if (refusal) {
    const refused = { ...subject, refusal };
    for (const write of protocol.tokenStatuses(refused, view.membersOf(workspace), context.hubFacts()))
      await writeStatus(context, write, signal);
    return takenNameRetryMs;
  }
  const current = (): TokenSubject => view.tokenOf(workspace, name) ?? subject;
  await keepTokenObjects(context, protocol, { subject, signal });
  for (const due of protocol.mintsDue({ kind: "token", subject: current() }, context.hubFacts())) {
    await mintAndDeliver(context, protocol, { subject: { kind: "token", subject: current() }, due, signal });
  }
  const before = subject.token.status?.conditions;
  for (const write of protocol.tokenStatuses(current(), view.membersOf(workspace), context.hubFacts()))
    await writeStatus(context, write, signal);
  const { token } = current();
  for (const event of tellTokenTurn(token, before, token.status?.conditions ?? [])) context.events?.note(event);
  const dueAtMs = protocol.dueAtMs({ kind: "token", subject: current() }, context.hubFacts());
  return dueAtMs === undefined ? undefined : Math.max(0, dueAtMs - context.clock.nowMs());
}

/** What the token needs, and the Secret of its own name that its values come into. */
function wantedRefs(context: HubContext, protocol: JoinProtocol, subject: TokenSubject): ObjectRef[] {
  const desired = protocol.desiredTokenObjects(subject, context.hubFacts());
  if (desired.length === 0) return [];
  const refs = desired.flatMap((object) => {
    const type = resourceTypeOf(object);
    return type === undefined ? [] : [refOf(type, object)];
  });
  return [...refs, { type: resourceTypes.secret, namespace: subject.workspace, name: subject.name }];
}

async function keepTokenObjects(
  context: HubContext,
  protocol: JoinProtocol,
  { subject, signal }: { readonly subject: TokenSubject; readonly signal: AbortSignal },
): Promise<void> {
  const { changes } = planChildrenOf(protocol, { kind: "token", subject }, context.hubFacts());
  throwFirstFailure(await executeChanges(changes, executeContextOf(context, signal)), context.log);
}
