// embedded-hub: a Kubernetes-compatible API server in this process: store, verbs, apply, crd, rbac, discovery, http.
// This file starts one; nothing in src but cli imports it.
import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { AuditOptions } from "./audit/audit.ts";
import type { Closer } from "./assemble-hub.ts";
import { assembleHub } from "./assemble-hub.ts";
import { tokenKeyOf } from "./auth/jwt.ts";
import { loadHubCertificates } from "./certificates/hub-certificates.ts";
import { renderKubeconfig } from "./certificates/kubeconfig.ts";
import { renewDaily } from "./certificates/renew-daily.ts";
import { loadTokenKey } from "./certificates/token-key.ts";
import { advertisedAddress } from "./controllers/advertised-address.ts";
import { keepKubernetesEndpoints } from "./controllers/kubernetes-endpoints.ts";
import { keepKubernetesService } from "./controllers/system-objects.ts";
import { handleRequest } from "./http/handle-request.ts";
import { startHttpServer } from "./http/http-server.ts";
import type { ReadPodLog } from "./http/pod-log-request.ts";
import type { Operations } from "./operations/operations.ts";
import { openLevelPersistence } from "./store/level-persistence.ts";
import { openStore } from "./store/open-store.ts";

export interface EmbeddedHubOptions {
  /** Holds everything the hub keeps; made when it does not exist. One process at a time. */
  readonly dir: string;
  /** Where to listen. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: the system chooses. */
  readonly port?: number;
  /** Names and addresses, besides localhost and `host`, that clients dial. */
  readonly hosts?: readonly string[];
  /** Reads logs of Pods, where something runs them. Without it they are answered with 501. */
  readonly podLogs?: ReadPodLog;
  /** Without it, requests are not recorded. Controllers of the hub make no requests. */
  readonly audit?: AuditOptions;
  /** The built file of the thread that reads long YAML bodies. Default: beside the built program; sources have none. */
  readonly yamlThread?: URL;
  /** Is called with `adminKubeconfig` when its certificate was renewed, which is before the one in use ends. */
  readonly onAdminRenewed?: (kubeconfig: string) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface EmbeddedHub {
  /** `https://host:port` */
  readonly url: string;
  readonly port: number;
  readonly caPem: string;
  /** YAML with everything inline; its user is a member of system:masters. The newest: its certificate is valid for a year. */
  readonly adminKubeconfig: string;
  /** The verbs, for controllers in this process. */
  readonly operations: Operations;
  /** Resolves when no controller has work to do now. */
  whenIdle(): Promise<void>;
  /** Ends connections and controllers, and waits for the last write. */
  close(): Promise<void>;
}

/** Starts a hub on a folder. Throws E_DIR_LOCKED, E_DISK_WRITE, E_ACCESS or E_STORE_DAMAGED. Resolves when it answers. */
export async function startEmbeddedHub(options: EmbeddedHubOptions): Promise<EmbeddedHub> {
  const closers: Closer[] = [];
  try {
    return await startHub(options, closers);
  } catch (error) {
    await closeAll(closers).catch((cause: unknown) => {
      options.log.warn("not everything of a hub that did not start could be closed", { error: cause });
    });
    throw error;
  }
}

/** What was started last ends first. */
async function closeAll(closers: Closer[]): Promise<void> {
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
}

/** `closers` gets what ends the parts that were started. */
async function startHub(options: EmbeddedHubOptions, closers: Closer[]): Promise<EmbeddedHub> {
  const { dir, host = "127.0.0.1", port = 0, clock, random, log } = options;
  const persistence = await openLevelPersistence({ dir: join(dir, "store"), owner: `process ${process.pid}` });
  const store = await openStore({ persistence, log });
  closers.push(() => store.close());
  const pki = join(dir, "pki");
  const hosts = [host, ...(options.hosts ?? [])];
  const loadCertificates = () => loadHubCertificates({ dir: pki, hosts, nowMs: clock.nowMs(), random });
  const certificates = await loadCertificates();
  const tokenKey = tokenKeyOf(await loadTokenKey(join(pki, "service-accounts.key")));
  const caPem = certificates.authority.certPem;
  const health = { isStopping: false };
  let listeningPort = port;
  const address = (): string => `${dialedHost(host)}:${listeningPort}`;
  const { scope, operations, whenIdle } = await assembleHub(
    {
      store,
      tokenKey,
      caPem,
      authority: certificates.authority,
      address,
      isStopping: () => health.isStopping,
      podLogs: options.podLogs,
      audit: options.audit,
      yamlThread: options.yamlThread,
      clock,
      random,
      log,
    },
    closers,
  );
  const server = await startHttpServer({
    host,
    port,
    certPem: certificates.serving.certPem,
    keyPem: certificates.serving.keyPem,
    clientCaPem: caPem,
    clock,
    log,
    onRequest: (request, response, peer) => handleRequest(scope, request, response, peer),
  });
  closers.push(() => server.close());
  listeningPort = server.port;
  const url = `https://${address()}`;
  let { admin } = certificates;
  const renew = async (): Promise<void> => {
    const renewed = await loadCertificates();
    server.useCertificate(renewed.serving);
    if (renewed.admin.certPem === admin.certPem) return;
    await options.onAdminRenewed?.(renderKubeconfig(url, caPem, renewed.admin));
    ({ admin } = renewed);
  };
  closers.push(renewDaily(clock, log, renew));
  await keepKubernetesService(operations, server.port);
  const advertised = advertisedAddress(host, networkInterfaces());
  await keepKubernetesEndpoints(operations, { address: advertised, port: server.port });
  return {
    url,
    port: server.port,
    caPem,
    get adminKubeconfig() {
      return renderKubeconfig(url, caPem, admin);
    },
    operations,
    whenIdle,
    close: async () => {
      health.isStopping = true;
      await closeAll(closers);
    },
  };
}

/** How clients on this machine reach a server that listens on `host`. */
function dialedHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}
