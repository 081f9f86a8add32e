// hub: the controllers of the hub, neutral to join protocols: members, tokens, registrations, groups, health. They work
// on keys, look at the view, and write through the one client.
import type { Random } from "../core/clock.ts";
import { isJsonEqual } from "../core/json.ts";
import type { QueueCounts } from "../core/work-queue.ts";
import { WorkQueue } from "../core/work-queue.ts";
import { memoryName } from "../model/cluster-memory.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { Proposal } from "../model/proposal.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { RepositoryWaves } from "./repository-waves.ts";
import { reconcileGroups } from "./groups.ts";
import type { HubContext } from "./hub-context.ts";
import type { ViewChange } from "./hub-view.ts";
import { observeBeat, reconcileMember } from "./members.ts";
import type { MembersContext } from "./members.ts";
import { Newcomers } from "./newcomers.ts";
import type { HoldMember } from "./grant-registration.ts";
import { createRegistrations, workspaceOf } from "./registrations.ts";
import { secretUsers } from "./secret-users.ts";
import { reconcileToken } from "./tokens.ts";

/** Between the word that an agent came in and a look at requests that have served their time. */
const collectAfterMs = 1000;
/** A token's status says how often it was used; nothing is decided by it before the memories themselves. */
const countUsesAfterMs = 1000;

export interface HubOptions {
  readonly random: Random;
  readonly onProposal: (proposal: Proposal) => void;
  /** Members worked on at the same time. Default 16. */
  readonly concurrency?: number;
}

export interface HubControllers {
  /** Looks at one member again. */
  wakeMember(workspace: string, name: string): void;
  /** Takes in that a Repository may have other limits for its rollout of agents. */
  noteRollouts(): void;
  /** Takes up no more members until the function that it returns is called: a commit's own writes come first. */
  holdMembers(): () => void;
  /** Looks at everything again. */
  wakeAll(): void;
  /** How the queues stand, by name. */
  queueCounts(): ReadonlyMap<string, QueueCounts>;
  whenIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the controllers on a view that is synced or will be. Only one leader may run them at a time. */
export function startHubControllers(given: HubContext, options: HubOptions): HubControllers {
  const { view, clock, log } = given;
  const { random, onProposal, concurrency = 16 } = options;
  const queue = (
    name: string,
    parallel: number,
    work: (key: string, signal: AbortSignal) => Promise<number | undefined | void>,
  ): WorkQueue =>
    new WorkQueue({
      clock,
      random,
      concurrency: parallel,
      work,
      onError: (key, error, retryInMs) => log.warn("reconcile failed", { controller: name, key, error, retryInMs }),
    });
  const waves = new RepositoryWaves({
    rollout: (label) => given.agentRollout?.(label) ?? {},
    nowMs: () => given.hubFacts().nowMs,
    clusterKeys: (label) =>
      view
        .list(resourceTypes.cluster)
        .filter(({ metadata }) => (metadata.labels?.[labelKeys.repository] ?? "") === label)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    repositoryOf: (key) => {
      const { workspace: namespace, name } = splitKey(key);
      const cluster = view.get({ type: resourceTypes.cluster, namespace, name });
      return cluster?.metadata.labels?.[labelKeys.repository] ?? "";
    },
    onAllowed: (key) => members.add(key),
    after: (durationMs, then) => {
      const calledOff = new AbortController();
      clock.sleep(durationMs, calledOff.signal).then(then, () => undefined); // called off: there is nothing to do
      return () => calledOff.abort();
    },
  });
  const newcomers = new Newcomers({ nowMs: () => clock.monotonicMs(), onCalm: (key) => members.add(key) });
  const context: MembersContext = {
    ...given,
    hubFacts: () => ({ ...given.hubFacts(), agentHold: (key) => waves.holdOf(key) }),
    newcomers,
  };
  /** Members that somebody else is writing: they are looked at when that is done. */
  const held = new Set<string>();
  const members = queue("members", concurrency, async (key, signal) => {
    try {
      return held.has(key) ? undefined : await reconcileMember(context, splitKey(key), signal);
    } finally {
      noteAgent(context, waves, key);
      if (newcomers.isWaiting(key) && !held.has(key) && !isAnswerDue(context, key)) newcomers.end(key);
    }
  });
  const holdMember: HoldMember = (workspace, name) => {
    const key = `${workspace}/${name}`;
    held.add(key);
    newcomers.begin(key);
    return () => {
      held.delete(key);
      members.add(key);
    };
  };
  const tokens = queue("tokens", 4, (key, signal) => reconcileToken(context, splitKey(key), signal));
  const registrations = queue("registrations", 4, createRegistrations(context, { onProposal, holdMember }));
  const groups = queue("groups", 1, (key, signal) => reconcileGroups(context, key, signal));

  /** `workspace/registration` -> `workspace/member` that it was granted as. */
  const memberByRegistration = new Map<string, string>();
  const noteMemory = (workspace: string, cluster: string): void => {
    const join = view.memoryOf(workspace, cluster)?.join;
    if (!join) return;
    memberByRegistration.set(`${workspace}/${join.registration}`, `${workspace}/${cluster}`);
    // Its count of uses is the sum of many memories: those that come together are counted together.
    if (join.token !== undefined) tokens.addAfter(`${workspace}/${join.token}`, countUsesAfterMs);
  };
  /** A member, and with it the one that it is becoming or was. */
  const addMember = (workspace: string, name: string, before?: KubeObject): void => {
    members.add(`${workspace}/${name}`);
    const cluster = view.get({ type: resourceTypes.cluster, namespace: workspace, name }) ?? before;
    const to = cluster?.metadata.annotations?.[annotationKeys.movedTo];
    if (to !== undefined) members.add(to);
    const from = view.memoryOf(workspace, name)?.movedFrom;
    if (from) members.add(`${from.workspace}/${from.name}`);
  };
  const protocols = [...context.protocols.values()];
  const registrationKinds = new Map(
    protocols.flatMap(({ registrations: kind }) => (kind ? [[kind.type, kind] as const] : [])),
  );
  const byBeatType = new Map(protocols.map((protocol) => [protocol.beatType, protocol]));
  const named = secretUsers(view.list(resourceTypes.cluster), (cluster) => {
    const { kubeConfigSecretRef, protocol = "rollcall" } = cluster.spec ?? {};
    const ofProtocol = context.protocols.get(protocol)?.namedSecrets?.(cluster) ?? [];
    return kubeConfigSecretRef === undefined ? ofProtocol : [kubeConfigSecretRef.name, ...ofProtocol];
  });
  const onChange = (change: ViewChange): void => {
    const { ref, object, before } = change;
    const workspace = ref.namespace ?? "";
    // A beat is one small write: it goes to the health timer and wakes nobody.
    if (byBeatType.get(ref.type)?.isOnlyBeat(before, object) === true) {
      noteBeat(context, change);
      return;
    }
    if (ref.type === resourceTypes.cluster) {
      named.note(before, object);
      addMember(workspace, ref.name, before);
      // The memory came first; whoever counts members counts this one only now.
      if (!before) noteMemory(workspace, ref.name);
      groups.addAfter(workspace, 200);
      // A status decides nothing; but the request of an agent that has come in has served its time.
      if (isStatusOnly(change)) registrations.addAfter(workspace, collectAfterMs);
      else registrations.add(workspace);
      return;
    }
    if (ref.type === resourceTypes.clusterRegistrationToken) {
      tokens.add(`${workspace}/${ref.name}`);
      if (!isStatusOnly(change)) registrations.add(workspace);
    }
    if (ref.type === resourceTypes.clusterGroup) groups.add(workspace);
    const registrationKind = registrationKinds.get(ref.type);
    for (const seen of registrationKind ? [object, before] : []) {
      if (registrationKind === undefined || seen === undefined) continue;
      const asked = workspaceOf(registrationKind, seen);
      registrations.add(asked);
      const member = memberByRegistration.get(`${asked}/${ref.name}`);
      if (member !== undefined) members.add(member);
    }
    if (ref.type === resourceTypes.secret) {
      for (const name of named.of(workspace, ref.name)) members.add(`${workspace}/${name}`);
    }
    for (const owner of [object, before].flatMap((seen) => (seen ? view.ownersOf(ref, seen) : []))) {
      if (owner.label === labelKeys.token) tokens.add(`${owner.workspace}/${owner.name}`);
      else {
        addMember(owner.workspace, owner.name);
        if (ref.type === resourceTypes.configMap && ref.name === memoryName(owner.name)) {
          noteMemory(owner.workspace, owner.name);
          registrations.add(workspace);
        }
      }
    }
  };

  const wakeAll = (): void => {
    for (const { metadata } of view.list(resourceTypes.cluster)) {
      members.add(`${metadata.namespace}/${metadata.name}`);
      noteMemory(metadata.namespace ?? "", metadata.name);
    }
    // What somebody left of a member, too.
    for (const type of [resourceTypes.configMap, resourceTypes.serviceAccount, resourceTypes.secret]) {
      for (const { metadata } of view.list(type)) {
        const owner = metadata.labels?.[labelKeys.cluster];
        if (owner !== undefined && view.isWorkspace(metadata.namespace ?? ""))
          members.add(`${metadata.namespace}/${owner}`);
      }
    }
    for (const { metadata } of view.list(resourceTypes.clusterRegistrationToken))
      tokens.add(`${metadata.namespace}/${metadata.name}`);
    for (const workspace of view.workspaces) {
      registrations.add(workspace);
      groups.add(workspace);
    }
    for (const [type, kind] of registrationKinds)
      for (const registration of view.list(type)) registrations.add(workspaceOf(kind, registration));
  };
  const unsubscribe = view.subscribe(onChange);
  wakeAll();
  return {
    wakeMember: (workspace, name) => members.add(`${workspace}/${name}`),
    noteRollouts: () => waves.noteRollouts(),
    holdMembers: () => members.hold(),
    wakeAll,
    queueCounts: () =>
      new Map(Object.entries({ members, tokens, registrations, groups }).map(([name, { counts }]) => [name, counts])),
    whenIdle: async () => {
      await Promise.all([members.whenIdle(), tokens.whenIdle(), registrations.whenIdle(), groups.whenIdle()]);
    },
    stop: async () => {
      unsubscribe();
      await Promise.all([members.stop(), tokens.stop(), registrations.stop(), groups.stop()]);
      waves.stop();
    },
  };
}

function noteBeat(context: HubContext, { ref, object, before }: ViewChange): void {
  const seen = object ?? before;
  for (const { label, workspace, name } of seen ? context.view.ownersOf(ref, seen) : []) {
    const member = label === labelKeys.cluster ? context.view.memberOf(workspace, name) : undefined;
    const protocol = context.protocols.get(member?.cluster.spec?.protocol ?? "rollcall");
    if (member && protocol) observeBeat(context, protocol, member);
  }
}

/** How the member's agent stands after a look at it: the next wave depends on it. */
function noteAgent(context: HubContext, waves: RepositoryWaves, key: string): void {
  const { workspace, name } = splitKey(key);
  const member = context.view.memberOf(workspace, name);
  if (!member) {
    waves.forget(key);
    return;
  }
  const protocol = context.protocols.get(member.cluster.spec?.protocol ?? "rollcall");
  const isParting = member.memory?.formerProtocol !== undefined;
  const stand = isParting ? undefined : protocol?.agentStand?.(member, context.hubFacts());
  const isSilent = context.health.stateOf(key).kind === "silent";
  waves.note(key, stand ? { ...stand, isSilent } : undefined);
}

/** Something that its agent waits for could not be made yet; whatever it lacks wakes the member again. */
function isAnswerDue(context: HubContext, key: string): boolean {
  const { workspace, name } = splitKey(key);
  const member = context.view.memberOf(workspace, name);
  const protocol = context.protocols.get(member?.cluster.spec?.protocol ?? "rollcall");
  return member !== undefined && (protocol?.mintsDue({ kind: "member", member }, context.hubFacts()).length ?? 0) > 0;
}

/** Nothing that is decided about an agent depends on what the hub itself says in a status. */
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

function splitKey(key: string): { workspace: string; name: string } {
  const slash = key.indexOf("/");
  return { workspace: key.slice(0, slash), name: key.slice(slash + 1) };
}
