import { AppError } from "../../core/errors.ts";
import { printableLines } from "../../core/printable.ts";
import { objectAt } from "../../core/read-json.ts";
import { shellWord } from "../../core/shell-word.ts";
import { version } from "../../core/version.ts";
import { printableYaml } from "../../core/yaml/printable-yaml.ts";
import { imageOf } from "../../join/rollcall/hub/member-manifest.ts";
import { installationObjects, renderManifest } from "../../join/rollcall/manifests/agent-manifest.ts";
import { agentNames } from "../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { applyAgent, readOwnNamespace } from "./apply-agent.ts";
import type { PlainContext } from "./command-context.ts";
import { withCluster } from "./connect-cluster.ts";
import { printInstallAddress } from "./join-address.ts";
import { readClusternetJoin } from "./join-clusternet.ts";
import { readFleetJoin } from "./join-fleet.ts";
import { readKubefleetJoin } from "./join-kubefleet.ts";
import { readJoinValues } from "./join-values.ts";
import type { JoinValues } from "./join-values.ts";
import { checkName } from "./read-labels.ts";

/** Seconds until a new version that is not ready counts as failed; the same as in the chart. */
const deadlineSeconds = 600;

/**
 * `rollcall join`: installs the agent into the cluster of the current kube context, with the objects that the chart and
 * the hub install. Repeating it changes nothing but what the values changed.
 * @throws E_USAGE, E_AGENT_VALUES, E_KUBECONFIG and what the API servers answer
 */
export async function runJoin(context: PlainContext): Promise<number> {
  const { settings } = context;
  const clusterName = settings.text("cluster-name");
  if (clusterName !== undefined) checkName(clusterName, "--cluster-name");
  const namespace = checkName(settings.requiredText("agent-namespace"), "--agent-namespace");
  if (namespace === "default" || namespace.startsWith("kube-")) {
    throw new AppError("E_USAGE", `--agent-namespace ${namespace}: the agent needs a namespace of its own`);
  }
  if (settings.text("protocol") === "kubefleet") return joinKubefleet(context);
  if (settings.text("protocol") === "clusternet") return joinClusternet(context);
  if (settings.text("protocol") === "fleet") return joinFleet(context);
  if (settings.isOn("print-flags")) throw new AppError("E_USAGE", "--print-flags requires --protocol clusternet");
  const join = await readJoinValues(context);
  return installOrPrint(context, {
    namespace,
    objects: renderJoin(join, namespace, settings.text("agent-image")),
    describe: (found) => describeJoin(join, namespace, found),
  });
}

/** KubeFleet's agent takes part because its cluster is declared: there are no values to join by. */
async function joinKubefleet(context: PlainContext): Promise<number> {
  const objects = await readKubefleetJoin(context);
  const namespace = objects[0]?.metadata.name ?? "";
  return installOrPrint(context, {
    namespace,
    objects,
    describe: ({ server }) => `KubeFleet's agent is installed in ${server}, namespace ${namespace}.\n`,
  });
}

/** Fleet's agent, with the values that a token has for every cluster that may register with it. */
async function joinFleet(context: PlainContext): Promise<number> {
  const { objects, hubUrl, workspace, tokenName } = await readFleetJoin(context);
  const namespace = objects[0]?.metadata.name ?? "";
  return installOrPrint(context, {
    namespace,
    objects,
    describe: ({ server, kubectl }) =>
      `Fleet's agent is installed in ${server}, namespace ${namespace}.\n` +
      `It asks ${hubUrl} to join workspace ${workspace}, by token ${tokenName}.\n` +
      `Its log: ${kubectl} -n ${shellWord(namespace)} logs -l app=fleet-agent\n`,
  });
}

/** Clusternet's agent, with the credential that a token has for this one cluster. */
async function joinClusternet(context: PlainContext): Promise<number> {
  const { settings, stdout } = context;
  const { objects, flags } = await readClusternetJoin(context);
  if (settings.isOn("print-flags")) {
    const isShown = (flag: string): boolean => flag !== "cluster-reg-token" || settings.isOn("show-secrets");
    const lines = Object.entries(flags).map(
      ([flag, value]) => `--${flag}=${isShown(flag) ? value : "<hidden; --show-secrets prints it>"}\n`,
    );
    stdout.write(printableLines(lines.join("")));
    return 0;
  }
  const namespace = objects[0]?.metadata.name ?? "";
  return installOrPrint(context, {
    namespace,
    objects,
    describe: ({ server }) => `Clusternet's agent is installed in ${server}, namespace ${namespace}.\n`,
  });
}

/** The cluster that an agent is installed into. */
interface FoundCluster {
  readonly server: string;
  /** How a person runs kubectl in it. */
  readonly kubectl: string;
  /** An agent was installed in the namespace before. */
  readonly hadAgent: boolean;
}

async function installOrPrint(
  context: PlainContext,
  agent: {
    readonly namespace: string;
    readonly objects: readonly KubeObject[];
    /** What to print about the cluster once they are in it. */
    readonly describe: (found: FoundCluster) => string;
  },
): Promise<number> {
  const { settings, stdout, signal } = context;
  const { namespace, objects, describe } = agent;
  if (settings.text("install-url") !== undefined) return printInstallAddress(context, objects);
  if (settings.isOn("dry-run")) {
    stdout.write(printObjects(objects, settings.isOn("show-secrets")));
    return 0;
  }
  return withCluster(context, async ({ downstreamApi, connection: { kubectl = "kubectl" } }) => {
    const hadAgent = (await readOwnNamespace(downstreamApi, namespace, signal)) !== undefined;
    await applyAgent(downstreamApi, objects, signal);
    stdout.write(printableLines(describe({ server: downstreamApi.server, kubectl, hadAgent })));
    return 0;
  });
}

function renderJoin({ values, agent }: JoinValues, namespace: string, image: string | undefined): KubeObject[] {
  const manifest = renderManifest({
    namespace,
    image: imageOf(image ?? agent.image ?? "rollcall", agent.version ?? version),
    settings: agent,
    deadlineSeconds,
  });
  return installationObjects(manifest, values);
}

/** The objects as YAML. Hidden values are no base64, so that no API server takes them for the real ones. */
function printObjects(objects: readonly KubeObject[], isShowingSecrets: boolean): string {
  const texts = objects.map((object) => {
    const keys = object.kind === "Secret" ? Object.keys(objectAt(object, "data") ?? {}) : [];
    const hidden = Object.fromEntries(keys.map((key) => [key, "<hidden; --show-secrets prints it>"]));
    return printableYaml(keys.length > 0 && !isShowingSecrets ? { ...object, data: hidden } : object);
  });
  return texts.join("---\n");
}

function describeJoin({ values }: JoinValues, namespace: string, { server, kubectl, hadAgent }: FoundCluster): string {
  const name = values.cluster?.name;
  const asked = name === undefined ? "" : ` as ${name}`;
  return [
    `The agent is installed in ${server}, namespace ${namespace}.`,
    `It asks ${values.hub.url} to join workspace ${values.workspace}${asked}, by token ${values.token.name}.`,
    `On the hub: rollcall status${name === undefined ? "" : ` ${shellWord(`${values.workspace}/${name}`)}`}`,
    `Its log, with the reason if it is refused: ${kubectl} -n ${namespace} logs deployment/${agentNames.agent}`,
    ...(hadAgent ? [presentMember] : []),
    "",
  ].join("\n");
}

const presentMember =
  "The namespace was there before. If its agent is a member of a hub, it uses these values only when that hub has ended its credentials. For an agent of a second hub, choose another --agent-namespace.";
