// hub/rehearsal: runs the hub's controllers on a hub in memory, so that a plan shows their work. They are the real
// controllers: no decision is made here.
import { appendAll } from "../../core/append-all.ts";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import type { Entropy, JoinProtocol } from "../../join/join.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { ClusterName } from "../../model/member-state.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { ClusterRegistrationToken } from "../../model/generated/cluster-registration-token.ts";
import type { ProtocolName } from "../../model/generated/protocol.ts";
import type { KubeObject, ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import type { HubFacts } from "../../model/member.ts";
import type { HubWork, HubWorkPlan, PlannedChange } from "../../model/plan.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../model/well-known.ts";
import { describeServing } from "../../planning/not-served.ts";
import { executeChanges } from "../execute-changes.ts";
import { HealthTimer } from "../health.ts";
import { HubView } from "../hub-view.ts";
import { watchedTypes } from "../watched-types.ts";
import type { MemberPorts } from "../members/member-scope.ts";
import { reconcileMember } from "../controllers/reconcile-member.ts";
import { outsideTypesOf } from "../outside-types.ts";
import { reconcileToken } from "../tokens.ts";
import { usersOf } from "./objects-around.ts";
import type { RehearsalNotes } from "./rehearsed-protocol.ts";
import { rehearsedProtocols } from "./rehearsed-protocol.ts";
import type { SimulatedHub, SimulatedWrite } from "./simulated-hub.ts";
import { createSimulatedHub } from "./simulated-hub.ts";

export interface RehearsalInputs {
  /** What the hub holds now, as far as the controllers read it, its workspaces among it. */
  readonly objects: Iterable<KubeObject>;
  /** What else exists on the hub under a name. Default: nothing. */
  readonly base?: (ref: ObjectRef) => KubeObject | undefined;
  readonly changes: readonly PlannedChange[];
  /** Those that the daemon serves. */
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
  /** False: which foreign protocols it serves is not known. */
  readonly isServingKnown: boolean;
  /** False: Secrets of people may be on the hub although they are not among the objects. */
  readonly areSecretsKnown: boolean;
  readonly hubFacts: HubFacts;
  /** Whether a kubeconfig of a cluster can be read. Default: every one can. */
  readonly checkKubeconfig?: (kubeconfig: string) => void;
  readonly isAllowedWorkspace: (name: string) => boolean;
  /** Awaited between two changes, so that other work of the process continues. Default: nothing is awaited. */
  readonly pause?: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** In the name of an object, in place of a uid that only the hub knows. */
const uidPlaceholder = "<uid>";
/** Of an object that is only planned (`plannedUid`), or only on record (`recordedUid`). */
const unknownUid = /(?:planned|recorded)_\d+/u;

/** An offboarding that needs more turns than this is a defect; its work until then is reported. */
const mostTurns = 40;
/** A change may enqueue others once more: a successor, and the cluster that it replaces. */
const rounds = 2;

/**
 * What the hub's controllers do after these changes, by the name of the changed object: the objects that they create,
 * update and delete, the credentials that they issue, the offboarding steps. What they would do without the changes is
 * left out. Agents are taken to answer what they are asked, and clusters to be reachable by their kubeconfigs.
 */
export async function rehearseChanges(inputs: RehearsalInputs): Promise<HubWorkPlan> {
  const { changes, signal, hubFacts } = inputs;
  const clock = createSimulatedClock(hubFacts.nowMs);
  const hub = createSimulatedHub(inputs.objects, () => clock.nowMs(), inputs.base);
  const seen: RehearsalNotes = { steps: [], credentials: [] };
  const ports = openPorts(inputs, { hub, clock, seen });
  const notes: string[] = [];
  const bring = (target: ObjectRef): Promise<void> => bringToRest(ports, { target, clock, notes, signal });
  try {
    await ports.view.whenSynced(signal);
    for (const change of changes) {
      await inputs.pause?.();
      for (const target of targetsOf(ports.view, change)) await bring(target);
    }
    const execution = {
      hubApi: hub.api,
      readLive: () => undefined,
      recordWritten: () => undefined,
      recordDeleted: () => undefined,
      concurrency: 1,
      signal,
    };
    for (const { change, error } of await executeChanges(changes, execution))
      if (error) notes.push(`What follows from ${describeRef(change.ref)} is not known: ${describeError(error)}.`);
    const records = changes.map((change) => ({ change, writes: [] as SimulatedWrite[], ...noNotes() }));
    for (let round = 0; round < rounds; round++) {
      for (const record of records) {
        await inputs.pause?.();
        const from = hub.writes.length;
        Object.assign(seen, noNotes());
        for (const target of targetsOf(ports.view, record.change)) await bring(target);
        appendAll(record.writes, hub.writes.slice(from));
        appendAll(
          record.steps,
          seen.steps.filter((step) => !record.steps.includes(step)),
        );
        appendAll(record.credentials, seen.credentials);
      }
    }
    const work = new Map<string, HubWork>();
    for (const record of records) {
      const done = workOf(record, hub);
      if (done) work.set(describeRef(record.change.ref), done);
      if (done) appendAll(notes, uidNotes(record.change, done));
      appendAll(notes, notesOf(record.change, ports, { ...inputs, hub }));
    }
    return { work, notes: [...new Set(notes)] };
  } finally {
    ports.health.stop();
    await ports.view.stop();
  }
}

function noNotes(): { steps: string[]; credentials: { purpose: string; reason: string }[] } {
  return { steps: [], credentials: [] };
}

type SimulatedClock = Clock & { set(nowMs: number): void };

/** No timer fires here: all waits are stopped at the end. */
function createSimulatedClock(startMs: number): SimulatedClock {
  let now = startMs;
  return {
    nowMs: () => now,
    monotonicMs: () => startMs,
    set: (nowMs) => {
      now = nowMs;
    },
    sleep: (_durationMs, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("the rehearsal is over")), { once: true });
      }),
  };
}

function openPorts(
  { protocols, hubFacts, isAllowedWorkspace, checkKubeconfig }: RehearsalInputs,
  { hub, clock, seen }: { readonly hub: SimulatedHub; readonly clock: Clock; readonly seen: RehearsalNotes },
): MemberPorts {
  const view = new HubView({
    types: watchedTypes([...protocols.values()]),
    outsideTypes: outsideTypesOf(protocols),
    registrationTypeOf: (name) => protocols.get(name)?.registrations.type,
    identifyingTypes: [...protocols.values()].flatMap(({ registrations }) => registrations.identifyingTypes),
    namedSecretsOf: (name, cluster) => protocols.get(name)?.namedSecrets(cluster) ?? [],
    startCache: hub.startCache,
    isAllowedWorkspace,
    log: silentLog,
  });
  return {
    hubApi: hub.api,
    view,
    health: new HealthTimer({ clock, onTurn: () => undefined, watchFailingSinceMs: () => undefined }),
    protocols: rehearsedProtocols(protocols, seen),
    hubFacts: () => ({ ...hubFacts, nowMs: clock.nowMs() }),
    clock,
    entropy: plannedEntropy,
    log: silentLog,
    events: { record: () => undefined },
    childFights: {
      record: () => undefined,
      isHeld: () => false,
      describe: () => undefined,
      nextInMs: () => undefined,
    },
    agentRollout: () => ({}),
    publishedHoldMs: () => 0,
    answerWaitMs: () => 0,
    pendingAdmissions: { holdBackMs: () => 0 },
    connectDownstream: (kubeconfig) => {
      checkKubeconfig?.(kubeconfig);
      return willingCluster(hub.api, seen);
    },
  };
}

/** No agent uses a credential of a rehearsal. */
const plannedEntropy: Entropy = { bytes: (count) => new Uint8Array(count).fill(1) };

/** A downstream cluster that has nothing and takes everything. */
function willingCluster(base: KubeApi, { steps }: RehearsalNotes): KubeApi {
  const install = "install the agent by the kubeconfig";
  return {
    ...base,
    server: "the cluster",
    get: () => Promise.resolve(undefined),
    apply: (object) => {
      if (!steps.includes(install)) steps.push(install);
      return Promise.resolve(object);
    },
    delete: () => Promise.resolve(),
  };
}

/** What the controllers reconcile after a change. */
function targetsOf(view: HubView, change: PlannedChange): ObjectRef[] {
  const { type, namespace = "", name } = change.ref;
  if (type === resourceTypes.clusterRegistrationToken) return [change.ref];
  if (type === resourceTypes.secret)
    return usersOf(view, { workspace: namespace, name }).map((user) => ({
      type: resourceTypes.cluster,
      namespace,
      name: user.name,
    }));
  if (type !== resourceTypes.cluster) return [];
  const former = "former" in change && change.former ? [change.former.ref] : [];
  const from = view.memberStateOf(namespace, name)?.movedFrom;
  const movedFrom = from ? [{ type, namespace: from.workspace, name: from.name }] : [];
  const refs = [change.ref, ...former, ...movedFrom];
  return [...new Map(refs.map((ref) => [describeRef(ref), ref])).values()];
}

/** Works on one object until nothing is left to do but by time or by others; a leave and a parting go to their ends. */
async function bringToRest(
  ports: MemberPorts,
  {
    target,
    clock,
    notes,
    signal,
  }: {
    readonly target: ObjectRef;
    readonly clock: SimulatedClock;
    readonly notes: string[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { namespace: workspace = "", name } = target;
  const place = { workspace, name };
  const startMs = clock.nowMs();
  try {
    if (target.type === resourceTypes.clusterRegistrationToken) return await bringToken(ports, place, signal);
    for (let turn = 0; turn < mostTurns; turn++) {
      signal.throwIfAborted();
      const before = ports.view.memberOf(workspace, name);
      const waitMs = await reconcileMember(ports, place, signal);
      const member = ports.view.memberOf(workspace, name);
      const isParting =
        member?.cluster.metadata.annotations?.[annotationKeys.leave] !== undefined ||
        member?.state?.formerProtocol !== undefined;
      if (isParting) clock.set(clock.nowMs() + Math.max(1, waitMs ?? 0));
      else if (member === undefined || isSameMember(before, member)) return;
    }
    notes.push(`What the hub does for ${describeRef(target)} in the end is not known.`);
  } catch (error) {
    signal.throwIfAborted();
    notes.push(`What the hub does for ${describeRef(target)} is not known: ${describeError(error)}.`);
  } finally {
    clock.set(startMs);
  }
}

/** Objects of some protocols have the uid of others in their names: they follow one after the other. */
async function bringToken(ports: MemberPorts, { workspace, name }: ClusterName, signal: AbortSignal): Promise<void> {
  const children = (): readonly KubeObject[] => ports.view.childrenOf(labelKeys.token, workspace, name);
  for (let turn = 0; turn < mostTurns; turn++) {
    const before = children();
    await reconcileToken(ports, { workspace, name }, signal);
    if (isSameList(before, children())) return;
  }
}

function isSameList(left: readonly KubeObject[], right: readonly KubeObject[]): boolean {
  return left.length === right.length && left.every((child) => right.includes(child));
}

function isSameMember(
  left: ReturnType<HubView["memberOf"]>,
  right: NonNullable<ReturnType<HubView["memberOf"]>>,
): boolean {
  return (
    left !== undefined &&
    left.cluster === right.cluster &&
    left.state === right.state &&
    isSameList(left.children, right.children)
  );
}

interface RehearsedChange extends RehearsalNotes {
  readonly change: PlannedChange;
  readonly writes: readonly SimulatedWrite[];
}

/** The differences at the end; an object that was created and deleted in between is none. */
function workOf({ writes, credentials, steps }: RehearsedChange, hub: SimulatedHub): HubWork | undefined {
  const first = new Map<string, SimulatedWrite>();
  for (const write of writes) {
    const key = describeRef(write.ref);
    if (!first.has(key)) first.set(key, write);
  }
  const all = [...first.values()];
  const refsOf = (isMeant: (write: SimulatedWrite, isThere: boolean) => boolean): ObjectRef[] =>
    all.filter((write) => isMeant(write, hub.has(write.ref))).map(({ ref }) => withPlaceholder(ref));
  const creates = refsOf(({ verb }, isThere) => verb === "create" && isThere);
  const updates = refsOf(({ verb }, isThere) => verb !== "create" && isThere);
  const deletes = refsOf(({ verb }, isThere) => verb !== "create" && !isThere);
  const count = creates.length + updates.length + deletes.length + credentials.length + steps.length;
  return count === 0 ? undefined : { creates, updates, deletes, credentials, steps };
}

/** Names of some projects hold the uid of an object, which the hub sets when it creates the object. */
function withPlaceholder(ref: ObjectRef): ObjectRef {
  return { ...ref, name: ref.name.replace(unknownUid, uidPlaceholder) };
}

function uidNotes({ ref }: PlannedChange, { creates, updates, deletes }: HubWork): string[] {
  if (![...creates, ...updates, ...deletes].some(({ name }) => name.includes(uidPlaceholder))) return [];
  return [
    `After the change of ${describeRef(ref)}, names contain ${uidPlaceholder}: it represents the uid that the hub gives an object. The plan does not know this uid.`,
  ];
}

/** Changes that depend on another manager, by name. */
function notesOf(
  change: PlannedChange,
  { view, protocols }: MemberPorts,
  {
    hub,
    isServingKnown,
    areSecretsKnown,
  }: Pick<RehearsalInputs, "isServingKnown" | "areSecretsKnown"> & { readonly hub: SimulatedHub },
): string[] {
  const { ref } = change;
  if (ref.type !== resourceTypes.cluster && ref.type !== resourceTypes.clusterRegistrationToken) return [];
  if (!("object" in change)) return [];
  const { namespace: workspace = "", name } = ref;
  const key = `${workspace}/${name}`;
  const { protocol = "rollcall" } = (change.object as Cluster | ClusterRegistrationToken).spec ?? {};
  if (!protocols.has(protocol) && isServingKnown)
    return [
      `The daemon serves no agents of protocol ${protocol}: it does nothing for ${describeRef(ref)}. ${describeServing(protocol)}`,
    ];
  if (!protocols.has(protocol))
    return [
      `Whether the daemon serves agents of protocol ${protocol} (--serve-${protocol}), and what it does for ${describeRef(ref)}, is not known.`,
    ];
  const notes: string[] = [];
  const member = view.memberOf(workspace, name);
  if (change.former && (hub.has(change.former.ref) || member?.state?.keys !== undefined)) {
    const old = `${change.former.ref.namespace}/${change.former.ref.name}`;
    notes.push(`What belongs to ${old} is deleted when its agent works as ${key}: when that is depends on the agent.`);
  }
  const secret = member?.cluster.spec?.kubeConfigSecretRef?.name;
  if (member && secret !== undefined && member.kubeconfigSecret === undefined)
    notes.push(
      areSecretsKnown
        ? `Secret ${workspace}/${secret} with the kubeconfig of ${key} is not there: no agent is installed.`
        : `Whether Secret ${workspace}/${secret} with the kubeconfig of ${key} is on the hub is not known here.`,
    );
  const accepted = member?.cluster.status?.conditions?.find(({ type }) => type === "Accepted");
  if (accepted?.status === "False") notes.push(`Cluster ${key} is not accepted: ${accepted.message}`);
  return notes;
}
