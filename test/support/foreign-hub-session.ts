import { createChildFights } from "../../src/hub/child-fights.ts";
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { apiOf, connectDownstream } from "../../src/daemon/connect-hub.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import { outsideTypesOf } from "../../src/hub/outside-types.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { startHubControllers } from "../../src/hub/controllers/controllers.ts";
import type { HubEvent } from "../../src/hub/events.ts";
import { HealthTimer } from "../../src/hub/health.ts";
import { HubView } from "../../src/hub/hub-view.ts";
import { createValueSharing } from "../../src/hub/share-values.ts";
import { watchedTypes } from "../../src/hub/watched-types.ts";
import { ensureTrustKey } from "../../src/hub/trust-key.ts";
import type { JoinProtocol } from "../../src/join/join.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import type { HubFacts } from "../../src/model/member.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { countingApi } from "./counting-api.ts";
import type { HubUnderTest } from "./hub-under-test.ts";
import { makeTrustKey } from "./trust-key.ts";
import { declareObject } from "./declare-object.ts";
import { longestWaitMs } from "./until.ts";

/** A hub that serves the agents of another project in one workspace. */
export interface ForeignHubSession {
  readonly api: KubeApi;
  readonly kubeconfig: string;
  /** Events that the hub wanted to be written. */
  readonly noted: readonly HubEvent[];
  readonly workspace: string;
  /** Calls of the hub's controllers so far, by verb and kind. */
  readonly hubCalls: ReadonlyMap<string, number>;
  get(type: ResourceType, name: string, namespace?: string): Promise<KubeObject | undefined>;
  declareCluster(
    name: string,
    spec: Cluster["spec"],
    labels?: Record<string, string>,
    annotations?: Record<string, string>,
  ): Promise<void>;
  /** Resolves with what the question answers as soon as it answers something. Rejects after 100 s. */
  eventually<T>(what: string, question: () => Promise<T | undefined | false>): Promise<T>;
  /** Another process takes over: everything it knows it reads from the hub. */
  restartHub(): Promise<void>;
  /** The hub decides as if it were this much later. */
  shiftHubTime(durationMs: number): void;
  close(): Promise<void>;
}

export interface ServedForeign {
  readonly protocol: JoinProtocol;
  /** Default: nothing is installed. */
  readonly installOnHub?: (api: KubeApi, signal: AbortSignal) => Promise<void>;
}

export async function openForeignHubSession(
  hub: HubUnderTest,
  first: ServedForeign,
  ...others: readonly ServedForeign[]
): Promise<ForeignHubSession> {
  const served = [first, ...others];
  const protocols = new Map(served.map(({ protocol }) => [protocol.name, protocol]));
  const connection = readKubeconfig(hub.kubeconfig);
  const api = apiOf(connection);
  const hubCalls = new Map<string, number>();
  const hubApi = countingApi(api, hubCalls);
  const caBundle = (await connection.getTls()).caPem ?? "";
  const id = randomUUID().slice(0, 8);
  const [workspace, daemonNamespace] = [`members-${id}`, `daemon-${id}`];
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  if (hub.isReady !== true) await installCrds(api, ending.signal);
  for (const { installOnHub } of served) await installOnHub?.(api, ending.signal);
  for (const [name, labels] of [
    [daemonNamespace, {}],
    [workspace, { [labelKeys.workspace]: "true" }],
  ] as const)
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }, { fieldManager: "test" });
  const endpoint = { url: api.server, caBundle };
  const trust = { hubApi: api, namespace: daemonNamespace, endpoint, nowMs: Date.now(), makeKey: makeTrustKey };
  const identity = await ensureTrustKey(trust);
  const noted: HubEvent[] = [];
  let shiftMs = 0;
  const hubFacts = (): HubFacts => ({
    ...identity,
    endpoint,
    daemonNamespace,
    version: "0.1.0",
    agentImage: "rollcall",
    nowMs: Date.now() + shiftMs,
  });
  let running = await start();

  async function start() {
    const view = new HubView({
      types: watchedTypes([...protocols.values()]),
      outsideTypes: outsideTypesOf(protocols),
      registrationTypeOf: (name) => protocols.get(name)?.registrations.type,
      namedSecretsOf: (name, cluster) => protocols.get(name)?.namedSecrets(cluster) ?? [],
      startCache: (type, options) => startKubeCache(api, type, options, { clock: realClock, random: realRandom }),
      isAllowedWorkspace: (name) => name === workspace,
      shareValues: createValueSharing(),
      log: silentLog,
    });
    await view.whenSynced();
    const enqueue: { member?: (workspace: string, name: string) => void } = {};
    const health = new HealthTimer({
      clock: realClock,
      onTurn: (key) => enqueue.member?.(key.split("/")[0] ?? "", key.split("/")[1] ?? ""),
      watchFailingSinceMs: () => view.failingSinceMs(first.protocol.heartbeatType),
    });
    const controllers = startHubControllers(
      {
        hubApi,
        view,
        health,
        protocols,
        hubFacts,
        clock: { ...realClock, nowMs: () => realClock.nowMs() + shiftMs },
        entropy: realRandom,
        log: silentLog,
        childFights: createChildFights(realClock),
        events: { record: (event) => void noted.push(event) },
        agentRollout: () => ({}),
        publishedHoldMs: () => 0,
        answerWaitMs: () => 0,
        connectDownstream,
      },
      { random: realRandom, onProposal: () => undefined },
    );
    enqueue.member = (inWorkspace, name) => controllers.enqueueMember(inWorkspace, name);
    const stop = async (): Promise<void> => {
      await controllers.stop();
      health.stop();
      await view.stop();
    };
    return { controllers, stop };
  }

  const session: ForeignHubSession = {
    api,
    noted,
    kubeconfig: hub.kubeconfig,
    workspace,
    hubCalls,
    get: (type, name, namespace = workspace) => api.get({ type, name, ...(type.isNamespaced ? { namespace } : {}) }),
    declareCluster: async (name, spec, labels = {}, annotations = {}) => {
      const metadata = { name, namespace: workspace, labels, annotations };
      const cluster = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec };
      await declareObject(api, cluster);
    },
    eventually,
    restartHub: async () => {
      await running.stop();
      running = await start();
    },
    shiftHubTime: (durationMs) => {
      shiftMs = durationMs;
      running.controllers.enqueueAll();
    },
    close: async () => {
      await running.stop();
      ending.abort();
      for (const name of [workspace, daemonNamespace]) await api.delete({ type: resourceTypes.namespace, name });
      await api.close();
      await hub.stop();
    },
  };
  return session;
}

async function eventually<T>(what: string, question: () => Promise<T | undefined | false>): Promise<T> {
  // A real API server believes a token for ten seconds after its account was deleted, and takes namespaces away when it comes to it.
  const endMs = Date.now() + longestWaitMs;
  for (;;) {
    const answer = await question();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > endMs) throw new Error(`it did not come to pass in ${longestWaitMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
