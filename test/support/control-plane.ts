// A real etcd, kube-apiserver and kube-controller-manager for tests: loopback only, own temp folder, gone after stop().
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { openSync, closeSync, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeControlPlaneKeys } from "./control-plane-keys.ts";
import type { ControlPlaneKeys } from "./control-plane-keys.ts";
import { freePort } from "./free-port.ts";
import { longestWaitMs } from "./until.ts";

export interface ControlPlaneOptions {
  /** Where the API server writes its audit log (one JSON line per request, level Metadata). Default: none. */
  readonly auditLogPath?: string;
  /** Writes reach the disk before they are answered, as in production. Default false: tests are quick. */
  readonly isDurable?: boolean;
  /** Further flags of kube-apiserver. */
  readonly extraApiServerArgs?: readonly string[];
  /** How much etcd may store before it refuses to. Default: etcd's own, 2 GiB. */
  readonly storageBytes?: number;
}

export interface ControlPlane {
  readonly server: string;
  readonly caPem: string;
  /** Text of an admin kubeconfig (system:masters) with everything inline. */
  readonly kubeconfig: string;
  /** The same text as a file. */
  readonly kubeconfigPath: string;
  /** Where etcd is asked by JSON over http. */
  readonly etcdUrl: string;
  /** Of the program that runs. */
  readonly pidOf: (program: "etcd" | "kube-apiserver") => number;
  /** Kills the API server: the hub is out. Its state stays. */
  readonly killApiServer: () => Promise<void>;
  /** Starts the API server again on the same address. Resolves when it is ready. */
  readonly startApiServer: () => Promise<void>;
  /** Ends all processes and removes their folder. */
  readonly stop: () => Promise<void>;
}

const programs = ["etcd", "kube-apiserver", "kube-controller-manager"];

/** True when KUBEBUILDER_ASSETS names a folder with the three programs. */
export function hasControlPlane(): boolean {
  const folder = process.env["KUBEBUILDER_ASSETS"];
  return folder !== undefined && programs.every((program) => existsSync(join(folder, program)));
}

/** What to do where there is none. */
export function describeMissingControlPlane(): string {
  const folder = process.env["KUBEBUILDER_ASSETS"];
  return (
    "These tests need a real control plane: set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and " +
    `kube-controller-manager (it is ${folder === undefined ? "unset" : JSON.stringify(folder)}).`
  );
}

/** Starts a control plane (about 10 s). Throws when KUBEBUILDER_ASSETS has no control plane. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-control-plane-"));
  const children: Child[] = [];
  const endAll = async () => {
    await Promise.all(children.map((child) => child.end()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return await start(folder, children, endAll, options);
  } catch (error) {
    await endAll();
    throw error;
  }
}

async function start(
  folder: string,
  children: Child[],
  endAll: () => Promise<void>,
  options: ControlPlaneOptions,
): Promise<ControlPlane> {
  const bin = assetsFolder();
  const [etcdPort, peerPort, apiPort] = [await freePort(), await freePort(), await freePort()];
  const [keys] = await Promise.all([makeControlPlaneKeys(), mkdir(join(folder, "etcd"))]);
  const server = `https://127.0.0.1:${apiPort}`;
  const kubeconfigPath = join(folder, "admin.kubeconfig");
  const kubeconfig = adminKubeconfig(server, keys);
  await writeFiles(folder, {
    "ca.crt": keys.ca.cert,
    "ca.key": keys.ca.key,
    "server.crt": keys.server.cert,
    "server.key": keys.server.key,
    "sa.key": keys.serviceAccount.key,
    "sa.pub": keys.serviceAccount.publicKey,
    "admin.kubeconfig": kubeconfig,
    "audit-policy.yaml": "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n",
  });
  const launch = (program: string, args: readonly string[]) => {
    const child = startChild(join(bin, program), args, join(folder, `${program}.log`));
    children.push(child);
    return child;
  };
  launch("etcd", [
    ...etcdArgs(folder, `http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`),
    ...(options.isDurable === true ? [] : ["--unsafe-no-fsync"]),
    ...(options.storageBytes === undefined ? [] : [`--quota-backend-bytes=${options.storageBytes}`]),
  ]);
  let apiServer: Child | undefined;
  const startApiServer = async () => {
    apiServer = launch("kube-apiserver", apiServerArgs(folder, etcdPort, apiPort, options));
    await waitUntilReady(apiServer, `${server}/readyz`, keys);
  };
  await startApiServer();
  const manager = launch("kube-controller-manager", controllerManagerArgs(folder, kubeconfigPath));
  // The root CA is published into `default` by the controller manager: then its controllers run.
  await waitUntilReady(manager, `${server}/api/v1/namespaces/default/configmaps/kube-root-ca.crt`, keys);
  return {
    server,
    caPem: keys.ca.cert,
    kubeconfig,
    kubeconfigPath,
    etcdUrl: `http://127.0.0.1:${etcdPort}`,
    pidOf: (program) => children.findLast((child) => child.program.endsWith(`/${program}`))?.process.pid ?? 0,
    startApiServer,
    killApiServer: async () => apiServer?.end(),
    stop: endAll,
  };
}

function assetsFolder(): string {
  const folder = process.env["KUBEBUILDER_ASSETS"];
  if (folder === undefined || !hasControlPlane()) throw new Error(describeMissingControlPlane());
  return folder;
}

function etcdArgs(folder: string, clientUrl: string, peerUrl: string): string[] {
  return [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    "--log-level=warn",
  ];
}

function apiServerArgs(folder: string, etcdPort: number, apiPort: number, options: ControlPlaneOptions): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${apiPort}`,
    "--advertise-address=127.0.0.1",
    "--service-cluster-ip-range=10.0.0.0/24",
    `--tls-cert-file=${join(folder, "server.crt")}`,
    `--tls-private-key-file=${join(folder, "server.key")}`,
    `--client-ca-file=${join(folder, "ca.crt")}`,
    `--service-account-key-file=${join(folder, "sa.pub")}`,
    `--service-account-signing-key-file=${join(folder, "sa.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    "--authorization-mode=Node,RBAC",
    "--enable-bootstrap-token-auth",
    "--allow-privileged",
    "--endpoint-reconciler-type=none",
    ...(options.auditLogPath === undefined
      ? []
      : [`--audit-log-path=${options.auditLogPath}`, `--audit-policy-file=${join(folder, "audit-policy.yaml")}`]),
    ...(options.extraApiServerArgs ?? []),
  ];
}

function controllerManagerArgs(folder: string, kubeconfigPath: string): string[] {
  return [
    `--kubeconfig=${kubeconfigPath}`,
    `--service-account-private-key-file=${join(folder, "sa.key")}`,
    `--root-ca-file=${join(folder, "ca.crt")}`,
    `--cluster-signing-cert-file=${join(folder, "ca.crt")}`,
    `--cluster-signing-key-file=${join(folder, "ca.key")}`,
    "--use-service-account-credentials",
    "--leader-elect=false",
    "--secure-port=0",
    "--controllers=*,-node-ipam-controller,-node-lifecycle-controller",
    // Each suite leaves many namespaces behind, and the next one must not wait until they are taken away.
    "--concurrent-namespace-syncs=20",
    // Its count of a quota may miss an object that was made in that moment, until it counts again: 5 minutes later by default.
    "--resource-quota-sync-period=20s",
    "--kube-api-qps=400",
    "--kube-api-burst=800",
  ];
}

function adminKubeconfig(server: string, keys: ControlPlaneKeys): string {
  const base64 = (pem: string) => Buffer.from(pem).toString("base64");
  return `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(keys.ca.cert)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(keys.admin.cert)}
    client-key-data: ${base64(keys.admin.key)}
contexts:
- name: admin
  context: {cluster: test, user: admin}
current-context: admin
`;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text, { mode: 0o600 })));
}

interface Child {
  readonly program: string;
  readonly logPath: string;
  readonly process: ChildProcess;
  end(): Promise<void>;
}

function startChild(program: string, args: readonly string[], logPath: string): Child {
  const log = openSync(logPath, "a");
  const child = spawn(program, args, { stdio: ["ignore", log, log] });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const end = async () => {
    process.off("exit", kill);
    // Its state is thrown away, so there is nothing to shut down gracefully.
    kill();
    await exited;
  };
  return { program, logPath, process: child, end };
}

async function waitUntilReady(child: Child, url: string, keys: ControlPlaneKeys): Promise<void> {
  const deadlineMs = performance.now() + longestWaitMs;
  while (performance.now() < deadlineMs) {
    if (await answersOk(url, keys)) return;
    if (child.process.exitCode !== null || child.process.signalCode !== null) break;
    await sleep(50);
  }
  const log = await readFile(child.logPath, "utf8");
  throw new Error(`${child.program} did not become ready:\n${log.split("\n").slice(-8).join("\n")}`);
}

function answersOk(url: string, keys: ControlPlaneKeys): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(
      url,
      { ca: keys.ca.cert, cert: keys.admin.cert, key: keys.admin.key, agent: false, timeout: longestWaitMs / 10 },
      (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode === 200));
        answer.once("error", () => resolve(false));
      },
    );
    outgoing.once("timeout", () => outgoing.destroy());
    outgoing.once("error", () => resolve(false));
    outgoing.end();
  });
}
