// A hub whose record of writes can be read: what an API server was asked to write, not what is different afterwards.
import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { textAt } from "../../src/core/read-json.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { readAuditLog } from "./audit-log.ts";
import { startControlPlane } from "./control-plane.ts";
import type { HubUnderTest } from "./hub-under-test.ts";
import { embeddedHub } from "./hub-under-test.ts";
import { startRecordingProxy } from "./recording-proxy.ts";

/** One write that was done, in the order of the answers. */
export interface AuditedWrite {
  readonly verb: "create" | "update" | "delete";
  readonly group: string;
  /** With its subresource: `clusters/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface AuditedHub extends HubUnderTest {
  /** Of an account with all rights that only the daemon uses. */
  readonly daemonKubeconfig: string;
  /** Every write of that account so far. */
  readonly writes: () => Promise<readonly AuditedWrite[]>;
}

const account = { namespace: "kube-system", name: "audited-daemon" };

/** An embedded hub; the daemon reaches it by a proxy that records its calls. */
export async function auditedEmbeddedHub(): Promise<AuditedHub> {
  const hub = await embeddedHub();
  const { server, caPem, token } = await makeAccount(hub.kubeconfig);
  const proxy = await startRecordingProxy({ server, caPem });
  return {
    ...hub,
    daemonKubeconfig: kubeconfigOf(proxy, token),
    writes: () => Promise.resolve(proxy.calls.flatMap(writeOfCall)),
    stop: async () => {
      await proxy.close();
      await hub.stop();
    },
  };
}

/** A control plane of its own, with kube-apiserver's audit log. */
export async function auditedControlPlane(): Promise<AuditedHub> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
  const path = join(folder, "audit.log");
  const plane = await startControlPlane({ auditLogPath: path });
  const { server, caPem, token } = await makeAccount(plane.kubeconfig);
  const user = `system:serviceaccount:${account.namespace}:${account.name}`;
  return {
    kubeconfig: plane.kubeconfig,
    daemonKubeconfig: kubeconfigOf({ server, caPem }, token),
    writes: async () => (await readAuditLog(path, user)).flatMap(writeOfAudit),
    stop: async () => {
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A kubeconfig of an account with all rights that only the daemon uses. */
export async function daemonAccount(kubeconfig: string): Promise<string> {
  const { token, ...server } = await makeAccount(kubeconfig);
  return kubeconfigOf(server, token);
}

async function makeAccount(kubeconfig: string) {
  const connection = readKubeconfig(kubeconfig);
  const api = apiOf(connection);
  const { name, namespace } = account;
  const { serviceAccount, clusterRoleBinding } = resourceTypes;
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  for (const [type, rest] of [
    [serviceAccount, { metadata: { name, namespace } }],
    [clusterRoleBinding, { metadata: { name }, roleRef, subjects: [{ kind: "ServiceAccount", name, namespace }] }],
  ] as const) {
    const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
    await api.create({ apiVersion, kind: type.kind, ...rest }, { fieldManager: "test" });
  }
  const { token } = await api.requestToken({ namespace, serviceAccount: name, expirationSeconds: 7200 });
  const found = { server: api.server, caPem: (await connection.getTls()).caPem ?? "", token };
  await api.close();
  return found;
}

function kubeconfigOf({ server, caPem }: { readonly server: string; readonly caPem: string }, token: string): string {
  const certificate = Buffer.from(caPem).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "hub", cluster: { server, "certificate-authority-data": certificate } }],
    users: [{ name: "daemon", user: { token } }],
    contexts: [{ name: "hub", context: { cluster: "hub", user: "daemon" } }],
    "current-context": "hub",
  });
}

const verbs: Readonly<Record<string, AuditedWrite["verb"]>> = {
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
  create: "create",
  update: "update",
  patch: "update",
  delete: "delete",
};

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
}

const resourcePath =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<sub>[^/]+))?)?$/u;

function writeOfCall({ method, path, body, status }: Call): AuditedWrite[] {
  const verb = verbs[method];
  const url = new URL(path, "https://hub.invalid");
  const { group = "", namespace, resource, name, sub } = resourcePath.exec(url.pathname)?.groups ?? {};
  if (verb === undefined || resource === undefined || status >= 300 || url.searchParams.has("dryRun")) return [];
  const named = name ?? textAt(JSON.parse(body), "metadata", "name") ?? "";
  const whole = sub === undefined ? resource : `${resource}/${sub}`;
  return [
    { verb: status === 201 ? "create" : verb, group, resource: whole, namespace, name: decodeURIComponent(named) },
  ];
}

function writeOfAudit(call: Awaited<ReturnType<typeof readAuditLog>>[number]): AuditedWrite[] {
  const verb = verbs[call.verb];
  if (verb === undefined || call.status >= 300 || call.path.includes("dryRun=")) return [];
  const { apiGroup: group, resource, namespace, name = "" } = call;
  return [{ verb: call.status === 201 ? "create" : verb, group, resource, namespace, name }];
}
