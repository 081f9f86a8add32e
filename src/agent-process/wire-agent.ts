import { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { version } from "../core/version.ts";
import type { AgentDependencies, HubTarget } from "../agent/agent-dependencies.ts";
import type { KubeConnection } from "../kube/connection.ts";
import { fixedConnection } from "../kube/connection.ts";
import { createHttpsTransport } from "../kube/https-transport.ts";
import { createTlsMemory } from "../kube/open-socket.ts";
import type { TlsMemory } from "../kube/open-socket.ts";
import { createKubeApi } from "../kube/kube-api.ts";
import { startKubeCache } from "../kube/kube-cache.ts";
import type { KubeApi } from "../kube/kube.ts";
import { runAsLeader } from "../kube/leader-election.ts";
import { readInClusterConfig } from "../kube/read-in-cluster-config.ts";
import { agentNames } from "../model/dialects/rollcall.ts";
import { createLineLog } from "../system/line-log.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import { proxyOf } from "../http/choose-proxy.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface AgentWiring {
  readonly environment: Environment;
  readonly logLevel: string;
  readonly write: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * The agent's dependencies in a Pod. The environment has its identity and place: KUBERNETES_SERVICE_HOST and _PORT,
 * ROLLCALL_SERVICE_ACCOUNT_DIR (default: where Kubernetes mounts it), ROLLCALL_AGENT_NAMESPACE (default: the service
 * account's), ROLLCALL_POD_NAME, ROLLCALL_HEALTH_PORT (unset: no probes), ROLLCALL_HEALTH_HOST, HTTPS_PROXY, NO_PROXY.
 * @throws E_KUBECONFIG outside of a cluster
 */
export async function wireAgent({ environment, logLevel, write, signal }: AgentWiring): Promise<AgentDependencies> {
  const connection = await readInClusterConfig({
    host: environment["KUBERNETES_SERVICE_HOST"],
    port: environment["KUBERNETES_SERVICE_PORT"],
    folder: environment["ROLLCALL_SERVICE_ACCOUNT_DIR"] || undefined,
    clock: realClock,
  });
  const namespace = environment["ROLLCALL_AGENT_NAMESPACE"] || connection.namespace;
  const podName = environment["ROLLCALL_POD_NAME"] || environment["HOSTNAME"] || "agent";
  const log = createLineLog({ level: logLevel, nowMs: () => realClock.nowMs(), write });
  const downstreamApi = leanApi(connection);
  const health = healthAddress(environment);
  return {
    downstreamApi,
    connectHub: hubConnector(environment),
    followObject,
    runAsLeader: (work, leaderSignal) => leadByLease(downstreamApi, { namespace, podName, log }, work, leaderSignal),
    clock: realClock,
    random: realRandom,
    log,
    signal,
    settings: { version, namespace, podName, ...(health === undefined ? {} : { health }) },
  };
}

/** A connection by nothing but what Node.js has. */
export function leanApi(connection: KubeConnection, tlsMemory?: TlsMemory): KubeApi {
  const transport = createHttpsTransport(connection, { connections: 2, ...(tlsMemory ? { tlsMemory } : {}) });
  // Nodes come in small pages: an agent of a large cluster must not hold many at once as text.
  return createKubeApi({ transport, clock: realClock, random: realRandom, pageSize: 100 });
}

/**
 * How an agent connects to the hub, by a proxy where the environment names one. It opens several connections one after the
 * other and at once, to one server: those after the first cost little.
 */
export function hubConnector(environment: Environment): AgentDependencies["connectHub"] {
  const tlsMemory = createTlsMemory();
  return (target) => leanApi(hubConnection(target, environment), tlsMemory);
}

function hubConnection({ url, caBundle, token, isUnverified }: HubTarget, environment: Environment): KubeConnection {
  const proxyUrl = proxyOf(url, environment);
  const connection = fixedConnection({
    server: url,
    ...(caBundle === "" ? {} : { caPem: caBundle }),
    ...(token === undefined ? {} : { token }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  });
  return isUnverified ? { ...connection, isUnverified } : connection;
}

/**
 * Heartbeats search for a hub that is away, and the link ends this wait when they find it. They are spread over their
 * period; watches all break in the same moment, and would return in the same seconds.
 */
const awayBackoff = { initialMs: 60_000, maximumMs: 300_000 };

/** One object by the cache of its kind: list, watch, and polling where a proxy lets no watch through. */
export const followObject: AgentDependencies["followObject"] = (
  api,
  { type, namespace, name },
  { onObject, onError },
) =>
  startKubeCache(
    api,
    type,
    {
      ...(namespace === undefined ? {} : { namespace }),
      fieldSelector: `metadata.name=${name}`,
      keepManagedFields: false,
      onChange: ({ object }) => onObject(object),
      onError,
    },
    { clock: realClock, random: realRandom, awayBackoff },
  );

/**
 * A Pod runs one container of this name at a time, so its name is the holder: a container that was restarted leads again at
 * once. Failures are logged once a minute.
 */
export function leadByLease(
  api: KubeApi,
  { namespace, podName, log }: { readonly namespace: string; readonly podName: string; readonly log: Log },
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let warnedMs = -Infinity;
  return runAsLeader(api, {
    namespace,
    name: agentNames.agent,
    identity: podName,
    clock: realClock,
    random: realRandom,
    signal,
    onLeading: work,
    onError: (error) => {
      if (realClock.monotonicMs() - warnedMs < 60_000) return;
      warnedMs = realClock.monotonicMs();
      log.warn("the leadership's lease could not be kept", { error });
    },
    leaseDurationMs: 30_000,
    renewDeadlineMs: 20_000,
    retryPeriodMs: 5_000,
  });
}

function healthAddress(environment: Environment): { host: string; port: number } | undefined {
  const text = environment["ROLLCALL_HEALTH_PORT"] ?? "";
  if (text === "") return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new AppError("E_USAGE", `ROLLCALL_HEALTH_PORT is not a port: ${JSON.stringify(text)}`);
  return { host: environment["ROLLCALL_HEALTH_HOST"] || "0.0.0.0", port };
}
