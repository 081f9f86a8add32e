// The simulated world: a hub, a git remote, replicas of the daemon, clusters with agents. It knows how each process is
// started, killed and begun again; what happens to them is decided elsewhere.
import type { Row } from "../../src/embedded-hub/store/row-format.ts";
import type { Log } from "../../src/core/log.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { TransportRequest } from "../../src/kube/transport.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { startDaemonProcess } from "./daemon-process.ts";
import type { DiskCopy } from "./disk.ts";
import { createDisk } from "./disk.ts";
import type { GitRemote, RefUpdate, ShownHead } from "./git-remote.ts";
import { createGitRemote } from "./git-remote.ts";
import { administrator, startHubProcess } from "./hub-process.ts";
import type { SimulatedForge } from "./forge/simulated-forge.ts";
import { createSimulatedForge, forgeGitUrl } from "./forge/simulated-forge.ts";
import type { Member } from "./member-clusters.ts";
import { createMemberClusters } from "./member-clusters.ts";
import type { Network, SeenCall, Server } from "./network.ts";
import { createNetwork } from "./network.ts";
import type { OtherHub } from "./other-hub.ts";
import { createOtherHub } from "./other-hub.ts";
import type { Pace } from "./pace.ts";
import type { FaultRates } from "./network-faults.ts";
import { drawFate, noFaults } from "./network-faults.ts";
import type { SimNode } from "./scheduler.ts";
import { Scheduler } from "./scheduler.ts";
import type { Story } from "./story.ts";
import { createStory } from "./story.ts";
import type { Trace } from "./trace.ts";

/** A process that ended without being killed: by itself, or because it was asked to. */
export interface ProcessExit {
  readonly node: SimNode;
  readonly why: string;
  /** When it was asked to; `isCalm`: no fault was at work then. Undefined: it ended by itself. */
  readonly asked?: { readonly atMs: number; readonly isCalm: boolean };
}

/** Receives what happened as soon as it is a fact. */
export interface Observer {
  onRow(row: Row): void;
  /** Of the other hub. */
  onOtherRow(row: Row): void;
  onCall(call: SeenCall): void;
  onRefUpdate(update: RefUpdate): void;
  onExit(exit: ProcessExit): void;
  /** The disk of the hub is what it was then. */
  onRestore(copy: HubCopy): void;
  onLog(node: SimNode, message: string, fields: object): void;
}

/** What the hub had at a time. */
export interface HubCopy extends DiskCopy {
  readonly atMs: number;
  /** Whether the daemons are started with --restore, as docs/operations.md has it; without, agents cannot distinguish the hubs. */
  readonly isNoticed: boolean;
}

/** The faults around the processes now. */
export interface Weather {
  rates: FaultRates;
  isRemoteDown: boolean;
  lostPushes: number;
  isDiskFull: boolean;
  /** What the remote shows as main: its head, no branch, or the commit before its head. */
  shown: ShownHead;
  /** With what the hub answers each write of a cluster; undefined while it takes them. */
  refusedWrites: number | undefined;
  /** API servers of clusters that fail most requests. */
  readonly badServers: Set<Server>;
  /** Its writes arrive so many milliseconds late. */
  readonly lateWrites: Map<SimNode, number>;
  /** The parts of its watches arrive so many milliseconds late; its answers do not. */
  readonly slowWatches: Map<SimNode, number>;
  /** The next write of a cluster by a daemon fails. */
  failsOnce: boolean;
  /** So many of the next reads of main by a daemon fail. */
  failingLooks: number;
  /** When the last of them failed. */
  lookFailedAtMs: number;
  /** Called when the next Deployment of an agent comes to be in a cluster, before that runs. */
  onInstall: ((agent: SimNode) => void) | undefined;
  /** A daemon that has sent its next write is paused for so many milliseconds. */
  standsAfterWriteMs: number | undefined;
  /** The hub refuses their tokens. */
  readonly refusedTokens: Set<SimNode>;
  /** The hub never accepts these again; as they are in the header. */
  readonly voidCredentials: Set<string>;
}

export interface World {
  readonly scheduler: Scheduler;
  readonly story: Story;
  readonly hub: Server;
  readonly remote: GitRemote;
  /** Of runs in which people have one. */
  readonly forge: SimulatedForge | undefined;
  readonly replicas: readonly SimNode[];
  readonly people: SimNode;
  readonly servesForeign: boolean;
  readonly pace: Pace;
  readonly members: Map<string, Member>;
  /** Whose working credential has this subject: of clusters with agents of other projects, as these received them. */
  readonly foreignSubjects: ReadonlyMap<string, string>;
  /** Undefined until people make it. */
  readonly otherHub: OtherHub | undefined;
  readonly network: Network;
  /** What the network does to requests now, and to those of git. */
  readonly weather: Weather;
  /** Processes that reach no server. */
  readonly cutOff: Set<SimNode>;
  /** An administrator's client, for code that runs on the node `people`. */
  readonly personApi: KubeApi;
  /** What the node showed the hub last, as it is in the header, if it was accepted. */
  lastCredentialOf(node: SimNode): string | undefined;
  startHub(): void;
  /** Makes another hub with the same repository and status branch, once. */
  addOtherHub(): void;
  copyHub(isNoticed: boolean): HubCopy;
  /** Kills the hub, and starts it with its disk as it was then. */
  restoreHub(copy: HubCopy): void;
  /** `isRestoring`: as `rollcall run --restore`. */
  startReplica(node: SimNode, isRestoring?: boolean): void;
  /** SIGTERM: the process ends its work and exits. Nothing happens while it begins. */
  stopReplica(node: SimNode, isCalm: boolean): void;
  addMember(name: string, values: string): Promise<void>;
  /** One whose agent the hub installs, by the kubeconfig that a person gives it. */
  addReachedMember(name: string): Promise<void>;
  /** A person makes it anew, at the same address: nothing of its agent is left. */
  rebuildMember(member: Member): void;
  startAgent(member: Member): void;
  /** kill -9. */
  kill(node: SimNode): void;
  /** Runs a person's work; what fails is in the story. */
  act(what: string, work: () => Promise<void>): void;
}

export interface WorldOptions {
  readonly seed: number;
  readonly replicaCount: number;
  /** The daemons serve the agents of other projects. */
  readonly servesForeign: boolean;
  /** The repository is at a forge. */
  readonly hasForge: boolean;
  readonly pace: Pace;
  readonly trace: Trace;
  readonly observer: Observer;
}

/** Of an API server that fails. */
const badRates: FaultRates = { lostRequest: 150, lostAnswer: 100, delayed: 50, doubled: 0, refused: 400 };

/** What only a leader sends: each replica writes Leases and Events. */
function isOfLeader({ method, path }: TransportRequest): boolean {
  return method !== "GET" && /\/namespaces\/[^/]+\/(?!leases|events)/u.test(path);
}

export const hubUrl = "https://hub.simulated:6443";

export function createWorld(options: WorldOptions): World {
  const { seed, replicaCount, servesForeign, hasForge, pace, trace, observer } = options;
  const scheduler = new Scheduler(seed, trace);
  const story = createStory(() => scheduler.elapsedMs);
  const weather: Weather = {
    rates: noFaults,
    isRemoteDown: false,
    lostPushes: 0,
    isDiskFull: false,
    shown: "head",
    refusedWrites: undefined,
    badServers: new Set(),
    lateWrites: new Map(),
    slowWatches: new Map(),
    failsOnce: false,
    failingLooks: 0,
    lookFailedAtMs: -Infinity,
    onInstall: undefined,
    standsAfterWriteMs: undefined,
    refusedTokens: new Set(),
    voidCredentials: new Set(),
  };
  const cutOff = new Set<SimNode>();
  const people = scheduler.addNode("people");
  const hub: Server = { node: scheduler.addNode("hub"), url: hubUrl, serve: undefined };
  const replicas = Array.from({ length: replicaCount }, (_, index) => scheduler.addNode(`daemon-${index}`));
  const stops = new Map<SimNode, () => Promise<void>>();
  const lastCredentials = new Map<SimNode, string>();
  const foreignSubjects = new Map<string, string>();
  const dice = (): number => scheduler.dice();
  const network = createNetwork({
    scheduler,
    fateOf: (client, server, request) => {
      if (client === people) return { kind: "served" };
      if (server === forge?.server) return forge.fateOf((rates) => drawFate(rates, request, dice));
      if (server !== hub)
        return weather.badServers.has(server) ? drawFate(badRates, request, dice) : { kind: "served" };
      const status = weather.refusedWrites;
      if (status !== undefined && request.method !== "GET" && /\/clusters(?:\/|\?|$)/u.test(request.path))
        return { kind: "refused", status };
      if (
        weather.failsOnce &&
        replicas.includes(client) &&
        request.method !== "GET" &&
        /\/clusters(?:\/|\?|$)/u.test(request.path)
      ) {
        weather.failsOnce = false;
        return { kind: "refused", status: 500 };
      }
      const standsMs = weather.standsAfterWriteMs;
      if (standsMs !== undefined && replicas.includes(client) && isOfLeader(request)) {
        weather.standsAfterWriteMs = undefined;
        client.resumesAtMs = scheduler.elapsedMs + standsMs;
        story.tell("fault", `${client.name} stands still after ${request.method} ${request.path}`);
      }
      const credential = request.headers["authorization"] ?? request.headers["Authorization"] ?? "";
      if (weather.refusedTokens.has(client) || weather.voidCredentials.has(credential))
        return { kind: "refused", status: 401 };
      // What a process may read without a credential, and by a certificate, has none.
      if (credential !== "") lastCredentials.set(client, credential);
      const byMs = weather.lateWrites.get(client);
      if (byMs !== undefined && request.method !== "GET") return { kind: "delayed", byMs: scheduler.dice() * byMs };
      return drawFate(weather.rates, request, dice);
    },
    isLinked: (client, server) => server !== hub || !cutOff.has(client),
    watchDelayMs: (client) => weather.slowWatches.get(client) ?? 0,
    onCall: (call) => observer.onCall(call),
  });
  const remote = createGitRemote({
    url: hasForge ? forgeGitUrl : "https://git.simulated/fleet.git",
    scheduler,
    node: scheduler.addNode("git"),
    fateOf: (client, what) => {
      if (weather.isRemoteDown || cutOff.has(client)) return "unreachable";
      if (weather.failingLooks > 0 && what === "fetch main") {
        weather.failingLooks -= 1;
        weather.lookFailedAtMs = scheduler.elapsedMs;
        return "unreachable";
      }
      return scheduler.dice() * 1000 < weather.lostPushes ? "lost-answer" : "served";
    },
    shown: () => weather.shown,
    onUpdate: (update) => observer.onRefUpdate(update),
  });
  const forge = hasForge ? createSimulatedForge(scheduler, remote) : undefined;
  const disk = createDisk(scheduler, { onRow: (row) => observer.onRow(row), isFull: () => weather.isDiskFull });
  const logOf = (node: SimNode): Log => {
    const log: Log = {
      debug: () => undefined,
      info: () => undefined,
      warn: (message, fields = {}) => observer.onLog(node, message, fields),
      error: (message, fields = {}) => observer.onLog(node, message, fields),
      with: () => log,
    };
    return log;
  };
  const personApi = createKubeApi({
    transport: network.transport(people, hub, administrator),
    clock: realClock,
    random: realRandom,
  });
  const revive = (node: SimNode): void => {
    if (!node.isAlive) scheduler.revive(node);
  };
  const clusters = createMemberClusters({
    scheduler,
    story,
    people,
    hub,
    network,
    pace,
    personApi,
    logOf,
    kill: (node) => world.kill(node),
    onInstall: (agent) => {
      const { onInstall } = weather;
      weather.onInstall = undefined;
      onInstall?.(agent);
    },
    onAgentExit: (node, why) => observer.onExit({ node, why }),
    onForeignSubject: (subject, cluster) => void foreignSubjects.set(subject, cluster),
  });
  const { members } = clusters;
  let otherHub: OtherHub | undefined;
  const world: World = {
    scheduler,
    story,
    hub,
    remote,
    forge,
    replicas,
    people,
    servesForeign,
    pace,
    members,
    foreignSubjects,
    get otherHub() {
      return otherHub;
    },
    network,
    weather,
    cutOff,
    personApi,
    lastCredentialOf: (node) => lastCredentials.get(node),
    startHub: () => {
      revive(hub.node);
      startHubProcess(hub, disk, scheduler, pace);
    },
    addOtherHub: () => {
      otherHub ??= createOtherHub({ world, onRow: (row) => observer.onOtherRow(row), log: logOf });
    },
    copyHub: (isNoticed) => ({ ...disk.copy(), atMs: scheduler.elapsedMs, isNoticed }),
    restoreHub: (copy) => {
      world.kill(hub.node);
      disk.putBack(copy);
      observer.onRestore(copy);
      world.startHub();
    },
    startReplica: (node, isRestoring = false) => {
      revive(node);
      const isElected = replicaCount > 1;
      const onExit = (error: unknown): void => {
        story.tell(node.name, `ended by itself: ${String(error)}`);
        observer.onExit({ node, why: String(error) });
        world.kill(node);
        // As a Deployment does.
        scheduler.send(people, 5000, `restart ${node.name}`, () => world.startReplica(node, isRestoring));
      };
      const onStarted = (stop: () => Promise<void>): void => void stops.set(node, stop);
      stops.delete(node);
      const openDownstream = ({ server: url }: { readonly server: string }) => {
        const reached = [...members.values()].find(({ server }) => server.url === url)?.server;
        if (reached === undefined) throw new Error(`no cluster has the address ${url}`);
        return network.transport(node, reached, administrator);
      };
      const of = { node, hub, network, remote, forge, scheduler, pace };
      const parts = { ...of, openDownstream, isElected, isRestoring, servesForeign };
      startDaemonProcess({ ...parts, log: logOf(node), onStarted, onExit });
    },
    stopReplica: (node, isCalm) => {
      const asked = { atMs: scheduler.elapsedMs, isCalm };
      const stop = stops.get(node);
      if (stop === undefined || !node.isAlive) return;
      stops.delete(node);
      const { life } = node;
      const exit = (why: string): void => {
        if (life !== node.life) return;
        observer.onExit({ node, why, asked });
        world.kill(node);
      };
      scheduler.send(node, 0, "SIGTERM", () => {
        stop().then(
          () => exit("stopped"),
          (error: unknown) => exit(String(error)),
        );
      });
    },
    addMember: (name, values) => clusters.add(name, values),
    addReachedMember: (name) => clusters.addReached(name),
    rebuildMember: (member) => clusters.rebuild(member),
    startAgent: (member) => clusters.startAgent(member),
    kill: (node) => {
      scheduler.kill(node);
      network.dropAll(node);
      for (const server of [hub, ...[...members.values()].map((member) => member.server)])
        if (server.node === node) server.serve = undefined;
    },
    act: (what, work) => {
      scheduler.send(people, 0, what, () => {
        work().catch((error: unknown) => story.tell("people", `${what} failed: ${String(error)}`));
      });
    },
  };
  return world;
}
