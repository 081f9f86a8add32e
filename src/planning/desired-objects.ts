import { appendAll } from "../core/append-all.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import { canonicalJson, withoutEmptyMaps } from "../core/json.ts";
import type { Declared, DeclaredFleet } from "../model/declared-fleet.ts";
import type { ClusterDefaults } from "../model/generated/cluster-defaults.ts";
import type { ClusterGroup } from "../model/generated/cluster-group.ts";
import type { ClusterLabels } from "../model/generated/cluster-labels.ts";
import type { Cluster, ClusterSpec } from "../model/generated/cluster.ts";
import { isAdopting } from "../model/is-adopting.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import { readPreviousName } from "../model/previous-name.ts";
import type { Problem } from "../model/problem.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { RuleIndex } from "../model/rule-index.ts";
import { indexRules } from "../model/rule-index.ts";
import type { SourcePosition } from "../model/source.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { mergeDefaults } from "./merge-defaults.ts";
import type { MergedLabels } from "./merge-labels.ts";
import { mergeLabels } from "./merge-labels.ts";

/**
 * One object that files declare, as the body of an apply by rollcall-git; `withCommit` adds the commit. It stays the
 * same while its file, the rules and its inputs from the hub stay the same.
 */
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
  /** What the hub remembers of a cluster's labels from token and agent. */
  readonly rememberedLabels: (workspace: string, name: string) => RememberedLabels | undefined;
}

interface RememberedLabels {
  token?: Record<string, string>;
  agent?: Record<string, string>;
}

export interface Desire {
  readonly objects: readonly DesiredObject[];
  readonly problems: readonly Problem[];
}

/** What the files of a commit want on the hub: Clusters with labels and settings brought together, tokens, groups, Secrets. */
export function desiredObjects(fleet: DeclaredFleet, context: DesireContext): Desire {
  const problems: Problem[] = [];
  const objects: DesiredObject[] = [];
  const { repositoryLabel } = context;
  const rules = rulesOf(fleet);
  for (const declared of fleet.clusters) {
    const remembered = rememberedOf(declared.object, context);
    const { name, namespace } = declared.object.metadata;
    const matching = rules.matching(namespace, { name, labels: visibleLabels(declared.object, remembered) });
    const wanted = desiredCluster(declared, repositoryLabel, remembered, ...matching);
    appendAll(problems, wanted.problems);
    objects.push(wanted.desired);
  }
  const copy = (type: ResourceType, all: readonly Declared<KubeObject>[]): void => {
    for (const declared of all) objects.push(desiredCopy(declared, type, repositoryLabel));
  };
  copy(resourceTypes.clusterRegistrationToken, fleet.tokens);
  copy(resourceTypes.clusterGroup, fleet.groups.map(withExplicitSelector));
  copy(resourceTypes.secret, fleet.secrets);
  return { objects, problems: dedupe(problems) };
}

/** The same object with the commit that a change of it comes from; undefined for a work tree. */
export function withCommit(object: KubeObject, commit: string | undefined): KubeObject {
  if (commit === undefined) return object;
  const annotations = { ...object.metadata.annotations, [annotationKeys.sourceCommit]: commit };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** What the hub remembers of the cluster, or of the one that it was. */
function rememberedOf({ metadata, spec }: Cluster, { rememberedLabels }: DesireContext): RememberedLabels | undefined {
  const { name, namespace = "" } = metadata;
  const former = spec?.previousName === undefined ? undefined : readPreviousName(spec.previousName, namespace);
  return rememberedLabels(namespace, name) ?? (former && rememberedLabels(former.workspace, former.name));
}

/** A cluster is compared with the rules that may select it, not with all. */
function rulesOf({ labelRules, defaultRules }: DeclaredFleet): RuleIndex<Declared<ClusterLabels | ClusterDefaults>> {
  return indexRules([...labelRules, ...defaultRules], ({ object }) => ({
    workspace: object.metadata.namespace,
    selector: object.spec.selector,
  }));
}

/** What the selectors of rules see: nothing that rules give. */
function visibleLabels(cluster: Cluster, remembered: RememberedLabels | undefined): Record<string, string> {
  return { ...remembered?.agent, ...remembered?.token, ...cluster.metadata.labels };
}

const desiredCluster = memoizeWeak(makeDesiredCluster);

function makeDesiredCluster(
  declared: Declared<Cluster>,
  repositoryLabel: string,
  remembered: RememberedLabels | undefined,
  ...rules: readonly Declared<ClusterLabels | ClusterDefaults>[]
): { readonly desired: DesiredObject; readonly problems: readonly Problem[] } {
  const { object: cluster, position } = declared;
  const { name, namespace = "" } = cluster.metadata;
  const labelRules = rules.filter((rule) => isOfKind<ClusterLabels>(rule, "ClusterLabels"));
  const defaultRules = rules.filter((rule) => isOfKind<ClusterDefaults>(rule, "ClusterDefaults"));
  const merged = mergeLabels({ cluster, position, ...(remembered ? { remembered } : {}), rules: labelRules });
  const { spec, problems } = mergeDefaults(cluster, visibleLabels(cluster, remembered), defaultRules);
  const labels: Record<string, string> = {};
  const byRule: Record<string, string> = {};
  for (const [key, { value, owner }] of merged.labels) {
    if (owner.kind === "file" || owner.kind === "rule") labels[key] = value;
    if (owner.kind === "rule") byRule[key] = owner.rule;
  }
  const annotations = {
    ...merged.annotations,
    ...(Object.keys(byRule).length > 0 ? { [annotationKeys.labelRules]: canonicalJson(byRule) } : {}),
  };
  const body = {
    ...cluster,
    metadata: { name, namespace, labels, annotations },
    spec: withTaints(spec, merged.taints),
  };
  const desired = makeDesiredCopy({ ...declared, object: body }, resourceTypes.cluster, repositoryLabel);
  return { desired: { ...desired, merged }, problems: [...merged.problems, ...problems] };
}

/** The spec with these taints; without any it is the very one of the file, which needs no copy. */
function withTaints(spec: ClusterSpec, taints: MergedLabels["taints"]): ClusterSpec {
  if (taints.length > 0) return { ...spec, taints: [...taints] };
  if (!Object.hasOwn(spec, "taints")) return spec;
  const { taints: _none, ...rest } = spec;
  return rest;
}

function isOfKind<T extends ClusterLabels | ClusterDefaults>(
  rule: Declared<ClusterLabels | ClusterDefaults>,
  kind: T["kind"],
): rule is Declared<T> {
  return rule.object.kind === kind;
}

/** An empty selector chooses every cluster; apply bodies leave out empty maps, and an absent one chooses none. */
const withExplicitSelector = memoizeWeak((group: Declared<ClusterGroup>): Declared<ClusterGroup> => {
  const { spec } = group.object;
  const isEmpty = withoutEmptyMaps(spec.selector) === undefined;
  return isEmpty ? { ...group, object: { ...group.object, spec: { ...spec, selector: { names: ["*"] } } } } : group;
});

const desiredCopy = memoizeWeak(makeDesiredCopy);

function makeDesiredCopy(declared: Declared<KubeObject>, type: ResourceType, repositoryLabel: string): DesiredObject {
  const { object, position } = declared;
  const { metadata, status: _status, ...rest } = object;
  const annotations = {
    ...metadata.annotations,
    [annotationKeys.sourceFile]: position.file,
    [annotationKeys.sourceLine]: String(position.line),
  };
  const body: KubeObject = {
    ...withoutEmptyMaps(rest),
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...metadata.labels, [labelKeys.repository]: repositoryLabel },
      annotations,
    },
  };
  return {
    ref: refOf(type, object),
    object: body,
    position,
    blobId: declared.blobId,
    isAdopting: isAdopting({ metadata }),
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
