import { compareText } from "../core/compare-text.ts";
import type { ClusterLabels } from "../model/generated/cluster-labels.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Taints } from "../model/generated/taints.ts";
import type { Declared } from "../model/declared-fleet.ts";
import type { Problem } from "../model/problem.ts";
import { matchesSelector } from "../model/selector.ts";
import type { SourcePosition } from "../model/source.ts";

/** Who gives a label its value. There is one owner per key: file, else rule, else token, else agent. */
export type LabelOwner =
  | { readonly kind: "file"; readonly position: SourcePosition }
  | { readonly kind: "rule"; readonly rule: string; readonly position: SourcePosition }
  | { readonly kind: "token" }
  | { readonly kind: "agent" };

export interface OwnedLabel {
  readonly value: string;
  readonly owner: LabelOwner;
}

type Taint = Taints[number];

export interface MergedLabels {
  readonly labels: ReadonlyMap<string, OwnedLabel>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Keys that rules of equal priority contest: none of the rules sets them. */
  readonly contestedKeys: readonly string[];
  readonly problems: readonly Problem[];
}

export interface LabelInputs {
  readonly cluster: Cluster;
  /** Undefined for a cluster without a file. */
  readonly position?: SourcePosition;
  /** What the hub remembers from token and agent. */
  readonly remembered?: {
    readonly token?: Readonly<Record<string, string>>;
    readonly agent?: Readonly<Record<string, string>>;
  };
  readonly rules: readonly Declared<ClusterLabels>[];
}

/**
 * Brings the labels of one cluster together. Selectors see labels of file, token and agent, never of rules, so the order
 * of rules does not matter. The highest priority wins; equal priority with different values is E_LABEL_CONFLICT at both
 * rules.
 */
export function mergeLabels(inputs: LabelInputs): MergedLabels {
  const { cluster, position, remembered } = inputs;
  const labels = new Map<string, OwnedLabel>();
  for (const [key, value] of Object.entries(remembered?.agent ?? {}))
    labels.set(key, { value, owner: { kind: "agent" } });
  for (const [key, value] of Object.entries(remembered?.token ?? {}))
    labels.set(key, { value, owner: { kind: "token" } });
  const fileLabels = position === undefined ? {} : (cluster.metadata.labels ?? {});
  if (position) {
    const owner = { kind: "file", position } as const;
    for (const [key, value] of Object.entries(fileLabels)) labels.set(key, { value, owner });
  }
  const rules = inputs.rules.length === 0 ? [] : matchingRules(inputs, visibleOf(labels));

  const contested = new Map<string, readonly [Declared<ClusterLabels>, Declared<ClusterLabels>]>();
  const byRule = new Map<string, { value: string; rule: Declared<ClusterLabels> }>();
  for (const rule of rules) {
    for (const [key, value] of Object.entries(rule.object.spec.labels ?? {})) {
      const best = byRule.get(key);
      if (best === undefined || priorityOf(rule) > priorityOf(best.rule)) {
        byRule.set(key, { value, rule });
        contested.delete(key);
      } else if (
        priorityOf(rule) === priorityOf(best.rule) &&
        value !== best.value &&
        !Object.hasOwn(fileLabels, key)
      ) {
        contested.set(key, [best.rule, rule]);
      }
    }
  }
  for (const [key, { value, rule }] of byRule) {
    if (Object.hasOwn(fileLabels, key) || contested.has(key)) continue;
    labels.set(key, { value, owner: { kind: "rule", rule: rule.object.metadata.name, position: rule.position } });
  }
  return {
    labels,
    annotations: mergeAnnotations(cluster, rules, position !== undefined),
    taints: mergeTaints(cluster, rules),
    contestedKeys: [...contested.keys()],
    problems: [...contested].flatMap(([key, [one, other]]) => conflictAtBoth(key, cluster, { one, other })),
  };
}

/** What selectors see: nothing that rules give. */
function visibleOf(labels: ReadonlyMap<string, OwnedLabel>): Record<string, string> {
  return Object.fromEntries([...labels].map(([key, { value }]) => [key, value]));
}

function matchingRules(
  { cluster, rules }: LabelInputs,
  labels: Readonly<Record<string, string>>,
): Declared<ClusterLabels>[] {
  const { name, namespace } = cluster.metadata;
  return rules
    .filter(({ object }) => object.metadata.namespace === undefined || object.metadata.namespace === namespace)
    .filter(({ object }) => matchesSelector(object.spec.selector, { name, labels }))
    .sort((a, b) => priorityOf(a) - priorityOf(b) || compareNamesOf(a.object.metadata, b.object.metadata));
}

/** Of one name, the rule of a namespace comes after the one for all, and so wins: the order of files decides nothing. */
function compareNamesOf(a: ClusterLabels["metadata"], b: ClusterLabels["metadata"]): number {
  return compareText(a.name, b.name) || compareText(a.namespace ?? "", b.namespace ?? "");
}

function priorityOf(rule: Declared<ClusterLabels>): number {
  return rule.object.spec.priority ?? 0;
}

function conflictAtBoth(
  key: string,
  cluster: Cluster,
  { one, other }: { readonly one: Declared<ClusterLabels>; readonly other: Declared<ClusterLabels> },
): Problem[] {
  const pairs: [Declared<ClusterLabels>, Declared<ClusterLabels>][] = [
    [one, other],
    [other, one],
  ];
  return pairs.map(([here, there]) => ({
    code: "E_LABEL_CONFLICT",
    severity: "error",
    file: here.position.file,
    line: here.position.line,
    column: here.position.column,
    message:
      `label "${key}" of cluster ${cluster.metadata.namespace}/${cluster.metadata.name} is ` +
      `"${here.object.spec.labels?.[key]}" here and "${there.object.spec.labels?.[key]}" in ` +
      `${there.position.file}:${there.position.line}, both with priority ${priorityOf(here)}`,
    object: `ClusterLabels/${here.object.metadata.name}`,
  }));
}

const noTaints: readonly Taint[] = [];

function mergeAnnotations(
  cluster: Cluster,
  rules: readonly Declared<ClusterLabels>[],
  isDeclared: boolean,
): Record<string, string> {
  const fromRules = Object.assign({}, ...rules.map(({ object }) => object.spec.annotations ?? {})) as Record<
    string,
    string
  >;
  return { ...fromRules, ...(isDeclared ? cluster.metadata.annotations : {}) };
}

function mergeTaints(cluster: Cluster, rules: readonly Declared<ClusterLabels>[]): readonly Taint[] {
  if (rules.length === 0 && cluster.spec?.taints === undefined) return noTaints;
  const taints = new Map<string, Taint>();
  for (const taint of rules.flatMap(({ object }) => object.spec.taints ?? []))
    taints.set(`${taint.key}/${taint.effect}`, taint);
  for (const taint of cluster.spec?.taints ?? []) taints.set(`${taint.key}/${taint.effect}`, taint);
  return [...taints.values()];
}
