import type { MemberState, ClusterName, MemberOrigin } from "../model/member-state.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import { isAppliedBy } from "./owned-fields.ts";

/** What is recorded of a Cluster, in case a user deletes it. */
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
  readonly object: Cluster & KubeObject;
  /** The field manager: a declared cluster is git's, whose controllers then apply its file or offboard it. */
  readonly manager: string;
}

/**
 * The Cluster of a member whose Cluster a user deleted. That is no offboarding: it is created again, and continues
 * leaving or moving if it did before. Undefined when its origin is unknown.
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
  const object: Cluster & KubeObject = {
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
