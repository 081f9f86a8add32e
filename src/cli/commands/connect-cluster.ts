import type { KubeApi } from "../../kube/kube.ts";
import { connectFile, connectHub } from "../../daemon/connect-hub.ts";
import type { HubConnection } from "../../daemon/connect-hub.ts";
import type { PlainContext } from "./command-context.ts";

type Environment = PlainContext["environment"];

/** The cluster of --kubeconfig and --context, and what it was reached by. */
export interface ClusterConnection {
  readonly downstreamApi: KubeApi;
  readonly connection: HubConnection["connection"];
}

/**
 * Does something with the cluster of the user's kube context, by the user's own kubeconfig.
 * @throws E_KUBECONFIG
 */
export async function withCluster<T>(
  { settings, environment }: Pick<PlainContext, "settings" | "environment">,
  work: (cluster: ClusterConnection) => Promise<T>,
): Promise<T> {
  const { hubApi: downstreamApi, connection } = await connectHub(settings, environment, { what: "cluster" });
  try {
    return await work({ downstreamApi, connection });
  } finally {
    await downstreamApi.close();
  }
}

/**
 * Does something with the cluster of a kubeconfig file.
 * @throws E_KUBECONFIG
 */
export async function withClusterOf<T>(
  kubeconfigPath: string,
  environment: Environment,
  work: (cluster: ClusterConnection) => Promise<T>,
): Promise<T> {
  const { hubApi: downstreamApi, connection } = await connectFile(kubeconfigPath, environment);
  try {
    return await work({ downstreamApi, connection });
  } finally {
    await downstreamApi.close();
  }
}

/**
 * Does something with the hub of a kubeconfig file.
 * @throws E_KUBECONFIG
 */
export function withHubOf<T>(
  kubeconfigPath: string,
  environment: Environment,
  work: (hubApi: KubeApi) => Promise<T>,
): Promise<T> {
  return withClusterOf(kubeconfigPath, environment, ({ downstreamApi }) => work(downstreamApi));
}
