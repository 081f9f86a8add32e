import { namespacedName } from "../../model/namespaced-name.ts";
import { AppError } from "../../core/errors.ts";
import { countOf, oneOrMany } from "../../core/count-of.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { publicNamespace } from "../../model/dialects/rollcall.ts";
import { crds } from "../../model/generated/crds.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../model/well-known.ts";
import { agentNamespaceOf } from "../../planning/views/agent-log.ts";
import { printable } from "../../core/printable.ts";
import type { PlainContext } from "./command-context.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import { readTimeout } from "./read-timeout.ts";
import { noCommit, refuseProtected, removeMembers } from "./uninstall-members.ts";
import { lastDefinition, listIfServed, removeDefinitions, removeRemains } from "./uninstall-remains.ts";

/** What there is of a fleet on a hub. */
interface Holdings {
  /** An uninstall before this one removed a part. */
  readonly isStarted: boolean;
  readonly clusters: readonly Cluster[];
  readonly tokens: readonly KubeObject[];
  readonly repositories: readonly KubeObject[];
  readonly workspaces: readonly string[];
}

/**
 * `rollcall uninstall --all`: removes every cluster and its agent, then all objects of rollcall.dev from the hub,
 * definitions last. It asks first. Unreachable agents are named, and nothing else is removed unless
 * --abandon-unreachable is given. Exit code 3 when some could not be reached.
 * @throws E_USAGE without --all, while the daemon runs, when clusters are protected, or when the answer is no
 */
export async function runUninstall(context: PlainContext): Promise<number> {
  const { settings, stdout, signal } = context;
  if (!settings.isOn("all")) {
    const hint = "helm uninstall removes the program; --all removes every cluster with its agent, and the definitions";
    throw new AppError("E_USAGE", `uninstall needs --all: ${hint}`);
  }
  const { timeoutMs } = readTimeout(settings);
  const { hubApi, connection } = await connectHub(settings, context.environment);
  try {
    const namespace = settings.requiredText("namespace");
    const holdings = await readHoldings(hubApi, signal);
    if (holdings === undefined) {
      stdout.write(`Nothing of Rollcall is on ${hubApi.server}.\n`);
      return 0;
    }
    refuseProtected(holdings.clusters);
    await confirm(context, hubApi.server, holdings);
    const { clusters } = holdings;
    const unreached = await removeMembers(context, { hubApi, connection, namespace, clusters, timeoutMs });
    if (unreached.length > 0) {
      stdout.write(`${unreached.map(describeUnreached).map(printable).join("\n")}\n`);
      if (!settings.isOn("abandon-unreachable")) {
        stdout.write(
          "Run this again when they can be reached, or with --abandon-unreachable to leave those agents there.\n",
        );
        return 3;
      }
    }
    const removed = await removeRemains(hubApi, { namespace, workspaces: holdings.workspaces, signal });
    const definitions = await removeDefinitions(hubApi, signal);
    stdout.write(`Removed ${removed} objects and ${definitions} definitions from ${hubApi.server}.\n`);
    const publicOne = await hubApi.get({ type: resourceTypes.namespace, name: publicNamespace }, { signal });
    const kept = [...holdings.workspaces, namespace, ...(publicOne ? [publicNamespace] : [])].join(", ");
    stdout.write(`Namespaces stay: ${printable(kept)}. Delete them if nothing else of yours is in them.\n`);
    return unreached.length > 0 ? 3 : 0;
  } finally {
    await hubApi.close();
  }
}

async function readHoldings(hubApi: KubeApi, signal: AbortSignal): Promise<Holdings | undefined> {
  const { cluster, clusterRegistrationToken, repository, customResourceDefinition: type } = resourceTypes;
  const definition = await hubApi.get({ type, name: lastDefinition }, { signal });
  if (!definition) return undefined;
  const [clusters, tokens, repositories, workspaces] = await Promise.all([
    hubApi.list(cluster, { signal }),
    listIfServed(hubApi, clusterRegistrationToken, { signal }),
    listIfServed(hubApi, repository, { signal }),
    hubApi.list(resourceTypes.namespace, { labelSelector: labelKeys.workspace, signal }),
  ]);
  const definitions = await hubApi.list(type, { signal });
  const isThere = new Set(definitions.items.map(({ metadata }) => metadata.name));
  return {
    isStarted:
      clusters.items.some(({ metadata }) => metadata.annotations?.[annotationKeys.leave] === noCommit) ||
      crds.some(({ metadata }) => !isThere.has(metadata.name)),
    clusters: clusters.items as unknown[] as Cluster[],
    tokens,
    repositories,
    workspaces: workspaces.items.map(({ metadata }) => metadata.name),
  };
}

async function confirm(context: PlainContext, server: string, holdings: Holdings): Promise<void> {
  const { clusters, tokens, repositories } = holdings;
  const counts = `${countOf(clusters.length, "cluster")} with ${oneOrMany(clusters.length, "its agent", "their agents")}, ${countOf(tokens.length, "token")}, ${countOf(repositories.length, "repository", "repositories")}`;
  if (holdings.isStarted)
    context.stdout.write("An uninstall was stopped on this hub: this run continues with what is left.\n");
  context.stdout.write(`This removes ${counts} and every definition of rollcall.dev from ${server}.\n`);
  context.stdout.write("The files in git stay as they are.\n");
  if (context.settings.isOn("yes")) return;
  context.stdout.write(`Type the number of clusters (${clusters.length}) to continue: `);
  const answer = (await context.readLine()).trim();
  if (answer === String(clusters.length)) return;
  throw new AppError("E_USAGE", `nothing was removed: the answer is not ${clusters.length}; without a question: --yes`);
}

function describeUnreached(cluster: Cluster): string {
  return `${namespacedName(cluster)}: its agent was not removed (namespace ${agentNamespaceOf(cluster)} of that cluster)`;
}
