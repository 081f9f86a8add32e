import { apiOf } from "../../src/daemon/connect-hub.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../src/core/read-json.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";

/** What a node would start for the first container of a Deployment, for a test that starts it as a process. */
export interface DeployedContainer {
  readonly args: readonly string[];
  /** Variables with a value. What a node takes from the Pod, its namespace, is filled in. */
  readonly environment: Readonly<Record<string, string>>;
  /** Reaches the cluster as the ServiceAccount of the Pod, and with no other right. */
  readonly kubeconfig: string;
}

export async function readDeployedContainer(
  kubeconfig: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<DeployedContainer> {
  const connection = readKubeconfig(kubeconfig);
  const api = apiOf(connection);
  try {
    const found = await api.get({ type: resourceTypes.deployment, namespace, name });
    const pod = objectAt(found, "spec", "template", "spec");
    const [container] = objectsAt(pod, "containers");
    const pairs = objectsAt(container, "env").map((variable): [string, string] => {
      const isNamespace = textAt(variable, "valueFrom", "fieldRef", "fieldPath") === "metadata.namespace";
      return [textAt(variable, "name") ?? "", isNamespace ? namespace : (textAt(variable, "value") ?? "")];
    });
    const args = valueAt(container, "args");
    const serviceAccount = textAt(pod, "serviceAccountName") ?? "default";
    const { token } = await api.requestToken({ namespace, serviceAccount, expirationSeconds: 3600 });
    const caPem = (await connection.getTls()).caPem ?? "";
    return {
      args: Array.isArray(args) ? args.map(String) : [],
      environment: Object.fromEntries(pairs),
      kubeconfig: kubeconfigOf({ server: api.server, caPem, token }),
    };
  } finally {
    await api.close();
  }
}

/** A kubeconfig of one context, by a token. */
export function kubeconfigOf(to: { readonly server: string; readonly caPem: string; readonly token: string }): string {
  const ca = Buffer.from(to.caPem, "utf8").toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "member", cluster: { server: to.server, "certificate-authority-data": ca } }],
    users: [{ name: "agent", user: { token: to.token } }],
    contexts: [{ name: "member", context: { cluster: "member", user: "agent" } }],
    "current-context": "member",
  });
}
