import type { Random } from "../../core/clock.ts";
import { createGate } from "../../core/gate.ts";
import { quietRepeats } from "../../core/quiet-repeats.ts";
import type { QueueCounts } from "../../core/work-queue.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { labelKeys } from "../../model/well-known.ts";
import { createControllerQueue, splitKey } from "../controller-queue.ts";
import type { HoldMember } from "../grant-registration.ts";
import type { HubPorts } from "../hub-ports.ts";
import { PendingAdmissions } from "../pending-admissions.ts";
import { RepositoryWaves } from "../repository-waves.ts";
import type { MemberPorts } from "../members/member-scope.ts";
import { reconcileMember } from "./reconcile-member.ts";

/** The controller of members. Keys are `workspace/name`. */
export interface MemberQueue {
  add(key: string): void;
  /** Asks for it after `delayMs`; an earlier request wins. */
  addAfter(key: string, delayMs: number): void;
  /** Keeps the controller from one member until the function that it returns is called. */
  readonly holdMember: HoldMember;
  /** Keeps the controller from every member until the function that it returns is called. */
  hold(): () => void;
  /** Takes in that a Repository may have other limits for its rollout of agents. */
  recordRollouts(): void;
  readonly counts: QueueCounts;
  whenIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Members whose API servers are called at the same time. Those of one that does not answer end after two minutes. */
const mostDownstreamCalls = 64;

export function createMemberQueue(
  ports: HubPorts,
  { random, concurrency }: { readonly random: Random; readonly concurrency: number },
): MemberQueue {
  const enqueue = (key: string): void => queue.add(key);
  const waves = createWaves(ports, enqueue);
  const pendingAdmissions = new PendingAdmissions({ nowMs: () => ports.clock.monotonicMs(), onCalm: enqueue });
  const downstreamCalls = createGate(mostDownstreamCalls);
  const memberPorts: MemberPorts = {
    ...ports,
    log: quietRepeats(ports.log, ports.clock),
    hubFacts: () => ({ ...ports.hubFacts(), agentHold: (key) => waves.holdOf(key) }),
    pendingAdmissions,
    callAside: (call, signal) =>
      queue.aside(async () => {
        await downstreamCalls.enter(signal);
        try {
          return await call();
        } finally {
          downstreamCalls.leave();
        }
      }),
  };
  /** Members that another controller writes: they are reconciled after that. */
  const held = new Set<string>();
  const queue = createControllerQueue(ports, {
    name: "members",
    random,
    concurrency,
    work: async (key, signal) => {
      try {
        return held.has(key) ? undefined : await reconcileMember(memberPorts, splitKey(key), signal);
      } finally {
        recordAgent(memberPorts, waves, key);
        if (pendingAdmissions.isWaiting(key) && !held.has(key) && !isAnswerDue(memberPorts, key))
          pendingAdmissions.end(key);
      }
    },
  });
  return {
    add: enqueue,
    addAfter: (key, delayMs) => queue.addAfter(key, delayMs),
    holdMember: (workspace, name) => {
      const key = `${workspace}/${name}`;
      held.add(key);
      pendingAdmissions.begin(key);
      return () => {
        held.delete(key);
        enqueue(key);
      };
    },
    hold: () => queue.hold(),
    recordRollouts: () => waves.recordRollouts(),
    get counts() {
      return queue.counts;
    },
    whenIdle: () => queue.whenIdle(),
    stop: async () => {
      await queue.stop();
      waves.stop();
    },
  };
}

function createWaves(
  { view, clock, hubFacts, agentRollout }: Pick<HubPorts, "view" | "clock" | "hubFacts" | "agentRollout">,
  onAllowed: (key: string) => void,
): RepositoryWaves {
  return new RepositoryWaves({
    rollout: agentRollout,
    nowMs: () => hubFacts().nowMs,
    clusterKeys: (label) =>
      view
        .list(resourceTypes.cluster)
        .filter(({ metadata }) => (metadata.labels?.[labelKeys.repository] ?? "") === label)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    repositoryOf: (key) => {
      const { workspace: namespace, name } = splitKey(key);
      const cluster = view.get({ type: resourceTypes.cluster, namespace, name });
      return cluster && (cluster.metadata.labels?.[labelKeys.repository] ?? "");
    },
    onAllowed,
    after: (durationMs, then) => {
      const cancelled = new AbortController();
      clock.sleep(durationMs, cancelled.signal).then(then, () => undefined); // cancelled: there is nothing to do
      return () => cancelled.abort();
    },
  });
}

/** Records the state of the member's agent after a pass: the next wave depends on it. */
function recordAgent(
  { view, protocols, health, hubFacts }: Pick<HubPorts, "view" | "protocols" | "health" | "hubFacts">,
  waves: RepositoryWaves,
  key: string,
): void {
  const { workspace, name } = splitKey(key);
  const member = view.memberOf(workspace, name);
  if (!member) {
    waves.forget(key);
    return;
  }
  const protocol = protocols.get(member.cluster.spec?.protocol ?? "rollcall");
  const isParting = member.state?.formerProtocol !== undefined;
  const progress = isParting ? undefined : protocol?.agentProgress(member, hubFacts());
  const isUnresponsive = health.stateOf(key).kind === "unresponsive";
  waves.record(key, progress ? { ...progress, isUnresponsive } : undefined);
}

/** An answer that the agent waits for could not be issued yet; the object that it lacks enqueues the member. */
function isAnswerDue(
  { view, protocols, hubFacts }: Pick<HubPorts, "view" | "protocols" | "hubFacts">,
  key: string,
): boolean {
  const { workspace, name } = splitKey(key);
  const member = view.memberOf(workspace, name);
  const protocol = protocols.get(member?.cluster.spec?.protocol ?? "rollcall");
  return member !== undefined && (protocol?.credentialsDue({ kind: "member", member }, hubFacts()).length ?? 0) > 0;
}
