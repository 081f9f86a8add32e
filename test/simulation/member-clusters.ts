import type { Row } from "../../src/embedded-hub/store/row-format.ts";
import type { Log } from "../../src/core/log.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { realClock } from "../../src/system/real-clock.ts";
import { giveKubeconfig, hasKubeconfig, podTemplateAfter } from "./by-kubeconfig.ts";
import type { Disk, DiskObserver } from "./disk.ts";
import { createDisk } from "./disk.ts";
import { installForeignAgent, startForeignAgent } from "./foreign/foreign-process.ts";
import { foreignOf } from "./foreign/foreign-names.ts";
import { startHubProcess } from "./hub-process.ts";
import { installAgent, startAgentProcess } from "./member-process.ts";
import type { Network, Server } from "./network.ts";
import type { Pace } from "./pace.ts";
import { ReadCache } from "./read-cache.ts";
import type { Scheduler, SimNode } from "./scheduler.ts";
import type { Story } from "./story.ts";
import { subjectOf } from "./subject-of.ts";

/** A cluster with its own API server, and the agent that runs in it. */
export interface Member {
  readonly name: string;
  readonly server: Server;
  readonly disk: Disk;
  readonly agent: SimNode;
  readonly isInstalled: boolean;
}

export interface MemberClusters {
  readonly members: Map<string, Member>;
  /** One in which a person installs the agent with these values. */
  add(name: string, values: string): Promise<void>;
  /** One whose agent the hub installs, by the kubeconfig that a person gives it. */
  addReached(name: string): Promise<void>;
  /** A person makes it anew, at the same address: nothing of its agent is left. */
  rebuild(member: Member): void;
  startAgent(member: Member): void;
}

export interface MemberClustersOptions {
  readonly scheduler: Scheduler;
  readonly story: Story;
  readonly people: SimNode;
  readonly hub: Server;
  readonly network: Network;
  readonly pace: Pace;
  /** A person's, at the hub. */
  readonly personApi: KubeApi;
  readonly logOf: (node: SimNode) => Log;
  readonly kill: (node: SimNode) => void;
  /** The Deployment of this agent has come to be in its cluster. */
  readonly onInstall: (agent: SimNode) => void;
  readonly onAgentExit: (agent: SimNode, why: string) => void;
  /** An agent of another project has received a credential with this subject. */
  readonly onForeignSubject: (subject: string, cluster: string) => void;
}

/** For a node to start or end a Pod. */
const podStartMs = 1500;

/** The clusters of a world. Of those that the hub reaches, an agent runs while its Deployment is there, as a kubelet has it. */
export function createMemberClusters(options: MemberClustersOptions): MemberClusters {
  const { scheduler, story, people, hub, network, pace, personApi, logOf, kill } = options;
  const members = new Map<string, Member>();
  /** Of each cluster whose API server has an agent's Deployment. */
  const podTemplates = new Map<string, string>();

  const startServer = async ({ server, disk }: Pick<Member, "server" | "disk">): Promise<void> => {
    startHubProcess(server, disk, scheduler, pace);
    while (server.serve === undefined) await realClock.sleep(100);
  };
  const addServer = async (name: string, observer: DiskObserver): Promise<Member> => {
    const node = scheduler.addNode(`cluster-${name}`);
    const reads = new ReadCache();
    const server: Server = { node, url: `https://${name}.simulated:6443`, serve: undefined, reads };
    const disk = createDisk(scheduler, { reads, ...observer });
    const agent = scheduler.addNode(`agent-${name}`);
    const member = { name, server, disk, agent, isInstalled: false };
    members.set(name, member);
    await startServer(member);
    return member;
  };
  const takePodTemplate = (name: string, template: string | undefined): void => {
    if (template === podTemplates.get(name)) return;
    if (template === undefined) podTemplates.delete(name);
    else podTemplates.set(name, template);
    const member = members.get(name);
    if (member === undefined) return;
    members.set(name, { ...member, isInstalled: template !== undefined });
    if (template !== undefined) options.onInstall(member.agent);
    scheduler.send(people, podStartMs, `the Pods of ${name} change`, () => {
      story.tell(`cluster-${name}`, podTemplates.has(name) ? "starts its agent" : "ends its agent");
      kill(member.agent);
      startAgent(member);
    });
  };
  const takeRow = (name: string, row: Row): void => {
    const after = podTemplateAfter(row);
    if (after !== undefined) takePodTemplate(name, after.template);
  };
  const startAgent = (member: Member): void => {
    const { name, agent, server } = member;
    if (hasKubeconfig(name) && (agent.isAlive || !podTemplates.has(name))) return;
    if (!agent.isAlive) scheduler.revive(agent);
    const onExit = (why: string): void => options.onAgentExit(agent, why);
    const parts = { node: agent, hub, downstream: server, network, scheduler, log: logOf(agent), onExit };
    const protocol = foreignOf(name);
    if (protocol === undefined) return startAgentProcess(parts, pace);
    const holds = (token: string): void => options.onForeignSubject(subjectOf(`Bearer ${token}`) ?? "", name);
    const restart = (): void => {
      story.tell("people", `restart the agent of ${name}`);
      kill(agent);
      startAgent(member);
    };
    startForeignAgent(parts, { cluster: name, protocol, holds, restart });
  };
  return {
    members,
    startAgent,
    add: async (name, values) => {
      const member = await addServer(name, {});
      const install = foreignOf(name) === undefined ? installAgent : installForeignAgent;
      await install({ node: people, downstream: member.server, network }, values);
      members.set(name, { ...member, isInstalled: true });
      startAgent(member);
    },
    addReached: async (name) => {
      const { agent, server } = await addServer(name, { onRow: (row) => takeRow(name, row) });
      kill(agent);
      await giveKubeconfig(personApi, name, server);
    },
    rebuild: (member) => {
      const { name, server, disk } = member;
      kill(server.node);
      disk.putBack({ rows: new Map(), compactedRevision: 0 });
      server.reads?.forget();
      takePodTemplate(name, undefined);
      scheduler.revive(server.node);
      void startServer(member);
    },
  };
}
