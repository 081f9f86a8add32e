import { isAppError } from "../core/errors.ts";
import { mapConcurrently } from "../core/map-concurrently.ts";
import type { RegistrationKind } from "../join/join.ts";
import type { MemberState } from "../model/member-state.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import type { Proposal } from "../model/proposal.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import type { CollectRegistrations } from "./collect-registrations.ts";
import { createCollection, writesAtOnce } from "./collect-registrations.ts";
import { decideRegistration, registrationTokenOf } from "./decide-registration.ts";
import { grantRegistration } from "./grant-registration.ts";
import type { HoldMember } from "./grant-registration.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubWriter } from "./hub-writer.ts";
import { createHubWriter } from "./hub-writer.ts";
import { allRegistrations, compareAge, inTurn, liveRegistrations } from "./list-registrations.ts";
import { memberWithoutCluster, reconcileStateWithoutCluster } from "./state-without-cluster.ts";
import { removeFinalizers } from "./remove-finalizers.ts";
import type { Reported } from "./report-registration.ts";
import { reportRegistration } from "./report-registration.ts";
import { provisionalMembers } from "./provisional-members.ts";
import type { Granted } from "./provisional-members.ts";

/** After so many agents were admitted, the members are read anew: git, too, changes them. */
const mostGrantsAPass = 100;
/** After this number of refusals, newer requests are decided, and expired ones are deleted. */
const mostRefusalsAPass = 200;

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

type RegistrationPorts = Pick<HubPorts, "hubApi" | "view" | "protocols" | "hubFacts" | "clock" | "log" | "events">;

interface RegistrationContext extends RegistrationsOptions {
  readonly ports: RegistrationPorts;
  /** By version of the request: it is not decided again until it or its member's state is written, or its cluster revoked. */
  readonly answered: WeakMap<KubeObject, Answered>;
  readonly collect: CollectRegistrations;
}

/**
 * Requests are decided one after the other, oldest first, and each decision sees those before it, so that use counts and
 * first claims hold; only their writes overlap. To be called by one worker for each workspace.
 */
export function createRegistrations(ports: RegistrationPorts, options: RegistrationsOptions): ReconcileRegistrations {
  const context: RegistrationContext = { ...options, ports, answered: new WeakMap(), collect: createCollection(ports) };
  return async (workspace, signal) => {
    const place: Place = { workspace, signal, write: createHubWriter(ports, signal) };
    let recheckAfterMs: number | undefined;
    const failures: Error[] = [];
    for (const { registrations: kind } of ports.protocols.values()) {
      try {
        recheckAfterMs = sooner(recheckAfterMs, await reconcileKind(context, kind, place));
      } catch (error) {
        signal.throwIfAborted();
        // The agents of other kinds do not wait for it.
        failures.push(asError(error));
      }
    }
    throwFirst(failures, context, place);
    return recheckAfterMs;
  };
}

async function reconcileKind(
  context: RegistrationContext,
  kind: RegistrationKind,
  place: Place,
): Promise<number | undefined> {
  const { view, log } = context.ports;
  await removeFinalizers({ ...place, log }, allRegistrations(view, kind, place.workspace));
  let decideAgainMs: number | undefined;
  try {
    decideAgainMs = await decideAll(context, kind, place);
  } catch (error) {
    place.signal.throwIfAborted();
    // One that can never be granted must not keep those that have served their time.
    await context.collect(kind, place);
    throw error;
  }
  // A request that was not evaluated yet has no decision either, and its agent waits for one.
  return decideAgainMs === 0 ? 0 : sooner(decideAgainMs, await context.collect(kind, place));
}

function throwFirst([first, ...others]: readonly Error[], { ports }: RegistrationContext, { workspace }: Place): void {
  if (others.length > 0)
    ports.log.warn("deciding requests failed", { workspace, error: others[0], failures: others.length });
  if (first !== undefined) throw first;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error("deciding a request failed", { cause: error });
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
  const { workspace, signal } = place;
  const open = inTurn(
    ports,
    kind,
    liveRegistrations(ports.view, kind, workspace)
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
        if (await writeAnswer(context, kind, { registration, decision }, place)) refusals++;
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
      failures.push(asError(error));
    } finally {
      if (granting.get(clusterName) === grant) granting.delete(clusterName);
    }
  });
  throwFirst(failures, context, place);
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

function isAnswered(
  { ports: { view }, answered }: RegistrationContext,
  kind: RegistrationKind,
  registration: KubeObject,
): boolean {
  const answer = answered.get(registration);
  if (answer?.state === undefined) return false;
  const { clusterName: name, state } = answer;
  const namespace = kind.workspaceOf(registration);
  // The state of a suspended cluster stays as it is.
  const { annotations = {} } = view.get({ type: resourceTypes.cluster, namespace, name })?.metadata ?? {};
  return view.memberStateOf(namespace, name) === state && annotations[annotationKeys.revoked] === undefined;
}

/** True when a new refusal was reported. */
async function writeAnswer(
  { ports, onProposal }: RegistrationContext,
  kind: RegistrationKind,
  reported: Reported,
  { write }: Place,
): Promise<boolean> {
  const { registration, decision } = reported;
  const isNewRefusal = await reportRegistration(ports, kind, reported, write);
  if (decision.kind === "proposal") {
    const workspace = kind.workspaceOf(registration);
    onProposal({ workspace, registration: registration.metadata.name, cluster: decision.cluster });
  }
  return isNewRefusal;
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
    token: registrationTokenOf(ports, kind, registration),
    holdMember,
  });
  answered.set(registration, { clusterName, state: ports.view.memberStateOf(workspace, clusterName) });
  ports.log.info("registration granted", {
    registration: `${workspace}/${registration.metadata.name}`,
    cluster: clusterName,
  });
}

function sooner(aMs: number | undefined, bMs: number | undefined): number | undefined {
  if (aMs === undefined || bMs === undefined) return aMs ?? bMs;
  return Math.min(aMs, bMs);
}
