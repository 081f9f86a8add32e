import { namespacedName } from "../model/namespaced-name.ts";
import { isJsonEqual } from "../core/json.ts";
import { textAt } from "../core/read-json.ts";
import { compareNames } from "../core/compare-names.ts";
import { parseJson } from "../core/parse-json.ts";
import type { Declared, DeclaredFleet } from "../model/declared-fleet.ts";
import type { SelectorChange } from "../model/generated/plan-report.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Plan } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { ClusterSelector } from "../model/selector.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import type { Observed } from "./observed.ts";
import { ownedLabelKeys } from "./owned-fields.ts";
import type { Moves, Selecting, SelectingPair, Subject } from "./selector-moves.ts";
import { collectMoves, countMembers } from "./selector-moves.ts";

export interface SelectorInputs {
  readonly plan: Plan;
  readonly observed: Observed;
  readonly fleet: DeclaredFleet;
  readonly fleetBefore?: DeclaredFleet;
  readonly repository: { readonly metadata: { readonly namespace?: string; readonly name: string } };
  /** Of {@link countSelected}, when `observed` has only a part of the clusters. Default: they are counted. */
  readonly selectedBefore?: Readonly<Record<string, number>>;
}

/**
 * The groups and rules whose selectors gain or lose clusters by a plan: because labels change, clusters come and go, or
 * the selectors themselves change. Work follows the change, and a cluster is compared with the selectors that may select
 * it: what neither changed is counted only where it is shown.
 */
export function reviewSelectors(inputs: SelectorInputs): SelectorChange[] {
  const before = subjectsBefore(inputs);
  const after = subjectsAfter(before, inputs);
  const all = [...new Set([...before.keys(), ...after.keys()])];
  const changed = all.filter((key) => before.get(key) !== after.get(key));
  const selectings = [...groupsOf(inputs), ...rulesOf(inputs)];
  const kept = selectings.filter(isKept);
  const moves = new Map<SelectingPair, Moves>();
  collectMoves(moves, { selectings: kept, keys: changed, before, after });
  collectMoves(moves, { selectings: selectings.filter((pair) => !isKept(pair)), keys: all, before, after });
  const counts = inputs.selectedBefore ? undefined : countMembers([...moves.keys()], before);
  return selectings.flatMap((pair) => {
    const moved = moves.get(pair);
    const shown = pair.is ?? pair.was;
    if (moved === undefined || shown === undefined) return [];
    const { gains, loses } = moved;
    const { kind, namespace, name, position } = shown;
    const countBefore = (counts ? counts.get(pair) : inputs.selectedBefore?.[keyOf(shown)]) ?? 0;
    return [
      {
        kind,
        ...(namespace === undefined ? {} : { namespace }),
        name,
        ...(position === undefined ? {} : { file: position.file, line: position.line }),
        before: countBefore,
        after: countBefore + gains.length - loses.length,
        gains: gains.sort(compareNames),
        loses: loses.sort(compareNames),
      },
    ];
  });
}

/** How many clusters each group and rule selects before the plan, by kind, namespace and name. */
export function countSelected(inputs: SelectorInputs): ReadonlyMap<string, number> {
  const selectings = [...groupsOf(inputs), ...rulesOf(inputs)];
  const counts = countMembers(selectings, subjectsBefore(inputs));
  return new Map([...counts].flatMap(([{ was }, count]) => (was ? [[keyOf(was), count] as const] : [])));
}

function keyOf({ kind, namespace = "", name }: Selecting): string {
  return `${kind} ${namespace}/${name}`;
}

/** True when the plan does not change the selector. */
function isKept({ was, is }: SelectingPair): boolean {
  return was !== undefined && is !== undefined && isJsonEqual(was.selector, is.selector);
}

function subjectsBefore({ observed, repository }: SelectorInputs): Map<string, Subject> {
  const owner = `${repository.metadata.namespace ?? ""}.${repository.metadata.name}`;
  const subjects = new Map<string, Subject>();
  for (const live of observed.list(resourceTypes.cluster)) {
    if (live.metadata.labels?.[labelKeys.repository] !== owner) continue;
    if (live.metadata.annotations?.[annotationKeys.leave] !== undefined) continue;
    subjects.set(`${live.metadata.namespace}/${live.metadata.name}`, subjectOf(live, live.metadata.labels));
  }
  return subjects;
}

function subjectsAfter(before: ReadonlyMap<string, Subject>, { plan, observed }: SelectorInputs): Map<string, Subject> {
  const subjects = new Map(before);
  for (const change of plan.changes) {
    if (change.ref.type !== resourceTypes.cluster) continue;
    const key = `${change.ref.namespace}/${change.ref.name}`;
    if (change.kind === "create" || change.kind === "update") {
      const live = observed.get(change.ref);
      const owned = live ? ownedLabelKeys(live, fieldManagers.git) : new Set<string>();
      const kept = Object.entries(live?.metadata.labels ?? {}).filter(([label]) => !owned.has(label));
      const labels = { ...Object.fromEntries(kept), ...change.object.metadata.labels };
      const known = subjects.get(key);
      const next = subjectOf(change.object, labels);
      if (known === undefined || !isJsonEqual(known, next)) subjects.set(key, next);
      if (change.former) subjects.delete(`${change.former.ref.namespace}/${change.former.ref.name}`);
    } else {
      subjects.delete(key);
    }
  }
  return subjects;
}

function subjectOf(object: KubeObject, labels: Readonly<Record<string, string>>): Subject {
  const byRule = ruleLabelKeys(object.metadata.annotations?.[annotationKeys.labelRules]);
  const forRules =
    byRule.size === 0 ? labels : Object.fromEntries(Object.entries(labels).filter(([key]) => !byRule.has(key)));
  return { workspace: object.metadata.namespace ?? "", name: object.metadata.name, labels, labelsForRules: forRules };
}

/**
 * Keys in the annotation that names the rule of each label. Only the daemon writes it; any other value counts as none.
 */
function ruleLabelKeys(text: string | undefined): ReadonlySet<string> {
  if (text === undefined) return new Set();
  const owners = parseJson(text);
  return new Set(typeof owners === "object" && owners !== null ? Object.keys(owners) : []);
}

/** Groups as they are on the hub, and as they will be. */
function groupsOf({ plan, observed, repository }: SelectorInputs): SelectingPair[] {
  const owner = `${repository.metadata.namespace ?? ""}.${repository.metadata.name}`;
  const was = new Map<string, Selecting>();
  for (const live of observed.list(resourceTypes.clusterGroup)) {
    if (live.metadata.labels?.[labelKeys.repository] === owner) was.set(namespacedName(live), groupOf(live));
  }
  const is = new Map(was);
  for (const change of plan.changes) {
    if (change.ref.type !== resourceTypes.clusterGroup) continue;
    const key = `${change.ref.namespace}/${change.ref.name}`;
    if (change.kind === "create" || change.kind === "update") is.set(key, groupOf(change.object));
    else is.delete(key);
  }
  return pairs(was, is);
}

function groupOf(object: KubeObject): Selecting {
  const { namespace, name, annotations = {} } = object.metadata;
  const file = annotations[annotationKeys.sourceFile];
  const line = Number(annotations[annotationKeys.sourceLine] ?? 1);
  const spec = object["spec"];
  const selector = typeof spec === "object" && spec !== null && "selector" in spec ? spec.selector : undefined;
  return {
    kind: "ClusterGroup",
    namespace,
    name,
    selector: selector as ClusterSelector | undefined,
    ...(file === undefined ? {} : { position: { file, line, column: 1 } }),
  };
}

/** Rules are in git only: those of the base against those of the planned commit. */
function rulesOf({ fleet, fleetBefore }: SelectorInputs): SelectingPair[] {
  const is = rulesByKey(fleet);
  return pairs(fleetBefore ? rulesByKey(fleetBefore) : is, is);
}

function rulesByKey({ labelRules, defaultRules }: DeclaredFleet): Map<string, Selecting> {
  const rules: readonly Declared<KubeObject>[] = [...labelRules, ...defaultRules] as readonly Declared<KubeObject>[];
  return new Map(
    rules.map(({ object, position }) => {
      const { namespace, name } = object.metadata;
      const kind = textAt(object, "kind") ?? "";
      const { selector } = object["spec"] as { readonly selector?: ClusterSelector };
      return [`${kind} ${namespacedName(object)}`, { kind, namespace, name, selector, position }];
    }),
  );
}

function pairs(was: ReadonlyMap<string, Selecting>, is: ReadonlyMap<string, Selecting>): SelectingPair[] {
  return [...new Set([...was.keys(), ...is.keys()])]
    .sort(compareNames)
    .map((key) => ({ was: was.get(key), is: is.get(key) }));
}
