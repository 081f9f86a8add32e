import { canonicalJson, withoutEmptyMaps } from "../core/json.ts";
import type { Declared, DeclaredFleet } from "../model/declared-fleet.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import { readPreviousName } from "../model/previous-name.ts";
import type { Problem } from "../model/problem.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { SourcePosition } from "../model/source.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { mergeDefaults } from "./merge-defaults.ts";
import type { MergedLabels } from "./merge-labels.ts";
import { mergeLabels } from "./merge-labels.ts";

/** One object that files want, as the body of an apply by rollcall-git. */
export interface DesiredObject {
  readonly ref: ObjectRef;
  readonly object: KubeObject;
  readonly position: SourcePosition;
  /** Version of the file that declares it. */
  readonly blobId: string;
  readonly isAdopting: boolean;
  /** Set for a Cluster: who owns which label. */
  readonly merged?: MergedLabels;
}

export interface DesireContext {
  /** `<namespace>.<name>` of the Repository. */
  readonly repositoryLabel: string;
  /** Undefined for a work tree. */
  readonly commit?: string;
  /** What the hub remembers of a cluster's labels from token and agent. */
  readonly rememberedLabels: (
    workspace: string,
    name: string,
  ) => { token?: Record<string, string>; agent?: Record<string, string> } | undefined;
}

export interface Desire {
  readonly objects: readonly DesiredObject[];
  readonly problems: readonly Problem[];
}

/** What the files of a commit want on the hub: Clusters with labels and settings brought together, tokens, groups, Secrets. */
export function desiredObjects(fleet: DeclaredFleet, context: DesireContext): Desire {
  const problems: Problem[] = [];
  const objects: DesiredObject[] = [];
  for (const declared of fleet.clusters) objects.push(desiredCluster(declared, fleet, { context, problems }));
  for (const declared of fleet.tokens) {
    objects.push(desiredCopy(declared, refOf(resourceTypes.clusterRegistrationToken, declared.object), context));
  }
  for (const declared of fleet.groups) {
    objects.push(desiredCopy(declared, refOf(resourceTypes.clusterGroup, declared.object), context));
  }
  for (const declared of fleet.secrets) {
    objects.push(desiredCopy(declared, refOf(resourceTypes.secret, declared.object), context));
  }
  return { objects, problems: dedupe(problems) };
}

function desiredCluster(
  declared: Declared<Cluster>,
  fleet: DeclaredFleet,
  { context, problems }: { readonly context: DesireContext; readonly problems: Problem[] },
): DesiredObject {
  const { object: cluster, position } = declared;
  const { name, namespace = "" } = cluster.metadata;
  const previous = cluster.spec?.previousName;
  const former = previous === undefined ? undefined : readPreviousName(previous, namespace);
  const remembered =
    context.rememberedLabels(namespace, name) ?? (former && context.rememberedLabels(former.workspace, former.name));
  const merged = mergeLabels({ cluster, position, ...(remembered ? { remembered } : {}), rules: fleet.labelRules });
  const visible = { ...remembered?.agent, ...remembered?.token, ...cluster.metadata.labels };
  const { spec, problems: settingProblems } = mergeDefaults(cluster, visible, fleet.defaultRules);
  problems.push(...merged.problems, ...settingProblems);
  const labels: Record<string, string> = {};
  const rules: Record<string, string> = {};
  for (const [key, { value, owner }] of merged.labels) {
    if (owner.kind === "file" || owner.kind === "rule") labels[key] = value;
    if (owner.kind === "rule") rules[key] = owner.rule;
  }
  const annotations = {
    ...merged.annotations,
    ...(Object.keys(rules).length > 0 ? { [annotationKeys.labelRules]: canonicalJson(rules) } : {}),
  };
  const body = {
    ...cluster,
    metadata: { name, namespace, labels, annotations },
    spec: { ...spec, taints: merged.taints.length > 0 ? merged.taints : undefined },
  };
  const desired = desiredCopy({ ...declared, object: body }, { type: resourceTypes.cluster, namespace, name }, context);
  return { ...desired, merged };
}

function desiredCopy(declared: Declared<KubeObject>, ref: ObjectRef, context: DesireContext): DesiredObject {
  const { object, position } = declared;
  const { metadata, status: _status, ...rest } = object;
  const annotations = {
    ...metadata.annotations,
    [annotationKeys.sourceFile]: position.file,
    [annotationKeys.sourceLine]: String(position.line),
    ...(context.commit === undefined ? {} : { [annotationKeys.sourceCommit]: context.commit }),
  };
  const body: KubeObject = {
    ...withoutEmptyMaps(rest),
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...metadata.labels, [labelKeys.repository]: context.repositoryLabel },
      annotations,
    },
  };
  return {
    ref,
    object: body,
    position,
    blobId: declared.blobId,
    isAdopting: metadata.annotations?.[annotationKeys.adopt] === "true",
  };
}

/** A rule that conflicts for many clusters is one problem for each pair of places, with the first cluster as its example. */
function dedupe(problems: readonly Problem[]): Problem[] {
  const seen = new Map<string, Problem>();
  for (const problem of problems) {
    const key = `${problem.code} ${problem.object ?? ""} ${problem.file}:${problem.line}:${problem.column}`;
    if (!seen.has(key)) seen.set(key, problem);
  }
  return [...seen.values()];
}
