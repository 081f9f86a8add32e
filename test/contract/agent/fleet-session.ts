import { createChildFights } from "../../../src/hub/child-fights.ts";
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { apiOf, connectDownstream } from "../../../src/daemon/connect-hub.ts";
import { installCrds } from "../../../src/install/install-crds.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { followObject, leadByLease, leanApi, hubConnector } from "../../../src/agent-process/wire-agent.ts";
import { runAgent } from "../../../src/agent/agent.ts";
import type { AgentDependencies, HubTarget } from "../../../src/agent/agent-dependencies.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Clock } from "../../../src/core/clock.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { startHubControllers } from "../../../src/hub/controllers/controllers.ts";
import type { HubControllers } from "../../../src/hub/controllers/controllers.ts";
import { HealthTimer } from "../../../src/hub/health.ts";
import { HubView } from "../../../src/hub/hub-view.ts";
import { createValueSharing } from "../../../src/hub/share-values.ts";
import { watchedTypes } from "../../../src/hub/watched-types.ts";
import { ensureTrustKey } from "../../../src/hub/trust-key.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { fixedConnection } from "../../../src/kube/connection.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../src/model/kubernetes.ts";
import type { HubFacts } from "../../../src/model/member.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { countingApi } from "../../support/counting-api.ts";
import { declareObject } from "../../support/declare-object.ts";
import { makeTrustKey } from "../../support/trust-key.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { longestWaitMs } from "../../support/until.ts";

/** A hub with a workspace and its controllers, and agents whose clusters are the same API server. */
export interface FleetSession {
  readonly api: KubeApi;
  /** Of an administrator. */
  readonly kubeconfig: string;
  readonly workspace: string;
  readonly hubFacts: () => HubFacts;
  readonly controllers: HubControllers;
  get(type: ResourceType, name: string, namespace?: string): Promise<KubeObject | undefined>;
  /** One of our own kinds as a file declares it; any other as a person makes it. */
  create(object: KubeObject): Promise<KubeObject>;
  /** Resolves with the object as soon as it meets the condition. Rejects after 20 s with what it was last. */
  until(type: ResourceType, name: string, condition: (object: KubeObject | undefined) => boolean): Promise<KubeObject>;
  untilIn(
    namespace: string,
    type: ResourceType,
    name: string,
    condition: (object: KubeObject | undefined) => boolean,
  ): Promise<KubeObject>;
  /** Resolves when the object is deleted. */
  untilDeleted(type: ResourceType, name: string, namespace?: string): Promise<void>;
  /** Starts an agent in this namespace, as the account that its installation made there. */
  startAgent(namespace: string, changes?: AgentChanges): Promise<RunningAgent>;
  /** Calls of the hub's controllers so far, by verb and kind. */
  readonly hubCalls: ReadonlyMap<string, number>;
  /** What the hub's controllers logged. */
  readonly hubLines: readonly LogLine[];
  /** A name for a namespace that is deleted at the end. */
  agentNamespace(): string;
  /** Changes what is true of the hub, and has its controllers reconcile everything again. */
  changeFacts(facts: Partial<HubFacts>): void;
  /** The hub decides as if it were this much later. */
  shiftHubTime(durationMs: number): void;
  /** Since when the controllers see nothing of the hub; undefined while they do. */
  hubAwaySinceMs(): number | undefined;
  close(): Promise<void>;
}

export interface AgentChanges {
  readonly clock?: AgentDependencies["clock"];
  readonly podName?: string;
  readonly version?: string;
  readonly factsPeriodMs?: number;
  /** Is between the agent and the hub. */
  readonly connectHub?: (target: HubTarget, connect: (target: HubTarget) => KubeApi) => KubeApi;
}

export interface RunningAgent {
  readonly lines: readonly LogLine[];
  /** Every connection to the hub that it opened, in order. */
  readonly hubApis: readonly KubeApi[];
  readonly healthPort: () => number;
  stop(): Promise<void>;
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

export async function openFleetSession(
  hub: HubUnderTest,
  options: {
    /** By which the hub's controllers live. */
    readonly clock?: Clock;
    /** By which they reach the hub; default: directly. */
    readonly controllersServer?: string;
  } = {},
): Promise<FleetSession> {
  const { clock = realClock, controllersServer } = options;
  const connection = readKubeconfig(hub.kubeconfig);
  const api = apiOf(connection);
  const hubCalls = new Map<string, number>();
  const controllersKubeconfig = hub.kubeconfig.replaceAll(api.server, controllersServer ?? api.server);
  const hubApi = countingApi(apiOf(readKubeconfig(controllersKubeconfig)), hubCalls);
  const caBundle = (await connection.getTls()).caPem ?? "";
  const id = randomUUID().slice(0, 8);
  const workspace = `fleet-${id}`;
  const daemonNamespace = `daemon-${id}`;
  const namespaces = [workspace, daemonNamespace];
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  if (hub.isReady !== true) await installCrds(api, ending.signal);
  await makeNamespace(api, daemonNamespace, {});
  await makeNamespace(api, workspace, { [labelKeys.workspace]: "true" });
  const endpoint = { url: api.server, caBundle };
  let changes: Partial<HubFacts> = {};
  let shiftMs = 0;
  const identity = await ensureTrustKey({
    hubApi: api,
    namespace: daemonNamespace,
    endpoint,
    nowMs: clock.nowMs(),
    makeKey: makeTrustKey,
  });
  const hubFacts = (): HubFacts => ({
    ...identity,
    endpoint,
    daemonNamespace,
    version: "0.1.0",
    agentImage: "rollcall",
    nowMs: clock.nowMs() + shiftMs,
    ...changes,
  });
  const agents = new Set<RunningAgent>();
  const hubLines: LogLine[] = [];
  const hubLog = collectingLog(hubLines);
  const running = await startHub();

  async function startHub() {
    const view = new HubView({
      types: watchedTypes([rollcallProtocol]),
      startCache: (type, options) => startKubeCache(hubApi, type, options, { clock: realClock, random: realRandom }),
      isAllowedWorkspace: (name) => name === workspace,
      shareValues: createValueSharing(),
      log: silentLog,
    });
    await view.whenSynced();
    const enqueue: { member?: (workspace: string, name: string) => void } = {};
    const health = new HealthTimer({
      clock,
      onTurn: (key) => enqueue.member?.(key.split("/")[0] ?? "", key.split("/")[1] ?? ""),
      watchFailingSinceMs: () => view.failingSinceMs(resourceTypes.lease),
    });
    const controllers = startHubControllers(
      {
        hubApi,
        view,
        health,
        protocols: new Map([["rollcall", rollcallProtocol]]),
        hubFacts,
        clock,
        entropy: realRandom,
        log: hubLog,
        childFights: createChildFights(realClock),
        events: { record: () => undefined },
        agentRollout: () => ({}),
        publishedHoldMs: () => 0,
        answerWaitMs: () => 0,
        connectDownstream,
      },
      { random: realRandom, onProposal: () => undefined },
    );
    enqueue.member = (inWorkspace, name) => controllers.enqueueMember(inWorkspace, name);
    const stop = async () => {
      await controllers.stop();
      health.stop();
      await view.stop();
    };
    return { controllers, stop, awaySinceMs: () => view.failingSinceMs(resourceTypes.lease) };
  }

  const story = () => {
    const lines = [...hubLines, ...[...agents].flatMap((agent) => agent.lines.slice(-10))];
    return lines.filter(({ level }) => level === "warn" || level === "error").slice(-30);
  };
  const untilIn: FleetSession["untilIn"] = async (namespace, type, name, condition) => {
    try {
      return await follow(api, { type, namespace, name }, condition);
    } catch (error) {
      throw new Error(`${String(error)}\n${JSON.stringify(story(), undefined, 1)}`, { cause: error });
    }
  };
  const session: FleetSession = {
    api,
    hubCalls,
    kubeconfig: hub.kubeconfig,
    workspace,
    hubLines,
    hubFacts,
    get controllers() {
      return running.controllers;
    },
    get: (type, name, namespace = workspace) => api.get({ type, name, ...(type.isNamespaced ? { namespace } : {}) }),
    create: (object) =>
      object.apiVersion.startsWith("rollcall.dev/")
        ? declareObject(api, object)
        : api.create(object, { fieldManager: "test" }),
    until: (type, name, condition) => untilIn(workspace, type, name, condition),
    untilIn,
    untilDeleted: async (type, name, namespace = workspace) => {
      await untilIn(namespace, type, name, (object) => object === undefined);
    },
    startAgent: async (namespace, agentChanges = {}) => {
      const agent = await startAgent(api, endpoint, namespace, agentChanges);
      agents.add(agent);
      return agent;
    },
    agentNamespace: () => {
      const name = `agent-${randomUUID().slice(0, 8)}`;
      namespaces.push(name);
      return name;
    },
    changeFacts: (facts) => {
      changes = { ...changes, ...facts };
      running.controllers.enqueueAll();
    },
    shiftHubTime: (durationMs) => {
      shiftMs = durationMs;
      running.controllers.enqueueAll();
    },
    hubAwaySinceMs: running.awaySinceMs,
    close: async () => {
      await Promise.all([...agents].map((agent) => agent.stop()));
      await running.stop();
      ending.abort();
      for (const name of namespaces) await api.delete({ type: resourceTypes.namespace, name });
      await hubApi.close();
      await api.close();
      await hub.stop();
    },
  };
  return session;
}

/** Starts an agent in this namespace of a cluster whose administrator this client is. */
export async function startAgent(
  admin: KubeApi,
  endpoint: { readonly url: string; readonly caBundle: string },
  namespace: string,
  changes: AgentChanges,
): Promise<RunningAgent> {
  const { clock = realClock, podName = "agent-pod", version = "0.1.0", factsPeriodMs = 500, connectHub } = changes;
  const { token } = await admin.requestToken({ namespace, serviceAccount: "rollcall-agent", expirationSeconds: 3600 });
  const downstreamApi = leanApi(fixedConnection({ server: endpoint.url, caPem: endpoint.caBundle, token }));
  const stopping = new AbortController();
  const lines: LogLine[] = [];
  const hubApis: KubeApi[] = [];
  const log = collectingLog(lines);
  const connectLean = hubConnector({});
  const connect = (target: HubTarget): KubeApi => {
    const api = connectLean(target);
    hubApis.push(api);
    return api;
  };
  const running = runAgent({
    downstreamApi,
    connectHub: connectHub === undefined ? connect : (target) => connectHub(target, connect),
    followObject,
    runAsLeader: (work, signal) => leadByLease(downstreamApi, { namespace, podName, log }, work, signal),
    clock,
    random: realRandom,
    log,
    signal: stopping.signal,
    settings: { version, namespace, podName, health: { host: "127.0.0.1", port: 0 }, factsPeriodMs },
  });
  return {
    lines,
    hubApis,
    healthPort: () => Number(lines.find(({ message }) => message === "agent started")?.fields["healthPort"]),
    stop: async () => {
      stopping.abort();
      await running;
      await downstreamApi.close();
    },
  };
}

/** Resolves with the object as soon as it meets the condition. Rejects after 20 s (or so) with what it was last. */
export function follow(
  api: KubeApi,
  { type, namespace, name }: ObjectRef,
  condition: (object: KubeObject | undefined) => boolean,
  timeoutMs = longestWaitMs,
): Promise<KubeObject> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => {
      end();
      const last = JSON.stringify(cache.get(namespace, name), undefined, 1);
      reject(new Error(`${type.kind}/${name} did not become as wanted; it is ${last}`));
    }, timeoutMs);
    const end = () => {
      clearTimeout(timeout);
      void cache.stop();
    };
    const look = (object: KubeObject | undefined) => {
      if (!condition(object)) return;
      end();
      resolve(object ?? { apiVersion: "", kind: type.kind, metadata: { name } });
    };
    const cache = startKubeCache(
      api,
      type,
      {
        ...(namespace === undefined ? {} : { namespace }),
        fieldSelector: `metadata.name=${name}`,
        onChange: ({ object }) => look(object),
      },
      { clock: realClock, random: realRandom },
    );
    void cache.whenSynced().then(
      () => {
        if (cache.get(namespace, name) === undefined) look(undefined);
      },
      () => undefined, // ended before the first list: the promise has its answer
    );
  });
}

export function collectingLog(lines: LogLine[], common: LogFields = {}): Log {
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields: { ...common, ...fields } });
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: (fields) => collectingLog(lines, { ...common, ...fields }),
  };
}

async function makeNamespace(api: KubeApi, name: string, labels: Record<string, string>): Promise<void> {
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }, { fieldManager: "test" });
}
