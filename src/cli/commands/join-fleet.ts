import { AppError } from "../../core/errors.ts";
import { textAt, textMapAt } from "../../core/read-json.ts";
import { readYamlDocument } from "../../core/yaml/read-document.ts";
import { fleetAgentManifest } from "../../join/fleet/manifests/agent-manifest.ts";
import { bootstrapValues } from "../../join/fleet/manifests/bootstrap-values.ts";
import { fleetAgentNames } from "../../model/dialects/fleet.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { PlainContext } from "./command-context.ts";
import { withHubOf } from "./connect-cluster.ts";
import { readSource } from "./join-values.ts";
import { readLabels } from "./read-labels.ts";

/** What Fleet's agent is installed by, and what to report of it. */
export interface FleetJoin {
  readonly objects: readonly KubeObject[];
  readonly hubUrl: string;
  readonly workspace: string;
  readonly tokenName: string;
}

/**
 * Reads the values of a Fleet token, from the hub or from a file, and renders the objects that the hub itself installs. The
 * credential of an agent that has registered before is not among them: it stays.
 * @throws E_USAGE, E_AGENT_VALUES, E_KUBECONFIG, E_KUBE_NOT_FOUND; no message repeats a value
 */
export async function readFleetJoin(context: PlainContext): Promise<FleetJoin> {
  const { settings } = context;
  if (settings.text("cluster-name") !== undefined)
    throw new AppError(
      "E_USAGE",
      "Fleet's agents are known by their client ID: declare the Cluster with clientID, and give join the same --client-id",
    );
  const values = readFleetValues(await readSource(context));
  const { workspace, url: hubUrl, tokenName, caBundle } = values.input;
  const clientID = settings.text("client-id");
  const image = settings.text("agent-image");
  const spec = await declaredSpec(context, workspace, clientID);
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: clientID ?? "unnamed", namespace: workspace },
    spec: {
      ...spec,
      protocol: "fleet",
      ...(clientID === undefined ? {} : { clientID }),
      ...(image === undefined ? {} : { agent: { ...spec?.agent, image } }),
    },
  };
  const member = { workspace, name: cluster.metadata.name, cluster, state: undefined, children: [] };
  const endpoint = { url: hubUrl, caBundle };
  const labels = { ...values.labels, ...readLabels(settings.list("label") ?? []) };
  const objects = fleetAgentManifest(member, { endpoint }, bootstrapValues(values.input), labels);
  return { objects: objects.filter((object) => !isCredential(object)), hubUrl, workspace, tokenName };
}

/** What the Cluster with this clientID declares of its agent, where the values are read from the hub. */
async function declaredSpec(
  { settings, environment, signal }: PlainContext,
  namespace: string,
  clientID: string | undefined,
): Promise<Cluster["spec"]> {
  const hubKubeconfig = settings.text("hub-kubeconfig");
  if (settings.text("from-hub") === undefined || hubKubeconfig === undefined || clientID === undefined)
    return undefined;
  const { items } = await withHubOf(hubKubeconfig, environment, (hubApi) =>
    hubApi.list(resourceTypes.cluster, { namespace, signal }),
  );
  const isDeclared = ({ spec }: Cluster): boolean => spec?.protocol === "fleet" && spec.clientID === clientID;
  return (items as readonly Cluster[]).find(isDeclared)?.spec;
}

/** Values as a token's Secret has them, for Fleet's chart. */
function readFleetValues(text: string) {
  const read = readYamlDocument(text);
  if (read.problem !== undefined)
    throw new AppError("E_AGENT_VALUES", `the values cannot be used: line ${read.line}: ${read.problem}`);
  const valueOf = (key: string): string => textAt(read.value, key) ?? "";
  for (const key of ["apiServerURL", "clusterNamespace", "token"])
    if (valueOf(key) === "") throw new AppError("E_AGENT_VALUES", `the values cannot be used: ${key} is missing`);
  const input = {
    workspace: valueOf("clusterNamespace"),
    tokenName: valueOf("tokenName"),
    token: valueOf("token"),
    url: valueOf("apiServerURL"),
    caBundle: valueOf("apiServerCA"),
  };
  return { input, labels: textMapAt(read.value, "labels") };
}

function isCredential({ kind, metadata }: KubeObject): boolean {
  return kind === "Secret" && metadata.name === fleetAgentNames.agent;
}
