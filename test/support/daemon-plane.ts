// A control plane of its own with an audit log, and the built program on it as the chart would run it: with the account and
// the rights of deploy/rbac.json and nothing more.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import { objectsAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { AuditedCall } from "./audit-log.ts";
import { readAuditLog } from "./audit-log.ts";
import type { ControlPlane, ControlPlaneOptions } from "./control-plane.ts";
import { startControlPlane } from "./control-plane.ts";
import { daemonAccount } from "./daemon-rights.ts";
import { createRepository } from "./git-repositories.ts";
import type { TestRepository } from "./git-repositories.ts";
import type { RunningProgram } from "./run-program.ts";
import { startProgram } from "./run-program.ts";
import { longestWaitMs } from "./until.ts";
import { neverAborted } from "./never-aborted.ts";

/** Where the daemon lives, and its one workspace. */
export const daemonNamespace = "rollcall-system";
export const planeWorkspace = "fleet";

export interface DaemonPlane {
  readonly plane: ControlPlane;
  readonly admin: KubeApi;
  /** For files of the test; gone after close. */
  readonly folder: string;
  readonly repository: TestRepository;
  /** Starts `rollcall run`; resolves after its first run, or with `isStandby` when its lists are complete. */
  startDaemon(options?: StartDaemonOptions): Promise<RunningProgram>;
  /** The same without waiting for anything it does. */
  launchDaemon(options?: Omit<StartDaemonOptions, "isStandby">): Promise<RunningProgram>;
  /** Starts the agent that is installed in a namespace of the same cluster, with its account. */
  startAgent(agentNamespace: string): Promise<RunningProgram>;
  create(object: KubeObject): Promise<void>;
  /** Writes a file of the folder; resolves with its path. */
  fileWith(name: string, text: string): Promise<string>;
  /** Resolves with the object once it is as wanted; rejects after 60 s with it and with what the programs printed. */
  until(
    ref: { readonly type: ResourceType; readonly namespace?: string; readonly name: string },
    isMet: (object: KubeObject | undefined) => boolean,
  ): Promise<KubeObject | undefined>;
  untilReady(name: string): Promise<KubeObject | undefined>;
  /** What an account asked of the API server so far; by default the daemon's. */
  calls(serviceAccount?: string): Promise<AuditedCall[]>;
  /** What everybody asked whose name is meant. */
  callsBy(isMeant: (user: string) => boolean): Promise<AuditedCall[]>;
  close(): Promise<void>;
}

export interface StartDaemonOptions {
  /** Account in the daemon's namespace. Default rollcall. */
  readonly account?: string;
  readonly isStandby?: boolean;
  /** What it reaches the API server by. Default: the API server itself. */
  readonly through?: Pick<ControlPlane, "server" | "caPem">;
  readonly args?: readonly string[];
}

/** Starts the control plane, installs definitions, namespaces and the accounts; default: one, rollcall. */
export async function startDaemonPlane(
  options: Omit<ControlPlaneOptions, "auditLogPath"> & {
    readonly accounts?: readonly string[];
    /** Definitions, namespaces and accounts are made by another: a chart. Default false. */
    readonly isEmpty?: boolean;
  } = {},
): Promise<DaemonPlane> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-plane-"));
  const auditLogPath = join(folder, "audit.log");
  const plane = await startControlPlane({ ...options, auditLogPath });
  const admin = apiOf(readKubeconfig(plane.kubeconfig));
  const running: RunningProgram[] = [];
  const create = async (object: KubeObject): Promise<void> =>
    void (await admin.create(object, { fieldManager: "test" }));
  if (options.isEmpty !== true) {
    await installCrds(admin, neverAborted());
    const label = { "rollcall.dev/workspace": "true" };
    for (const name of [daemonNamespace, "rollcall-public"])
      await create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: planeWorkspace, labels: label } });
    for (const account of options.accounts ?? ["rollcall"]) {
      for (const object of daemonAccount(daemonNamespace, [planeWorkspace], account)) await create(object);
    }
  }
  const repository = await createRepository(join(folder, "fleet.git"));

  const fileWith = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const session: DaemonPlane = {
    plane,
    admin,
    folder,
    repository,
    create,
    fileWith,
    startDaemon: async ({ isStandby = false, ...rest } = {}) => {
      const program = await session.launchDaemon(rest);
      if (!isStandby) await program.untilLine((line) => line.includes('"run finished"'));
      else await whenReady(await metricsPortOf(program), program);
      return program;
    },
    launchDaemon: async ({ account = "rollcall", through = plane, args = [] } = {}) => {
      const asked = { namespace: daemonNamespace, serviceAccount: account, expirationSeconds: 3600 };
      const { token } = await admin.requestToken(asked);
      const kubeconfig = await fileWith(`${account}.kubeconfig`, kubeconfigOf(through, token));
      const program = startProgram([
        ...["run", "--repo", repository.path, "--kubeconfig", kubeconfig, "--metrics-address", "127.0.0.1:0"],
        ...["--workspaces", planeWorkspace, "--default-workspace", planeWorkspace, "--interval", "1s"],
        ...["--hub-ca-file", await fileWith("ca.crt", plane.caPem), "--cache-dir", join(folder, `cache-${account}`)],
        ...args,
      ]);
      running.push(program);
      return program;
    },
    startAgent: async (agentNamespace) => {
      const asked = { namespace: agentNamespace, serviceAccount: "rollcall-agent", expirationSeconds: 3600 };
      const { token } = await admin.requestToken(asked);
      const mounted = await mkdtemp(join(folder, "account-"));
      for (const [name, text] of Object.entries({ token, namespace: agentNamespace, "ca.crt": plane.caPem })) {
        await writeFile(join(mounted, name), text);
      }
      const { hostname, port } = new URL(plane.server);
      const program = startProgram(["agent"], {
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
        ROLLCALL_SERVICE_ACCOUNT_DIR: mounted,
        ROLLCALL_POD_NAME: agentNamespace,
      });
      running.push(program);
      return program;
    },
    until: async (ref, isMet) => {
      const deadlineMs = performance.now() + longestWaitMs;
      for (;;) {
        const object = await admin.get(ref);
        if (isMet(object)) return object;
        if (performance.now() > deadlineMs) {
          const printed = running.map(({ lines }) => lines.slice(-40).join("\n")).join("\n---\n");
          throw new Error(`${ref.type.kind}/${ref.name} is not as wanted: ${JSON.stringify(object)}\n${printed}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    untilReady: (name) =>
      session.until({ type: resourceTypes.cluster, namespace: planeWorkspace, name }, (object) =>
        objectsAt(object, "status", "conditions").some(
          (condition) => condition["type"] === "Ready" && condition["status"] === "True",
        ),
      ),
    calls: (serviceAccount = "rollcall") =>
      readAuditLog(auditLogPath, `system:serviceaccount:${daemonNamespace}:${serviceAccount}`),
    callsBy: (isMeant) => readAuditLog(auditLogPath, isMeant),
    close: async () => {
      await Promise.all(running.map((program) => program.end("SIGKILL")));
      await admin.close();
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return session;
}

/** The port of a daemon's health and metrics. */
export async function metricsPortOf(program: RunningProgram): Promise<number> {
  const line = await program.untilLine((printed) => printed.includes("serving health"));
  return Number(/"port":(\d+)/u.exec(line)?.[1]);
}

/** A file of the repository with one object of our group. */
export function fileOf(
  kind: string,
  name: string,
  spec: object,
  labels: Readonly<Record<string, string>> = {},
): string {
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name, labels }, spec });
}

async function whenReady(port: number, program: RunningProgram): Promise<void> {
  const deadlineMs = performance.now() + longestWaitMs;
  for (;;) {
    const { status } = await fetch(`http://127.0.0.1:${port}/readyz`);
    if (status === 200) return;
    if (performance.now() > deadlineMs) throw new Error(`the daemon is not ready:\n${program.lines.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function kubeconfigOf({ server, caPem }: Pick<ControlPlane, "server" | "caPem">, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "hub", cluster: { server, "certificate-authority-data": Buffer.from(caPem).toString("base64") } },
    ],
    users: [{ name: "daemon", user: { token } }],
    contexts: [{ name: "hub", context: { cluster: "hub", user: "daemon" } }],
    "current-context": "hub",
  });
}
