import { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { version } from "../core/version.ts";
import { isHintFor, mayBeSigned, readWebhook } from "../forge/read-webhook.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { InstallAddress } from "../model/install-address.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { RunReport } from "../reconcile/reconciler-options.ts";
import { installRoute } from "../web/install-route.ts";
import { takeInstallManifest } from "./take-install-manifest.ts";
import { healthRoutes } from "../web/health-routes.ts";
import type { MetricsSource } from "../web/metrics.ts";
import { createMetrics } from "../web/metrics.ts";
import type { WebhookAnswer } from "../web/webhook-route.ts";
import { webhookRoute } from "../web/webhook-route.ts";
import { startWebServer } from "../web/web.ts";
import { realClock } from "../system/real-clock.ts";
import type { RepositorySource } from "./known-repository.ts";
import type { Daemon } from "./wire-run.ts";

export interface DaemonWeb {
  readonly port: number;
  /** From then on the metrics are those of this daemon, and it may be ready. */
  attach(daemon: Daemon, repository: RepositorySource): void;
  recordRun(report: RunReport): void;
  close(): Promise<void>;
}

/** Serves health and metrics of a daemon from before it starts: until it is attached it lives and is not ready. */
export async function startDaemonWeb(options: {
  readonly address: string;
  readonly hubApi: KubeApi;
  readonly log: Log;
  /** Secrets of webhooks, read for each. Absent: there is no webhook. */
  readonly webhookSecrets?: () => Promise<readonly string[]>;
  /** Serves install manifests too. */
  readonly isServingInstalls: boolean;
}): Promise<DaemonWeb> {
  const { hubApi, log, webhookSecrets, isServingInstalls } = options;
  const running: { daemon?: Daemon; repository?: RepositorySource } = {};
  // Of another namespace the hub's refusal would show to clients without a credential which ones are workspaces.
  const takeManifest = async (address: InstallAddress): Promise<string | undefined> =>
    running.daemon?.view.isWorkspace(address.workspace) === false
      ? undefined
      : takeInstallManifest({ hubApi, log, nowMs: () => realClock.nowMs() }, address);
  const metrics = createMetrics(
    {
      version,
      requestCounts: hubApi.requestCounts,
      clusters: () => clustersOf(running.daemon),
      repository: () => running.repository?.read(),
      queues: () => running.daemon?.queueCounts() ?? new Map(),
      leads: () => running.daemon?.leads() ?? new Map(),
      credentialExpiries: () => expiriesOf(running.daemon),
    },
    realClock,
  );
  const ready = {
    started: () => (running.daemon ? undefined : "the first lists from the hub are not complete"),
    hub: () => (running.daemon?.view.isComplete === false ? "some lists from the hub are not complete" : undefined),
  };
  const server = await startWebServer({
    ...parseAddress(options.address),
    routes: [
      ...healthRoutes({ live: { process: () => undefined }, ready }),
      metrics.route,
      ...(isServingInstalls ? [installRoute(takeManifest, log)] : []),
      ...(webhookSecrets
        ? [
            webhookRoute(
              (headers, body) => takeWebhook(running, { headers, body }, webhookSecrets),
              async (headers) => mayBeSigned(headers, await webhookSecrets()),
            ),
          ]
        : []),
    ],
    log,
  });
  log.info("serving health and metrics", { port: server.port });
  return {
    port: server.port,
    attach: (daemon, repository) => Object.assign(running, { daemon, repository }),
    recordRun: (report) => metrics.recordRun({ ...report, finishedAtMs: realClock.nowMs() }),
    close: () => server.close(),
  };
}

/** A webhook for its repository makes the daemon that leads it read the branch. The content is not trusted. */
async function takeWebhook(
  { daemon }: { readonly daemon?: Daemon },
  request: Pick<Parameters<typeof readWebhook>[0], "headers" | "body">,
  readSecrets: () => Promise<readonly string[]>,
): Promise<WebhookAnswer> {
  const result = readWebhook({ ...request, secrets: await readSecrets() });
  if (result.kind === "refused") return result.reason === "malformed" ? "malformed" : "unsigned";
  if (result.kind === "ignored") return "ignored";
  const { hint } = result;
  // The daemon pushes to its status branch, and does not delete it.
  const isPush = hint.kind === "push" && hint.isDeleted !== true;
  const branches = isPush ? [hint.ref.replace(/^refs\/heads\//u, "")] : [];
  return daemon?.requestRun((url) => isHintFor(hint, url), branches) ? "taken" : "ignored";
}

/** `host:port`, `:port` for every address, `[::1]:port` for IPv6. No host means every address, also on a machine without IPv6. */
export function parseAddress(
  address: string,
  option = "metrics-address",
): { readonly host: string | undefined; readonly port: number } {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/u.exec(address);
  const port = Number(match?.[3] ?? Number.NaN);
  if (!match || port > 65_535) throw new AppError("E_USAGE", `--${option} is not host:port: ${address}`);
  const host = match[1] ?? match[2];
  return { host: host === "" ? undefined : host, port };
}

function clustersOf(daemon: Daemon | undefined): readonly Cluster[] {
  return (daemon?.view.list(resourceTypes.cluster) ?? []) as readonly Cluster[];
}

function expiriesOf(daemon: Daemon | undefined): ReturnType<MetricsSource["credentialExpiries"]> {
  const tokens = (daemon?.view.list(resourceTypes.clusterRegistrationToken) ??
    []) as readonly ClusterRegistrationToken[];
  const toTimes = (texts: readonly (string | undefined)[]): number[] =>
    texts.flatMap((text) => (text === undefined || Number.isNaN(Date.parse(text)) ? [] : [Date.parse(text)]));
  return {
    cluster: toTimes(
      clustersOf(daemon).map(
        ({ metadata }) => daemon?.view.memberStateOf(metadata.namespace ?? "", metadata.name)?.credential?.expiresAt,
      ),
    ),
    token: toTimes(tokens.map(({ status }) => status?.credentialExpires)),
  };
}
