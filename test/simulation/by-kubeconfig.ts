import type { KubeObject } from "../../src/model/kubernetes.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { valueAt } from "../../src/core/read-json.ts";
import { parseJson } from "../../src/core/parse-json.ts";
import type { Row } from "../../src/embedded-hub/store/row-format.ts";
import { realClock } from "../../src/system/real-clock.ts";
import { agentNames, defaultAgentNamespace } from "../../src/model/dialects/rollcall.ts";
import { kubeconfigOf } from "../support/deployed-container.ts";
import { workspace } from "./daemon-process.ts";
import { firstNameOf } from "./first-name.ts";
import { simulatedCaPem } from "./hub-process.ts";
import type { Server } from "./network.ts";

/** A cluster's name decides who installs its agent, as it does its tier: in `kubeconfig-3` the hub does. */
export function hasKubeconfig(cluster: string): boolean {
  return firstNameOf(cluster).startsWith("kubeconfig-");
}

export function kubeconfigSecretName(cluster: string): string {
  return `of-${firstNameOf(cluster)}`;
}

/** A person gives the hub the kubeconfig of a cluster, and tries until that takes it. */
export async function giveKubeconfig(api: KubeApi, cluster: string, server: Server): Promise<void> {
  const token = `kubeconfig-of-${firstNameOf(cluster)}`;
  const kubeconfig = kubeconfigOf({ server: server.url, caPem: simulatedCaPem, token });
  const metadata = { name: kubeconfigSecretName(cluster), namespace: workspace };
  const data = { value: Buffer.from(kubeconfig).toString("base64") };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, data };
  await untilDone(() => api.apply(secret, { fieldManager: "people" }));
}

/** What a person does again and again, each ten seconds, until it succeeds. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await realClock.sleep(10_000);
    }
  }
}

const deploymentKey = `/apps/deployments/${defaultAgentNamespace}/${agentNames.agent}`;

/** What is to run in a cluster after this row of its API server; undefined where the row has nothing of it. */
export function podTemplateAfter({ kind, record }: Row): { readonly template: string | undefined } | undefined {
  if (record.key !== deploymentKey) return undefined;
  const deployment = parseJson(record.json.toString("utf8")) as KubeObject;
  if (kind === "delete" || deployment.metadata.deletionTimestamp !== undefined) return { template: undefined };
  return { template: JSON.stringify(valueAt(deployment, "spec", "template")) };
}
