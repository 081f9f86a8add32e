import type { MemberState, ClusterName, MemberOrigin } from "../model/member-state.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import { isAppliedBy } from "./owned-fields.ts";

/** What is to be remembered of a Cluster, lest somebody deletes it by hand. */
export function originOf(cluster: Cluster): MemberOrigin {
  const { labels = {}, annotations = {} } = cluster.metadata;
  const repository = labels[labelKeys.repository];
  const sourceFile = annotations[annotationKeys.sourceFile];
  const { spec = {} } = cluster;
  return {
    ...(repository === undefined ? {} : { repository }),
    isDeclared: isAppliedBy(cluster, fieldManagers.git),
    ...(sourceFile === undefined ? {} : { sourceFile }),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

export interface RemadeCluster {
  readonly object: KubeObject;
  /** In whose name: a declared cluster is git's, whose half then makes it what its file says, or lets it leave. */
  readonly manager: string;
}

/**
 * The Cluster of a member whose Cluster was deleted by hand. That was no leave: it is there again, goes on leaving if it
 * was leaving, and on moving if it was moving. Undefined when nobody knows how it came about.
 */
export function remadeCluster(
  { workspace, name }: ClusterName,
  state: MemberState,
  movedTo: ClusterName | undefined,
): RemadeCluster | undefined {
  const { origin, leave, labels } = state;
  if (!origin) return undefined;
  const { repository, isDeclared, sourceFile, spec } = origin;
  const annotations = {
    ...(sourceFile === undefined ? {} : { [annotationKeys.sourceFile]: sourceFile }),
    ...(leave ? { [annotationKeys.leave]: leave.commit } : {}),
    ...(movedTo ? { [annotationKeys.movedTo]: `${movedTo.workspace}/${movedTo.name}` } : {}),
  };
  const object: KubeObject = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      namespace: workspace,
      labels: {
        ...(isDeclared ? {} : { ...labels?.agent, ...labels?.token }),
        ...(repository === undefined ? {} : { [labelKeys.repository]: repository }),
      },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    ...(spec ? { spec } : {}),
  };
  return { object, manager: isDeclared ? fieldManagers.git : fieldManagers.hub };
}
