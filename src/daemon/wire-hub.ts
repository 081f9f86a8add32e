import { repositoryLabelOf } from "../model/repository-label.ts";
import { largestOf, smallestOf } from "../core/extremes.ts";
import { generateKeyPairSync } from "node:crypto";
import type { Log } from "../core/log.ts";
import { version } from "../core/version.ts";
import { createChildFights } from "../hub/child-fights.ts";
import { startEventRecorder } from "../hub/events.ts";
import { HealthTimer } from "../hub/health.ts";
import type { HubPorts } from "../hub/hub-ports.ts";
import { canBeMissed } from "../hub/record-heartbeat.ts";
import { outsideTypesOf } from "../hub/outside-types.ts";
import { HubView } from "../hub/hub-view.ts";
import { WatchFailures } from "../hub/watch-failures.ts";
import { createValueSharing } from "../hub/share-values.ts";
import { watchedTypes } from "../hub/watched-types.ts";
import type { HubIdentity } from "../hub/trust-key.ts";
import { ensureTrustKey, readTrustKey } from "../hub/trust-key.ts";
import type { JoinProtocol } from "../join/join.ts";
import { startKubeCache } from "../kube/kube-cache.ts";
import type { KubeApi } from "../kube/kube.ts";
import { refusalOfWorkspace } from "../manifests/check-workspaces.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { HubFacts } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { createAnswerBudget } from "../kube/answer-budget.ts";
import type { DownstreamOptions } from "./connect-hub.ts";
import { connectDownstream, memberAnswerBytes } from "./connect-hub.ts";
import { identityForTerm } from "./identity-for-term.ts";
import { protocolsWith } from "./foreign-protocols.ts";
import { workspaceRules } from "../review/fleet-checker.ts";
import { realClock, realRandom } from "../system/real-clock.ts";

type Protocols = ReadonlyMap<ProtocolName, JoinProtocol>;

export interface HubPortsOptions {
  readonly hubApi: KubeApi;
  /** Of the daemon. */
  readonly namespace: string;
  readonly identity: HubIdentity;
  readonly endpoint: HubFacts["endpoint"];
  readonly agentImage: string;
  readonly protocols: Protocols;
  /** Every Repository that is followed. */
  readonly repositories: () => readonly Repository[];
  /** Globs of namespaces that bound the daemon for every Repository. Default: no limit. */
  readonly workspaceLimit?: readonly string[];
  /** Where HTTPS_PROXY and NO_PROXY for downstream clusters are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens connections to downstream clusters. Default: over the network of this machine. */
  readonly openDownstream?: DownstreamOptions["openTransport"] | undefined;
  /** Called with each member whose health is due. */
  readonly enqueueMember: (workspace: string, name: string) => void;
  /** Called when what waits for a moment has to be reconciled again. Default: nothing. */
  readonly enqueueAll?: () => void;
  /** Default: nothing is published. */
  readonly publishedHoldMs?: HubPorts["publishedHoldMs"];
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface OpenHub {
  readonly ports: HubPorts;
  /** Reads the hub's identity again, for a term that begins. */
  readIdentity(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** What the hub's controllers work with: the view, complete, and all that is real. They are not started here. */
export async function openHubPorts(options: HubPortsOptions): Promise<OpenHub> {
  const { hubApi, namespace, endpoint, agentImage, protocols, log } = options;
  let { identity } = options;
  const { repositories, workspaceLimit } = options;
  const view = startView(hubApi, { repositories, workspaceLimit, namespace, log, protocols, isSharing: true });
  await view.whenSynced(options.signal);
  const heartbeatTypes = [...protocols.values()].map(({ heartbeatType }) => heartbeatType);
  const health = new HealthTimer({
    clock: realClock,
    onTurn: (key, kind) => {
      const [workspace, name] = splitKey(key);
      const cluster = view.get({ type: resourceTypes.cluster, namespace: workspace, name });
      const isMissed = canBeMissed(cluster as Cluster | undefined, view.memberStateOf(workspace, name));
      if (kind !== "unresponsive" || isMissed) options.enqueueMember(workspace, name);
    },
    watchFailingSinceMs: () => earliest(heartbeatTypes.map((type) => view.failingSinceMs(type))),
    onClockStep: () => options.enqueueAll?.(),
  });
  const events = startEventRecorder({ hubApi, clock: realClock, log });
  const daemonFacts = { daemonNamespace: namespace, version, agentImage };
  const agentRollout = (label: string) =>
    repositories().find((repository) => repositoryLabelOf(repository) === label)?.spec.agentRollout ?? {};
  const memberAnswers = createAnswerBudget(memberAnswerBytes);
  const deadlines = () => {
    const all = repositories();
    return all.length === 0 ? [600] : all.map(({ spec }) => spec.agentRollout?.deadlineSeconds ?? 600);
  };
  return {
    ports: {
      hubApi,
      view,
      health,
      protocols,
      hubFacts: () => ({
        ...identity,
        ...daemonFacts,
        // An agent gets what the most patient repository gives.
        agentDeadlineSeconds: largestOf(deadlines()),
        endpoint,
        nowMs: realClock.nowMs(),
      }),
      agentRollout,
      clock: realClock,
      entropy: realRandom,
      log,
      events,
      childFights: createChildFights(realClock),
      publishedHoldMs: options.publishedHoldMs ?? (() => 0),
      answerWaitMs: () => health.answerWaitMs(),
      connectDownstream: (kubeconfig) =>
        connectDownstream(kubeconfig, {
          environment: options.environment,
          answers: memberAnswers,
          openTransport: options.openDownstream,
        }),
    },
    readIdentity: async (signal) => {
      const read = async () =>
        (await readTrustKey({ hubApi, namespace, signal })) && ensureIdentity({ hubApi, namespace, endpoint, signal });
      identity = await identityForTerm(identity, { read, clock: realClock, random: realRandom, log }, signal);
    },
    stop: async () => {
      health.stop();
      await events.stop();
      await view.stop();
    },
  };
}

/** The hub's identity, made at the first start; announces the endpoint when it has changed. */
export function ensureIdentity(options: {
  readonly hubApi: KubeApi;
  readonly namespace: string;
  readonly endpoint: HubFacts["endpoint"];
  readonly signal: AbortSignal;
}): Promise<HubIdentity> {
  return ensureTrustKey({ ...options, nowMs: realClock.nowMs(), makeKey: makeTrustKey });
}

export function startView(
  hubApi: KubeApi,
  options: {
    readonly repositories: () => readonly Repository[];
    readonly workspaceLimit?: readonly string[] | undefined;
    readonly namespace: string;
    readonly log: Log;
    /** Default: the own one. */
    readonly protocols?: Protocols;
    /** Time is spent so that the objects take half the memory. */
    readonly isSharing: boolean;
  },
): HubView {
  const { protocols = protocolsWith([]), repositories, workspaceLimit, namespace, log, isSharing } = options;
  const failures = new WatchFailures(log, realClock);
  return new HubView({
    types: watchedTypes([...protocols.values()]),
    outsideTypes: outsideTypesOf(protocols),
    registrationTypeOf: (name) => protocols.get(name)?.registrations.type,
    identifyingTypes: [...protocols.values()].flatMap(({ registrations }) => registrations.identifyingTypes),
    namedSecretsOf: (name, cluster) => protocols.get(name)?.namedSecrets(cluster) ?? [],
    startCache: (type, cacheOptions) =>
      startKubeCache(hubApi, type, failures.loggedOptions(type, cacheOptions), {
        clock: realClock,
        random: realRandom,
      }),
    isAllowedWorkspace: (name) => {
      const known = repositories();
      const rules = (known.length === 0 ? [undefined] : known).map((one) =>
        workspaceRules(one, namespace, workspaceLimit),
      );
      return rules.some((rule) => refusalOfWorkspace(name, rule) === undefined);
    },
    ...(isSharing ? { shareValues: createValueSharing() } : {}),
    log,
  });
}

function earliest(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : smallestOf(known);
}

/** A new Ed25519 key, PKCS #8 PEM. */
export function makeTrustKey(): string {
  return generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
}

function splitKey(key: string): [string, string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}
