import { isAppError } from "../core/errors.ts";
import { mapConcurrently } from "../core/map-concurrently.ts";
import { textAt } from "../core/read-json.ts";
import type { RegistrationDecision, RegistrationKind, RegistrationScene } from "../join/join.ts";
import type { MemberState } from "../model/member-state.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import type { Member, TokenSubject } from "../model/member.ts";
import type { Proposal } from "../model/proposal.ts";
import { isFromGit, isMadeByHand } from "../planning/edits-by-hand.ts";
import { grantRegistration } from "./grant-registration.ts";
import type { HoldMember } from "./grant-registration.ts";
import type { MemberIndex } from "../planning/member-index.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubWriter } from "./hub-writer.ts";
import { createHubWriter } from "./hub-writer.ts";
import { memberWithoutCluster, reconcileStateWithoutCluster } from "./state-without-cluster.ts";
import { removeFinalizers } from "./remove-finalizers.ts";
import { provisionalMembers } from "./provisional-members.ts";
import type { Granted } from "./provisional-members.ts";

/** Decisions whose writes are under way at the same time; members that were admitted need the hub, too. */
const writesAtOnce = 8;
/** After so many agents were admitted, the members are read anew: git, too, changes them. */
const mostGrantsAPass = 100;
/** After this number of refusals, newer requests are decided, and expired ones are deleted. */
const mostRefusalsAPass = 200;
/** Between two collections of requests that have served their time. */
const collectPeriodMs = 1000;
/** The same, while those that are left have time. */
const othersPeriodMs = 60_000;

export interface RegistrationsOptions {
  readonly onProposal: (proposal: Proposal) => void;
  readonly holdMember: HoldMember;
}

/** Decides the requests to join of one workspace. Returns milliseconds after which to requeue. */
export type ReconcileRegistrations = (workspace: string, signal: AbortSignal) => Promise<number | undefined>;

/** What was granted, as long as the state of it stays as it was written. */
interface Answered {
  readonly clusterName: string;
  readonly state: MemberState | undefined;
}

type Answer = Extract<RegistrationDecision, { kind: "refused" | "proposal" }>;

type RegistrationPorts = Pick<HubPorts, "hubApi" | "view" | "protocols" | "hubFacts" | "clock" | "log" | "events">;

interface RegistrationContext extends RegistrationsOptions {
  readonly ports: RegistrationPorts;
  /** By version of the request: it is not decided again until it or its member's state is written. */
  readonly answered: WeakMap<KubeObject, Answered>;
  /** By workspace and kind: when (monotonic ms) the next collection may be. */
  readonly collectAtMs: Map<string, number>;
}

/**
 * Requests are decided one after the other, oldest first, and each decision sees those before it, so that use counts and
 * first claims hold; only their writes overlap. To be called by one worker for each workspace.
 */
export function createRegistrations(ports: RegistrationPorts, options: RegistrationsOptions): ReconcileRegistrations {
  const context: RegistrationContext = { ...options, ports, answered: new WeakMap(), collectAtMs: new Map() };
  return async (workspace, signal) => {
    const place: Place = { workspace, signal, write: createHubWriter(ports, signal) };
    let recheckAfterMs: number | undefined;
    for (const { registrations: kind } of ports.protocols.values()) {
      await removeFinalizers({ ...place, log: ports.log }, heldBy(ports.view, kind, workspace));
      const decideAgainMs = await decideAll(context, kind, place);
      recheckAfterMs = sooner(recheckAfterMs, decideAgainMs);
      // A request that was not evaluated yet has no decision either, and its agent waits for one.
      if (decideAgainMs === 0) continue;
      recheckAfterMs = sooner(recheckAfterMs, await collect(context, kind, place));
    }
    return recheckAfterMs;
  };
}

interface Place {
  readonly workspace: string;
  readonly signal: AbortSignal;
  readonly write: HubWriter;
}

async function decideAll(
  context: RegistrationContext,
  kind: RegistrationKind,
  place: Place,
): Promise<number | undefined> {
  const { ports } = context;
  const { log } = ports;
  const { workspace, signal } = place;
  const open = inTurn(
    ports,
    kind,
    registrationsOf(context, kind, workspace)
      .filter((registration) => !kind.isDecided(registration) && !isAnswered(context, kind, registration))
      .sort(compareAge),
  );
  // Every change of a cluster runs this; only open requests justify what follows.
  if (open.length === 0) return undefined;
  const members = provisionalMembers(
    workspace,
    ports.view.membersOf(workspace),
    await membersWithoutCluster(ports, place),
  );
  const granting = new Map<string, Promise<void>>();
  const failures: Error[] = [];
  const postponed: (() => Promise<void>)[] = [];
  let grants = 0;
  let refusals = 0;
  let recheckAfterMs: number | undefined;
  await mapConcurrently(open, writesAtOnce, async (registration) => {
    signal.throwIfAborted();
    if (grants >= mostGrantsAPass || refusals >= mostRefusalsAPass) return;
    const decision = decideRegistration(ports, kind, { registration, members: members.index });
    if (decision.kind === "none") {
      recheckAfterMs = sooner(recheckAfterMs, decision.recheckAfterMs);
      return;
    }
    if (decision.kind !== "granted") {
      const reportResult = async (): Promise<void> => {
        if (await reportDecision(context, kind, { registration, decision, place })) refusals++;
      };
      // The refusal may depend on a registration that is being granted, and that may fail.
      if (granting.size > 0 || failures.length > 0) postponed.push(reportResult);
      else await reportResult();
      return;
    }
    grants++;
    members.letIn(decision);
    const { clusterName } = decision;
    const before = granting.get(clusterName);
    const grant = letIn(context, kind, { registration, decision, before, place });
    granting.set(clusterName, grant);
    try {
      await grant;
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error instanceof Error ? error : new Error("letting an agent in failed", { cause: error }));
    } finally {
      if (granting.get(clusterName) === grant) granting.delete(clusterName);
    }
  });
  const [failure, ...others] = failures;
  if (others.length > 0) log.warn("letting agents in failed", { workspace, error: others[0], agents: others.length });
  if (failure !== undefined) throw failure;
  await mapConcurrently(postponed, writesAtOnce, (reportResult) => reportResult());
  return grants >= mostGrantsAPass || refusals >= mostRefusalsAPass ? 0 : recheckAfterMs;
}

/** An admitted agent is a member even if its Cluster is missing, and cannot be made again now: no other agent gets its name. */
async function membersWithoutCluster(
  ports: RegistrationPorts,
  { workspace, signal }: Place,
): Promise<readonly Member[]> {
  const { view } = ports;
  const lost = view.statesWithoutCluster(workspace);
  for (const name of lost) {
    try {
      await reconcileStateWithoutCluster(ports, { workspace, name }, signal);
    } catch (error) {
      // A quota or a policy refuses it, which no other agent has to wait for. The members' controller tries again, and logs it.
      if (!isAppError(error, "E_KUBE_FORBIDDEN", "E_KUBE_INVALID")) throw error;
    }
  }
  if (lost.length === 0) return [];
  return view.statesWithoutCluster(workspace).flatMap((name) => memberWithoutCluster(view, { workspace, name }) ?? []);
}

/**
 * The oldest of each token, then the second of each, and so on: a flood by one token delays those of another by only
 * one request. All requests that name no token, or one that the sender does not hold, count as one token.
 */
function inTurn(ports: RegistrationPorts, kind: RegistrationKind, oldestFirst: readonly KubeObject[]): KubeObject[] {
  const counts = new Map<string, number>();
  const turns = oldestFirst.map((registration) => {
    const token = provenTokenOf(ports, kind, registration) ?? "";
    const turn = counts.get(token) ?? 0;
    counts.set(token, turn + 1);
    return { registration, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ registration }) => registration);
}

/** Those that are being deleted too: they wait for their finalizers. */
function heldBy(view: HubPorts["view"], kind: RegistrationKind, workspace: string): KubeObject[] {
  return view.list(kind.type).filter((object) => kind.workspaceOf(object) === workspace);
}

function registrationsOf(
  { ports: { view } }: RegistrationContext,
  kind: RegistrationKind,
  workspace: string,
): KubeObject[] {
  return view
    .list(kind.type)
    .filter((object) => kind.workspaceOf(object) === workspace && object.metadata.deletionTimestamp === undefined);
}

function isAnswered(
  { ports: { view }, answered }: RegistrationContext,
  kind: RegistrationKind,
  registration: KubeObject,
): boolean {
  const answer = answered.get(registration);
  if (answer?.state === undefined) return false;
  return view.memberStateOf(kind.workspaceOf(registration), answer.clusterName) === answer.state;
}

/** The decision on a request to join, from what the view shows; nothing is written. */
export function decideRegistration(
  ports: Pick<HubPorts, "view" | "hubFacts">,
  kind: RegistrationKind,
  { registration, members }: { readonly registration: KubeObject; readonly members: MemberIndex },
): RegistrationDecision {
  const decision = kind.decide(registration, sceneOf(ports, kind, registration, members), ports.hubFacts());
  // A Cluster that no file declares admits no agent, and keeps its name.
  const claimed = decision.kind === "granted" ? members.named(decision.clusterName) : undefined;
  return claimed !== undefined && isMadeByHand(claimed) ? { kind: "none" } : decision;
}

/** The token that the sender of a request holds. */
function provenTokenOf(ports: RegistrationPorts, kind: RegistrationKind, registration: KubeObject): string | undefined {
  const isProven = kind.isProven(registration, sceneOf(ports, kind, registration), ports.hubFacts());
  return isProven ? kind.tokenNameOf(registration) : undefined;
}

/** What decides on a request. Default: the members that the view shows. */
function sceneOf(
  ports: Pick<HubPorts, "view">,
  kind: RegistrationKind,
  registration: KubeObject,
  members?: MemberIndex,
): RegistrationScene {
  const { view } = ports;
  const workspace = kind.workspaceOf(registration);
  const token = tokenOf(ports, kind, registration);
  return {
    ...(token ? { token } : {}),
    members: members ?? view.membersOf(workspace),
    tokens: () => view.tokensOf(workspace).filter((subject) => isFromGit(subject.token)),
    unowned: (type) => view.unownedOf(type, workspace),
  };
}

function tokenOf(
  ports: Pick<HubPorts, "view">,
  kind: RegistrationKind,
  registration: KubeObject,
): TokenSubject | undefined {
  const tokenName = kind.tokenNameOf(registration);
  if (tokenName === undefined) return undefined;
  const subject = ports.view.tokenOf(kind.workspaceOf(registration), tokenName);
  return subject !== undefined && isFromGit(subject.token) ? subject : undefined;
}

async function letIn(
  { ports, answered, holdMember }: RegistrationContext,
  kind: RegistrationKind,
  options: {
    readonly registration: KubeObject;
    readonly decision: Granted;
    /** Another grant of the same member, which this one was decided after. */
    readonly before: Promise<void> | undefined;
    readonly place: Place;
  },
): Promise<void> {
  const { registration, decision, before, place } = options;
  const { workspace, write } = place;
  const { clusterName } = decision;
  await before;
  await grantRegistration(write, decision, {
    workspace,
    token: tokenOf(ports, kind, registration),
    holdMember,
  });
  answered.set(registration, { clusterName, state: ports.view.memberStateOf(workspace, clusterName) });
  ports.log.info("registration granted", {
    registration: `${workspace}/${registration.metadata.name}`,
    cluster: clusterName,
  });
}

/** Writes the decision; true when a new refusal was reported. */
async function reportDecision(
  { ports, onProposal }: RegistrationContext,
  kind: RegistrationKind,
  {
    registration,
    decision,
    place,
  }: { readonly registration: KubeObject; readonly decision: Answer; readonly place: Place },
): Promise<boolean> {
  const { name } = registration.metadata;
  const workspace = kind.workspaceOf(registration);
  const isNew = await place.write.applyStatus(decision.write);
  if (decision.kind === "proposal") {
    onProposal({ workspace, registration: name, cluster: decision.cluster });
    return false;
  }
  if (!isNew) return false;
  reportRefusal(ports, kind, { registration, decision });
  const { reason } = decision;
  ports.log.warn("registration refused", {
    registration: `${workspace}/${name}`,
    reason,
    message: messageOf(decision),
  });
  return true;
}

function messageOf({ message, write }: Extract<Answer, { kind: "refused" }>): string {
  return message ?? textAt(write.status, "message") ?? "The registration was refused.";
}

/** An object without namespace can have no Event in ours: then the Event is recorded on the token. */
function reportRefusal(
  ports: Pick<HubPorts, "view" | "events">,
  kind: RegistrationKind,
  {
    registration,
    decision,
  }: { readonly registration: KubeObject; readonly decision: Extract<Answer, { kind: "refused" }> },
): void {
  const isPlaced = registration.metadata.namespace !== undefined;
  const regarding = isPlaced ? registration : tokenOf(ports, kind, registration)?.token;
  if (regarding === undefined) return;
  const result = messageOf(decision);
  const message = isPlaced ? result : `${registration.metadata.name}: ${result}`;
  ports.events.record({ regarding, type: "Warning", reason: decision.reason, message });
}

/** Takes away what has served its time, once in a while. */
async function collect(
  context: RegistrationContext,
  kind: RegistrationKind,
  { workspace, write }: Place,
): Promise<number | undefined> {
  const { ports, collectAtMs } = context;
  const { view, clock } = ports;
  // Whom it admitted is not known of a namespace that is no workspace (any more): what was granted there stays.
  const registrations = registrationsOf(context, kind, workspace)
    .filter((registration) => view.isWorkspace(workspace) || !kind.isDecided(registration))
    .sort(compareAge);
  if (registrations.length === 0) return undefined;
  const key = `${kind.type.plural}.${kind.type.group} ${workspace}`;
  const waitMs = (collectAtMs.get(key) ?? 0) - clock.monotonicMs();
  if (waitMs > 0) return waitMs;
  collectAtMs.set(key, clock.monotonicMs() + collectPeriodMs);
  const refs = kind.expired(registrations, view.membersOf(workspace), ports.hubFacts());
  const seen = new Map(registrations.map((object) => [describeRef(refOf(kind.type, object)), object.metadata]));
  await mapConcurrently(refs, writesAtOnce, async (ref) => {
    const { uid, resourceVersion } = seen.get(describeRef(ref)) ?? {};
    try {
      await write.delete(ref, { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) });
    } catch (error) {
      // Its agent has changed it, or asks anew: the watch brings it.
      if (!isAppError(error, "E_KUBE_CONFLICT")) throw error;
    }
  });
  // In a quiet workspace nothing else starts a collection when the time of the others is over.
  return refs.length < registrations.length ? othersPeriodMs : undefined;
}

function sooner(aMs: number | undefined, bMs: number | undefined): number | undefined {
  if (aMs === undefined || bMs === undefined) return aMs ?? bMs;
  return Math.min(aMs, bMs);
}

/** Oldest first. */
export function compareAge(a: KubeObject, b: KubeObject): number {
  const [left = "", right = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return left < right ? -1 : left > right ? 1 : a.metadata.name < b.metadata.name ? -1 : 1;
}
