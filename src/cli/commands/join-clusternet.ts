import { AppError } from "../../core/errors.ts";
import { textAt, textMapAt } from "../../core/read-json.ts";
import { readYamlDocument } from "../../core/yaml/read-document.ts";
import { clusternetAgentManifest } from "../../join/clusternet/manifests/agent-manifest.ts";
import { tokenFlags, readTokenFlags } from "../../join/clusternet/manifests/agent-flags.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { PlainContext } from "./command-context.ts";
import { withHubOf } from "./connect-cluster.ts";
import { readFromHub, readValuesOption } from "./join-values.ts";
import { readLabels } from "./read-labels.ts";

/** The input for installing Clusternet's agent: the objects, or its flags for an installation in another way. */
export interface ClusternetJoin {
  readonly objects: readonly KubeObject[];
  /** One flag a line, in the order in which an agent's help has them; the token is a secret. */
  readonly flags: Readonly<Record<string, string>>;
}

interface TokenValues {
  readonly url: string;
  readonly token: string;
  readonly workspace: string;
  readonly tokenName: string;
  readonly clusterName: string;
}

/**
 * Reads what a token's Secret has for one cluster, from the hub or from a file.
 * @throws E_USAGE, E_AGENT_VALUES, E_KUBECONFIG, E_KUBE_NOT_FOUND; no message repeats a value
 */
export async function readClusternetJoin(context: PlainContext): Promise<ClusternetJoin> {
  const { settings, signal } = context;
  const { token, text } = await readValuesOption(context);
  if (token === undefined) return renderJoin(context, readTokenValues(text), undefined);
  const hubKubeconfig = settings.text("hub-kubeconfig");
  const clusterName = settings.text("cluster-name");
  if (hubKubeconfig === undefined || clusterName === undefined)
    throw new AppError(
      "E_USAGE",
      "--protocol clusternet --from-hub needs --cluster-name NAME and --hub-kubeconfig FILE",
    );
  return withHubOf(hubKubeconfig, context.environment, async (hubApi) => {
    const lack = `has nothing for cluster ${clusterName}: its token must name it, and be open`;
    const values = readTokenValues(await readFromHub(hubApi, { token, entry: clusterName, lack, signal }));
    const ref = { type: resourceTypes.cluster, namespace: values.workspace, name: clusterName };
    return renderJoin(context, values, (await hubApi.get(ref, { signal })) as Cluster | undefined);
  });
}

function readTokenValues(text: string): TokenValues {
  const read = readYamlDocument(text);
  if (read.problem !== undefined)
    throw new AppError("E_AGENT_VALUES", `the values cannot be used: line ${read.line}: ${read.problem}`);
  const values = read.value;
  const url = textAt(values, "parentURL") ?? "";
  const token = textAt(values, "registrationToken") ?? "";
  const named = readTokenFlags(textMapAt(values, "extraArgs"));
  if (url !== "" && token !== "" && named?.tokenName !== undefined)
    return { url, token, workspace: named.workspace, tokenName: named.tokenName, clusterName: named.clusterName };
  const missing = url === "" ? "parentURL" : token === "" ? "registrationToken" : "extraArgs";
  throw new AppError("E_AGENT_VALUES", `the values cannot be used: ${missing} is missing or of the wrong form`);
}

function renderJoin({ settings }: PlainContext, values: TokenValues, declared: Cluster | undefined): ClusternetJoin {
  const { url, token, workspace, tokenName, clusterName } = values;
  const labels = readLabels(settings.list("label") ?? []);
  const image = settings.text("agent-image");
  const { spec } = declared ?? {};
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: clusterName, namespace: workspace },
    spec: { ...spec, protocol: "clusternet", ...(image === undefined ? {} : { agent: { ...spec?.agent, image } }) },
  };
  const member = { workspace, name: clusterName, cluster, state: undefined, children: [] };
  const bootstrap = { regToken: token, tokenName, labels };
  return {
    objects: clusternetAgentManifest(member, { endpoint: { url, caBundle: "" } }, bootstrap),
    flags: {
      "cluster-reg-parent-url": url,
      "cluster-reg-token": token,
      ...tokenFlags({ workspace, clusterName, tokenName, labels }),
    },
  };
}
