import { AppError } from "../../core/errors.ts";
import { objectAt, textAt } from "../../core/read-json.ts";
import { readYamlDocument } from "../../core/yaml/read-document.ts";
import type { AgentValues } from "../../join/rollcall/agent-values.ts";
import { readAgentValues } from "../../join/rollcall/agent-values.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { describePath } from "../../manifests/schema-finding.ts";
import { validateDocument } from "../../manifests/validate-document.ts";
import type { AgentSettings } from "../../model/generated/agent-settings.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { PlainContext } from "./command-context.ts";
import { withHubOf } from "./connect-cluster.ts";
import { readText } from "../../system/read-text.ts";
import { readLabels } from "./read-labels.ts";
import { readName } from "./read-targets.ts";

/** What an agent is installed by: what it joins with, and how it runs. */
export interface JoinValues {
  readonly values: AgentValues;
  readonly agent: AgentSettings;
}

/**
 * The values of --values or --from-hub, with the command line's options for the cluster.
 * @throws E_USAGE, E_AGENT_VALUES, E_KUBE_NOT_FOUND; no message repeats a value
 */
export async function readJoinValues(context: PlainContext): Promise<JoinValues> {
  const { values, agent } = parseJoinValues(await readSource(context));
  const { settings } = context;
  const name = settings.text("cluster-name");
  const clientID = settings.text("client-id");
  const labels = readLabels(settings.list("label") ?? []);
  const cluster = {
    ...values.cluster,
    ...(name === undefined ? {} : { name }),
    ...(clientID === undefined ? {} : { clientID }),
    ...(Object.keys(labels).length > 0 ? { labels: { ...values.cluster?.labels, ...labels } } : {}),
  };
  return { values: { ...values, cluster }, agent };
}

/**
 * Values as a token's Secret or the agent's chart have them: YAML or JSON, `agent` as in a Cluster's spec.
 * @throws E_AGENT_VALUES
 */
function parseJoinValues(text: string): JoinValues {
  const read = readYamlDocument(text);
  if (read.problem !== undefined) throw unusable(`line ${read.line}: ${read.problem}`);
  const { value } = read;
  const values = readAgentValues(value);
  if ("lack" in values) throw unusable(values.lack);
  // The chart's own values hold empty texts for what is not set.
  const agent = Object.fromEntries(Object.entries(objectAt(value, "agent") ?? {}).filter(([, field]) => field !== ""));
  const spec = { agent };
  const [finding] = validateDocument("Cluster", {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "values" },
    spec,
  });
  // The finding's own text may repeat a value.
  if (finding) throw unusable(`${describePath(finding.path)} is not as in a Cluster (docs/spec/cluster.md)`);
  return { values, agent: spec.agent };
}

/**
 * The text that --values or --from-hub name.
 * @throws E_USAGE, E_KUBECONFIG, E_KUBE_NOT_FOUND
 */
export async function readSource(context: PlainContext): Promise<string> {
  const { token, text } = await readValuesOption(context);
  if (token === undefined) return text;
  const hubKubeconfig = context.settings.text("hub-kubeconfig");
  if (hubKubeconfig === undefined) throw new AppError("E_USAGE", "--from-hub needs --hub-kubeconfig FILE");
  const lack = "with the token's values is not on the hub: see the token's status";
  return withHubOf(hubKubeconfig, context.environment, (hubApi) =>
    readFromHub(hubApi, { token, entry: "values", lack, signal: context.signal }),
  );
}

type ValuesOption =
  | { readonly text: string; readonly token?: undefined }
  | { readonly token: string; readonly text?: undefined };

/**
 * The text that --values names, or the token that --from-hub names.
 * @throws E_USAGE without exactly one of the two
 */
export async function readValuesOption({ settings, readStdin }: PlainContext): Promise<ValuesOption> {
  const file = settings.text("values");
  const token = settings.text("from-hub");
  if (file !== undefined && token === undefined) return { text: await (file === "-" ? readStdin() : readText(file)) };
  if (file === undefined && token !== undefined) return { token };
  throw new AppError("E_USAGE", "join needs either --values FILE or --from-hub TOKEN");
}

export interface TokenEntry {
  /** A token's name, or workspace/name. */
  readonly token: string;
  /** Of the token's Secret. */
  readonly entry: string;
  /** The end of the message about a Secret without the entry. */
  readonly lack: string;
  readonly signal: AbortSignal;
}

/**
 * An entry of the Secret of a token.
 * @throws E_KUBE_NOT_FOUND, E_USAGE
 */
export async function readFromHub(hubApi: KubeApi, { token, entry, lack, signal }: TokenEntry): Promise<string> {
  const { metadata } = await findToken(hubApi, token, signal);
  const { namespace = "", name } = metadata;
  const secret = await hubApi.get({ type: resourceTypes.secret, namespace, name }, { signal });
  const encoded = textAt(secret, "data", entry);
  if (encoded !== undefined) return Buffer.from(encoded, "base64").toString("utf8");
  throw new AppError("E_KUBE_NOT_FOUND", `Secret ${namespace}/${name} ${lack}`, { recovery: "stalled" });
}

/** @throws E_KUBE_NOT_FOUND, E_USAGE */
export async function findToken(hubApi: KubeApi, wanted: string, signal: AbortSignal): Promise<KubeObject> {
  const named = readName(wanted);
  if (named === undefined)
    throw new AppError("E_USAGE", `--from-hub ${wanted}: write the token's name, or workspace/name`);
  const { name, ...place } = named;
  const options = { fieldSelector: `metadata.name=${name}`, signal, ...place };
  const { items } = await hubApi.list(resourceTypes.clusterRegistrationToken, options);
  const [found, other] = items;
  if (!found) {
    throw new AppError("E_KUBE_NOT_FOUND", `the hub has no ClusterRegistrationToken ${wanted}`, {
      recovery: "stalled",
    });
  }
  if (other) {
    const names = items.map((item) => `${item.metadata.namespace}/${item.metadata.name}`).join(", ");
    throw new AppError("E_USAGE", `more than one token is called ${wanted}: ${names}`);
  }
  return found;
}

function unusable(what: string): AppError {
  return new AppError("E_AGENT_VALUES", `the values cannot be used: ${what}`);
}
