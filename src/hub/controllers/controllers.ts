// hub: the controllers of the hub, neutral to join protocols: members, tokens, registrations, groups, health. They work
// on keys, read the view, and write through the one client.
import type { Random } from "../../core/clock.ts";
import type { QueueCounts } from "../../core/work-queue.ts";
import type { Proposal } from "../../model/proposal.ts";
import { createControllerQueue, splitKey } from "../controller-queue.ts";
import { createChangeRouter } from "./enqueue-changes.ts";
import { GroupMembers } from "../group-members.ts";
import { reconcileGroups } from "../groups.ts";
import type { HubPorts } from "../hub-ports.ts";
import { createMemberQueue } from "./member-queue.ts";
import { createRegistrations } from "../registrations.ts";
import { reportHubObjects } from "../report-hub-objects.ts";
import { reconcileToken } from "../tokens.ts";

const parallelTokens = 4;
const parallelWorkspaces = 4;

export interface HubOptions {
  readonly random: Random;
  readonly onProposal: (proposal: Proposal) => void;
  /** Members worked on at the same time. Default 16. */
  readonly concurrency?: number;
}

export interface HubControllers {
  /** Reconciles one member again. */
  enqueueMember(workspace: string, name: string): void;
  /** Takes in that a Repository may have other limits for its rollout of agents. */
  recordRollouts(): void;
  /** Takes up no more members until the function that it returns is called: a commit's own writes come first. */
  holdMembers(): () => void;
  /** Reconciles everything again. */
  enqueueAll(): void;
  /** The counts of the queues, by name. */
  queueCounts(): ReadonlyMap<string, QueueCounts>;
  whenIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the controllers on a view that is synced or will be. Only one leader may run them at a time. */
export function startHubControllers(ports: HubPorts, options: HubOptions): HubControllers {
  const { random, onProposal, concurrency = 16 } = options;
  const members = createMemberQueue(ports, { random, concurrency });
  const tokens = createControllerQueue(ports, {
    name: "tokens",
    random,
    concurrency: parallelTokens,
    work: (key, signal) => reconcileToken(ports, splitKey(key), signal),
  });
  const registrations = createControllerQueue(ports, {
    name: "registrations",
    random,
    concurrency: parallelWorkspaces,
    work: createRegistrations(ports, { onProposal, holdMember: members.holdMember }),
  });
  const groupMembers = new GroupMembers(ports.view, ports.clock);
  const groups = createControllerQueue(ports, {
    name: "groups",
    random,
    concurrency: 1,
    work: (key, signal) => reconcileGroups({ ...ports, groupMembers }, key, signal),
  });
  const queues = { members, tokens, registrations, groups };
  const router = createChangeRouter(ports, queues);
  const unsubscribe = ports.view.subscribe((change) => router.onChange(change));
  const stopReporting = reportHubObjects(ports);
  router.enqueueAll();
  return {
    enqueueMember: (workspace, name) => members.add(`${workspace}/${name}`),
    recordRollouts: () => members.recordRollouts(),
    holdMembers: () => members.hold(),
    enqueueAll: () => router.enqueueAll(),
    queueCounts: () => new Map(Object.entries(queues).map(([name, { counts }]) => [name, counts])),
    whenIdle: async () => {
      await Promise.all(Object.values(queues).map((queue) => queue.whenIdle()));
    },
    stop: async () => {
      unsubscribe();
      stopReporting();
      await Promise.all(Object.values(queues).map((queue) => queue.stop()));
      groupMembers.stop();
    },
  };
}
