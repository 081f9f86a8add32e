import { spawn } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { freePort } from "../support/free-port.ts";

const { ROLLCALL_KUBEFLEET_HUBAGENT: program, ROLLCALL_KUBEFLEET_CRDS: definitions } = process.env;

/**
 * Runs KubeFleet's own hub agent on a kube-apiserver of its own, with its limits of requests lifted (`--hub-api-qps` is 250 by
 * default). Does nothing where the environment does not name the program and the folder of its definitions.
 */
export async function withOwnHubAgent(work: (api: KubeApi, pid: number) => Promise<void>): Promise<void> {
  if (program === undefined || definitions === undefined) return;
  const plane = await startControlPlane();
  const api = apiOf(readKubeconfig(await readFile(plane.kubeconfigPath, "utf8")));
  await prepare(api, definitions);
  const agent = spawn(program, await options(), {
    env: { ...process.env, KUBECONFIG: plane.kubeconfigPath, POD_NAMESPACE: ownNamespace },
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => agent.once("exit", resolve));
  try {
    await work(api, agent.pid ?? 0);
  } finally {
    agent.kill("SIGKILL");
    await ended;
    await api.close();
    await plane.stop();
  }
}

const ownNamespace = "fleet-system";

async function prepare(api: KubeApi, folder: string): Promise<void> {
  const by = { fieldManager: "bench" };
  for (const file of await readdir(folder))
    for (const document of parseAllDocuments(await readFile(join(folder, file), "utf8")))
      await api.create(document.toJS() as KubeObject, by);
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: ownNamespace } }, by);
}

async function options(): Promise<readonly string[]> {
  return [
    ...["--enable-webhook=false", "--leader-elect=false", "--hub-api-qps=10000", "--hub-api-burst=20000"],
    `--metrics-bind-address=127.0.0.1:${await freePort()}`,
    `--health-probe-bind-address=127.0.0.1:${await freePort()}`,
  ];
}
