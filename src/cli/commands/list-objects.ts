import { AppError, isAppError } from "../../core/errors.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { KubeObject, ResourceType } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { PlainContext } from "./command-context.ts";
import { pickCluster } from "./pick-cluster.ts";
import { readName } from "./read-targets.ts";

/** Which objects of the hub a command is about. */
export interface ObjectQuery {
  /** Undefined: those of every namespace. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly signal: AbortSignal;
}

/**
 * What --workspace and --selector choose. Without --workspace it is the workspace that each name begins with: a user may have
 * rights there and nowhere else.
 */
export function queryOf(
  { settings, signal }: Pick<PlainContext, "settings" | "signal">,
  names: readonly string[] = [],
): ObjectQuery {
  const namespace = settings.text("workspace") ?? workspaceOf(names);
  const labelSelector = settings.text("selector");
  return {
    signal,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
}

function workspaceOf(names: readonly string[]): string | undefined {
  const namespaces = new Set(names.map((name) => readName(name)?.namespace));
  const [only] = namespaces;
  return namespaces.size === 1 ? only : undefined;
}

/** @throws E_KUBE_FORBIDDEN, and others of a list */
export async function listObjects(
  hubApi: Pick<KubeApi, "list">,
  type: ResourceType,
  query: ObjectQuery,
): Promise<readonly KubeObject[]> {
  return explainRefusal(query, async () => (await hubApi.list(type, query)).items);
}

/** For a user with rights in some workspaces alone, a refusal to list every namespace explains how to name one of them. */
export async function explainRefusal<T>({ namespace }: ObjectQuery, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (namespace !== undefined || !isAppError(error, "E_KUBE_FORBIDDEN")) throw error;
    throw new AppError("E_KUBE_FORBIDDEN", error.message, {
      remedy:
        "Name a workspace that you may read: --workspace NAME, or WORKSPACE/NAME for one object. Reading every workspace takes a ClusterRole.",
    });
  }
}

/** The Cluster that a person means by `name` or `workspace/name`. @throws E_KUBE_NOT_FOUND, E_KUBE_FORBIDDEN, E_USAGE */
export async function findCluster(
  hubApi: Pick<KubeApi, "list">,
  context: Pick<PlainContext, "settings" | "signal">,
  wanted: string,
): Promise<Cluster> {
  const items = await listObjects(hubApi, resourceTypes.cluster, queryOf(context, [wanted]));
  return pickCluster(items as unknown as readonly Cluster[], wanted);
}
