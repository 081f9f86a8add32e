import { AppError } from "../../core/errors.ts";
import { textAt } from "../../core/read-json.ts";
import { kubefleetAgentManifest } from "../../join/kubefleet/manifests/agent-manifest.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { memberAccountName } from "../../model/dialects/kubefleet.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { PlainContext } from "./command-context.ts";
import { connectFile } from "../../daemon/connect-hub.ts";

/**
 * What KubeFleet's agent is installed by, for a Cluster that the hub serves and has no kubeconfig of: the same objects that
 * the hub itself installs, with the token that does not end.
 * @throws E_USAGE, E_KUBECONFIG, E_KUBE_NOT_FOUND
 */
export async function readKubefleetJoin({
  settings,
  environment,
  signal,
}: PlainContext): Promise<readonly KubeObject[]> {
  const wanted = settings.text("cluster-name");
  const hubKubeconfig = settings.text("hub-kubeconfig");
  if (wanted === undefined || hubKubeconfig === undefined)
    throw new AppError("E_USAGE", "--protocol kubefleet needs --cluster-name NAME and --hub-kubeconfig FILE");
  const { hubApi, connection } = await connectFile(hubKubeconfig, environment);
  try {
    const cluster = await findCluster(hubApi, wanted, signal);
    const { name, namespace: workspace = "" } = cluster.metadata;
    const token = await readToken(hubApi, { name, workspace }, signal);
    const endpoint = { url: connection.server, caBundle: (await connection.getTls()).caPem ?? "" };
    const member = { workspace, name, cluster, state: undefined, children: [] };
    return kubefleetAgentManifest(member, { endpoint }, { token });
  } finally {
    await hubApi.close();
  }
}

async function findCluster(hubApi: KubeApi, wanted: string, signal: AbortSignal): Promise<Cluster> {
  const { items } = await hubApi.list(resourceTypes.cluster, { fieldSelector: `metadata.name=${wanted}`, signal });
  const [found, other] = (items as readonly Cluster[]).filter(({ spec }) => spec?.protocol === "kubefleet");
  if (!found) {
    const message = `the hub has no Cluster ${wanted} of protocol kubefleet: declare it first`;
    throw new AppError("E_KUBE_NOT_FOUND", message, { recovery: "stalled" });
  }
  if (other) throw new AppError("E_USAGE", `two workspaces have a Cluster ${wanted}`);
  if (found.spec?.kubeConfigSecretRef !== undefined)
    throw new AppError("E_USAGE", `the hub installs the agent of ${wanted} itself, by its kubeConfigSecretRef`);
  return found;
}

async function readToken(
  hubApi: KubeApi,
  { name, workspace }: { readonly name: string; readonly workspace: string },
  signal: AbortSignal,
): Promise<string> {
  const secret = `${memberAccountName(name)}-token`;
  const found = await hubApi.get({ type: resourceTypes.secret, namespace: workspace, name: secret }, { signal });
  const encoded = textAt(found, "data", "token");
  if (encoded !== undefined) return Buffer.from(encoded, "base64").toString("utf8");
  const message =
    `Secret ${workspace}/${secret} with the agent's token is not on the hub: its daemon makes it, ` +
    "unless the Cluster names an account of its own";
  throw new AppError("E_KUBE_NOT_FOUND", message, { recovery: "stalled" });
}
