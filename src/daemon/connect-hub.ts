import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError, isAppError } from "../core/errors.ts";
import { createAnswerBudget } from "../kube/answer-budget.ts";
import type { AnswerBudget } from "../kube/answer-budget.ts";
import { createKubeApi } from "../kube/kube-api.ts";
import type { KubeConnection, TlsMaterial } from "../kube/connection.ts";
import { parseServerUrl } from "../kube/connection.ts";
import type { KubeApi } from "../kube/kube.ts";
import { explainUnserved } from "../kube/explain-unserved.ts";
import { nameKubectl } from "../kube/name-kubectl.ts";
import { readInClusterConfig } from "../kube/read-in-cluster-config.ts";
import { readKubeconfig } from "../kube/read-kubeconfig.ts";
import { readTrustedKubeconfig } from "../kube/read-trusted-kubeconfig.ts";
import type { Transport } from "../kube/transport.ts";
import { createUndiciTransport } from "../kube/undici-transport.ts";
import type { Settings } from "../settings/settings.ts";
import { proxyOf } from "../http/choose-proxy.ts";
import { homeFolder } from "../system/home-folder.ts";
import { readText } from "../system/read-text.ts";
import { realClock, realRandom } from "../system/real-clock.ts";

export interface HubConnection {
  readonly hubApi: KubeApi;
  readonly connection: KubeConnection;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What is reported where no kubeconfig is named. */
const unnamed = {
  hub: "Name the kubeconfig of the hub. `rollcall up` starts a fleet with a hub on this machine, whose kubeconfig is .rollcall/hub.kubeconfig.",
  cluster:
    "Name the kubeconfig of the cluster that the agent is installed into, or that joins the fleet. It is not that of the hub.",
} as const;

/**
 * The hub that the settings name: --kubeconfig, $KUBECONFIG, the cluster this process runs in, ~/.kube/config. What a
 * kubeconfig names is reached through HTTPS_PROXY where it names no proxy itself; the own cluster never is. `what` is named where
 * the settings name none: some commands work on a cluster that is not the hub.
 * @throws E_KUBECONFIG
 */
export async function connectHub(
  settings: Settings,
  environment: Environment,
  { what = "hub" }: { readonly what?: keyof typeof unnamed } = {},
): Promise<HubConnection> {
  const connection = await hubConnection(settings, environment, what);
  return { hubApi: apiOf(connection), connection };
}

/**
 * The API server of one kubeconfig file, by the same proxies.
 * @throws E_KUBECONFIG
 */
export async function connectFile(path: string, environment: Environment): Promise<HubConnection> {
  const connection = proxied(await readTrustedKubeconfig(path, { clock: realClock, environment }), environment);
  return { hubApi: apiOf(connection), connection };
}

async function hubConnection(
  settings: Settings,
  environment: Environment,
  what: keyof typeof unnamed,
): Promise<KubeConnection> {
  const context = settings.text("context");
  const options = { clock: realClock, environment, ...(context === undefined ? {} : { context }) };
  const path = settings.text("kubeconfig") ?? environment["KUBECONFIG"];
  if (path !== undefined && path !== "") return proxied(await readTrustedKubeconfig(path, options), environment);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (host !== undefined && host !== "") return readInClusterConfig({ host, port, clock: realClock });
  const home = homeFolder(environment);
  const usual = home && join(home, ".kube", "config");
  if (usual === undefined || !existsSync(usual)) {
    throw new AppError(
      "E_KUBECONFIG",
      `no ${what} is named: give --kubeconfig FILE or set KUBECONFIG; ~/.kube/config is not there`,
      { remedy: unnamed[what] },
    );
  }
  return proxied(await readTrustedKubeconfig(usual, options), environment);
}

export interface DownstreamOptions {
  /** Where HTTPS_PROXY and NO_PROXY are looked up. Default: nowhere. */
  readonly environment?: Environment | undefined;
  /** Bounds what all members together may answer at once. */
  readonly answers?: AnswerBudget | undefined;
  /** Default: over the network of this machine. */
  readonly openTransport?: ((connection: KubeConnection) => Transport) | undefined;
}

/** A client of a downstream cluster from the kubeconfig in its Secret; only a self-contained one is accepted. */
export function connectDownstream(kubeconfig: string, options: DownstreamOptions = {}): KubeApi {
  const {
    environment = {},
    answers = createAnswerBudget(memberAnswerBytes),
    openTransport = createUndiciTransport,
  } = options;
  const transport = openTransport(proxied(readKubeconfig(kubeconfig), environment));
  return createKubeApi({ transport, clock: realClock, random: realRandom, answers, ...memberLimits });
}

/** Of all members together. */
export const memberAnswerBytes = 12 * 1024 * 1024;
const memberLimits = { pageSize: 100, maxPageBytes: 4 * 1024 * 1024 };

function proxied(connection: KubeConnection, environment: Environment): KubeConnection {
  const proxyUrl = connection.proxyUrl ?? proxyOf(connection.server, environment);
  return proxyUrl === undefined ? connection : { ...connection, proxyUrl };
}

export function apiOf(connection: KubeConnection): KubeApi {
  const transport = createUndiciTransport(connection);
  const named = nameKubectl(connection.kubectl);
  const explain = (error: unknown): unknown => named(explainUnserved(error));
  return createKubeApi({ transport, clock: realClock, random: realRandom, maxObjectBytes: hubObjectBytes, explain });
}

/**
 * More than an API server can have of an object: etcd takes 1.5 MiB, and a byte of a text takes six characters in JSON at most
 * (`\u003c`). A watch that cannot hold one object shows nothing of all others.
 */
const hubObjectBytes = 16 * 1024 * 1024;

/** The same API server as another user: by this token, and with no credential of this process. */
export function connectAs(token: string, { server, getTls, tlsServerName, proxyUrl }: KubeConnection): KubeApi {
  let trust: Promise<TlsMaterial> | undefined;
  return apiOf({
    server,
    getTls: () => (trust ??= getTls().then(({ caPem }) => (caPem === undefined ? {} : { caPem }))),
    getToken: () => Promise.resolve(token),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  });
}

/**
 * What agents dial: the settings, else the address and CA that this process uses itself. Clients without a credential read it.
 * @throws E_USAGE for an address that is not https, or has more than host, port and path
 */
export async function hubEndpoint(
  settings: Settings,
  connection: KubeConnection,
): Promise<{ url: string; caBundle: string }> {
  const url = settings.text("hub-url") ?? connection.server;
  refuseHubUrl(url);
  const caFile = settings.text("hub-ca-file");
  const caBundle = caFile === undefined ? ((await connection.getTls()).caPem ?? "") : await readText(caFile);
  return { url, caBundle };
}

function refuseHubUrl(url: string): void {
  try {
    parseServerUrl(url);
  } catch (error) {
    throw isAppError(error) ? new AppError("E_USAGE", `--hub-url: ${error.message}`, { cause: error }) : error;
  }
}
