import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { installAgent } from "../contract/life/install-agent.ts";
import { readValuesText } from "../../src/join/rollcall/downstream/values.ts";
import { textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import type { HubUnderTest } from "./hub-under-test.ts";
import { embeddedHub } from "./hub-under-test.ts";
import type { RollcallProcess, StartRollcall } from "./rollcall-process.ts";
import { startRollcall } from "./rollcall-process.ts";
import { until } from "./until.ts";

export const workspace = "fleet";
export const daemonNamespace = "rollcall-system";

/** The embedded hub as a process, on a folder and port that it keeps. */
export interface HubProcess {
  readonly dir: string;
  readonly kubeconfigPath: string;
  readonly api: KubeApi;
  readonly process: RollcallProcess;
  readonly port: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function startHubProcess(dir: string, port = 0): Promise<HubProcess> {
  const running = startRollcall(["hub", "--dir", dir, "--port", String(port)]);
  await running.whenPrinted(/The hub is ready/u);
  const kubeconfigPath = join(dir, "hub.kubeconfig");
  const api = apiOf(readKubeconfig(await readFile(kubeconfigPath, "utf8")));
  return {
    dir,
    kubeconfigPath,
    api,
    process: running,
    port: Number(new URL(api.server).port),
    stop: async (signal = "SIGTERM") => {
      await api.close();
      running.kill(signal);
      await running.finished;
    },
  };
}

/** The namespaces that a chart makes. */
export async function makeWorkspace(api: KubeApi): Promise<void> {
  for (const [name, labels] of [
    [daemonNamespace, {}],
    [workspace, { [labelKeys.workspace]: "true" }],
  ] as const)
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }, { fieldManager: "test" });
}

/** A cluster of its own, and its agent as a process like any Pod of it. */
export interface AgentProcess {
  readonly cluster: HubUnderTest;
  readonly api: KubeApi;
  readonly process: RollcallProcess;
  stop(): Promise<void>;
}

export async function startAgentProcess(
  cluster: HubUnderTest,
  dir: string,
  start: StartRollcall = startRollcall,
): Promise<AgentProcess> {
  const connection = readKubeconfig(cluster.kubeconfig);
  const api = apiOf(connection);
  const namespace = "rollcall-agent";
  const account = { namespace, serviceAccount: "rollcall-agent", expirationSeconds: 6 * 3600 };
  const { token } = await api.requestToken(account);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const files = { token, "ca.crt": (await connection.getTls()).caPem ?? "", namespace };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text, { mode: 0o600 });
  const { hostname, port } = new URL(api.server);
  const running = start(["agent"], {
    env: {
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      ROLLCALL_SERVICE_ACCOUNT_DIR: dir,
      ROLLCALL_POD_NAME: "agent-0",
    },
  });
  await running.whenPrinted(/agent started/u);
  return {
    cluster,
    api,
    process: running,
    stop: async () => {
      running.kill("SIGTERM");
      await running.finished;
      await api.close();
    },
  };
}

/** An agent that joins by a token's values, in a new cluster. */
export async function joinByToken(
  hub: KubeApi,
  {
    token,
    name,
    dir,
    start,
  }: { readonly token: string; readonly name: string; readonly dir: string; readonly start?: StartRollcall },
): Promise<AgentProcess> {
  const secret = await until(
    () => hub.get({ type: resourceTypes.secret, namespace: workspace, name: token }),
    (seen) => textAt(seen, "data", "values") !== undefined,
  );
  const finding = readValuesText(Buffer.from(textAt(secret, "data", "values") ?? "", "base64").toString("utf8"));
  if (finding.kind !== "values") throw new Error("the token's values are not complete");
  const cluster = await embeddedHub();
  const api = apiOf(readKubeconfig(cluster.kubeconfig));
  await installAgent(api, "rollcall-agent", { ...finding.values, cluster: { name, clientID: name } });
  await api.close();
  return startAgentProcess(cluster, dir, start);
}

/** An agent that the hub installs, in a new cluster whose kubeconfig is put into a Secret of the hub. */
export async function clusterWithKubeconfig(hub: KubeApi, secretName: string): Promise<HubUnderTest> {
  const cluster = await embeddedHub();
  const secret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName, namespace: workspace },
    data: { value: Buffer.from(cluster.kubeconfig).toString("base64") },
  };
  await hub.create(secret, { fieldManager: "test" });
  return cluster;
}

export async function untilInstalled({ kubeconfig }: HubUnderTest): Promise<void> {
  const api = apiOf(readKubeconfig(kubeconfig));
  const ref = { type: resourceTypes.deployment, namespace: "rollcall-agent", name: "rollcall-agent" };
  await until(
    () => api.get(ref),
    (seen) => seen !== undefined,
  );
  await api.close();
}
