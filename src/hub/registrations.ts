import { textAt } from "../core/read-json.ts";
import type { RegistrationDecision, RegistrationKind } from "../join/join.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Member, TokenSubject } from "../model/member.ts";
import type { Proposal } from "../model/proposal.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import { originOf } from "../planning/member-origin.ts";
import type { HubContext } from "./hub-context.ts";
import { writeMemory, writeStatus } from "./hub-context.ts";
import { orphansOf, reconcileOrphan } from "./orphans.ts";

/** Keeps everybody from working on a member until the function that it returns is called. */
export type HoldMember = (workspace: string, name: string) => () => void;

/**
 * Decides the requests to join of one workspace, one after the other: each decision sees what those before it wrote, so
 * that use counts and first claims hold. Returns milliseconds after which to look again.
 */
export async function reconcileRegistrations(
  context: HubContext,
  workspace: string,
  options: {
    readonly signal: AbortSignal;
    readonly onProposal: (proposal: Proposal) => void;
    readonly holdMember: HoldMember;
  },
): Promise<number | undefined> {
  let recheckAfterMs: number | undefined;
  for (const { registrations: kind } of context.protocols.values()) {
    if (kind === undefined) continue;
    const again = await reconcileKind(context, kind, { workspace, ...options });
    if (again !== undefined) recheckAfterMs = Math.min(again, recheckAfterMs ?? again);
  }
  return recheckAfterMs;
}

async function reconcileKind(
  context: HubContext,
  kind: RegistrationKind,
  options: {
    readonly workspace: string;
    readonly signal: AbortSignal;
    readonly onProposal: (proposal: Proposal) => void;
    readonly holdMember: HoldMember;
  },
): Promise<number | undefined> {
  const { view } = context;
  const { workspace } = options;
  const registrations = view
    .list(kind.type)
    .filter((object) => workspaceOf(kind, object) === workspace && object.metadata.deletionTimestamp === undefined)
    .sort((a, b) => compareAge(a, b));
  // Every change of a cluster asks; only requests make it worth looking at all members.
  if (registrations.length === 0) return undefined;
  // Whoever was let in is a member, also where its Cluster is missing: nobody else gets its name meanwhile.
  for (const name of orphansOf(view, workspace)) await reconcileOrphan(context, { workspace, name }, options.signal);
  let recheckAfterMs: number | undefined;
  const members = new Map(view.membersOf(workspace).map((member) => [member.name, member]));
  for (const registration of registrations) {
    options.signal.throwIfAborted();
    if (kind.isDecided(registration)) continue;
    const decision = decideRegistration(context, kind, { registration, members: [...members.values()] });
    const again = await carryOut(context, kind, { registration, decision, ...options });
    const granted = decision.kind === "granted" ? view.memberOf(workspace, decision.clusterName) : undefined;
    if (granted) members.set(granted.name, granted);
    if (again !== undefined) recheckAfterMs = Math.min(again, recheckAfterMs ?? again);
  }
  for (const ref of kind.collectable(registrations, [...members.values()], context.hubFacts())) {
    await context.hubApi.delete(ref, { signal: options.signal });
    view.noteDeleted(ref);
  }
  return recheckAfterMs;
}

/** The workspace that a request to join is for. Empty: it says none. */
export function workspaceOf(kind: RegistrationKind, registration: KubeObject): string {
  return kind.workspaceOf?.(registration) ?? registration.metadata.namespace ?? "";
}

/** The verdict on a request to join, from what the view shows; nothing is written. */
export function decideRegistration(
  context: Pick<HubContext, "view" | "hubFacts">,
  kind: RegistrationKind,
  { registration, members }: { readonly registration: KubeObject; readonly members: readonly Member[] },
): RegistrationDecision {
  const { view } = context;
  const workspace = workspaceOf(kind, registration);
  const token = tokenOf(context, kind, registration);
  const tokens = (): readonly TokenSubject[] => view.tokensOf(workspace);
  return kind.decide(registration, { ...(token ? { token } : {}), members, tokens }, context.hubFacts());
}

function tokenOf(
  context: Pick<HubContext, "view">,
  kind: RegistrationKind,
  registration: KubeObject,
): TokenSubject | undefined {
  const tokenName = kind.tokenNameOf(registration);
  return tokenName === undefined ? undefined : context.view.tokenOf(workspaceOf(kind, registration), tokenName);
}

async function carryOut(
  context: HubContext,
  kind: RegistrationKind,
  options: {
    readonly registration: KubeObject;
    readonly decision: RegistrationDecision;
    readonly signal: AbortSignal;
    readonly onProposal: (proposal: Proposal) => void;
    readonly holdMember: HoldMember;
  },
): Promise<number | undefined> {
  const { registration, decision, signal, onProposal, holdMember } = options;
  const { name } = registration.metadata;
  const workspace = workspaceOf(kind, registration);
  switch (decision.kind) {
    case "none":
      return decision.recheckAfterMs;
    case "refused":
      if (!(await writeStatus(context, decision.write, signal))) return undefined;
      tellRefusal(context, kind, { registration, decision });
      context.log.warn("registration refused", { registration: `${workspace}/${name}`, reason: decision.reason });
      return undefined;
    case "proposal":
      await writeStatus(context, decision.write, signal);
      onProposal({ workspace, registration: name, cluster: decision.cluster });
      return undefined;
    case "granted":
      await grant(context, decision, { workspace, token: tokenOf(context, kind, registration), signal, holdMember });
      context.log.info("registration granted", { registration: `${workspace}/${name}`, cluster: decision.clusterName });
      return undefined;
  }
}

/** An Event of what has no namespace could stand in none of ours: then it is told of the token. */
function tellRefusal(
  context: HubContext,
  kind: RegistrationKind,
  {
    registration,
    decision,
  }: {
    readonly registration: KubeObject;
    readonly decision: Extract<RegistrationDecision, { kind: "refused" }>;
  },
): void {
  const isPlaced = registration.metadata.namespace !== undefined;
  const regarding = isPlaced ? registration : tokenOf(context, kind, registration)?.token;
  if (regarding === undefined) return;
  const told = decision.message ?? textAt(decision.write.status, "message") ?? "The registration was refused.";
  const message = isPlaced ? told : `${registration.metadata.name}: ${told}`;
  context.events?.note({ regarding, type: "Warning", reason: decision.reason, message });
}

/**
 * Remembers who was let in, then makes its Cluster if there is none. In this order a crash between the two loses nothing:
 * the Cluster of a member that is remembered is made again.
 */
async function grant(
  context: HubContext,
  { clusterName: name, cluster, memory }: Extract<RegistrationDecision, { kind: "granted" }>,
  options: {
    readonly workspace: string;
    readonly token: TokenSubject | undefined;
    readonly signal: AbortSignal;
    readonly holdMember: HoldMember;
  },
): Promise<void> {
  const { workspace, token, signal, holdMember } = options;
  const object = cluster && newcomerOf(cluster, token);
  const origin = object ? originOf(object) : context.view.memoryOf(workspace, name)?.origin;
  // Seen between the two writes, the member would look like one whose Cluster was deleted by hand.
  const release = holdMember(workspace, name);
  try {
    await writeMemory(context, { workspace, name }, { ...(origin ? { origin } : {}), ...memory }, signal);
    if (!object) return;
    const written = await context.hubApi.apply(object, { fieldManager: fieldManagers.hub, signal });
    context.view.noteWritten(resourceTypes.cluster, written);
  } finally {
    release();
  }
}

/** A Cluster that came in by a token. It belongs to the token's repository and is never pruned, having no file. */
function newcomerOf(cluster: Cluster, token: TokenSubject | undefined): Cluster & KubeObject {
  const { metadata, spec } = cluster;
  const repository = token?.token.metadata.labels?.[labelKeys.repository];
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...metadata.labels, ...(repository === undefined ? {} : { [labelKeys.repository]: repository }) },
      ...(metadata.annotations ? { annotations: withoutSource(metadata.annotations) } : {}),
    },
    ...(spec ? { spec } : {}),
  };
}

function withoutSource(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== annotationKeys.sourceFile));
}

/** Oldest first. */
export function compareAge(a: KubeObject, b: KubeObject): number {
  const [left = "", right = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return left < right ? -1 : left > right ? 1 : a.metadata.name < b.metadata.name ? -1 : 1;
}
