import { indexRules } from "../model/rule-index.ts";
import { countConditions } from "../model/selector-index.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Problem } from "../model/problem.ts";
import { objectsAt } from "../core/read-json.ts";
import { selectorOf, textsAt } from "./cluster-facts.ts";
import { groupOfFleet } from "./convert-fleet.ts";
import type { FleetDocument } from "./fleet-document.ts";
import { problemOfSize } from "./repository-size.ts";

/**
 * What rules and groups may cost that are compared with clusters: for each pair one, one for each condition of the selector,
 * and one for each label that the rule sets. 10,000 clusters and 500 rules that select each of them by one condition cost
 * 15,000,000. A million takes about 0.2 s of CPU.
 */
const maxSelectionCost = 20_000_000;

/** How often rules of policies may be evaluated: 1,000 rules on 20,000 documents. */
const maxEvaluations = 20_000_000;

/** Whether the rules of all policies, each on every document, are more than `maximum`. Work is linear in the documents. */
export function exceedsPolicyCost(documents: readonly FleetDocument[], maximum = maxEvaluations): boolean {
  const policies = documents.filter(({ role }) => role === "Policy");
  const rules = policies.reduce((sum, { object }) => sum + objectsAt(object, "spec", "rules").length, 0);
  return rules * documents.length > maximum;
}

/** What rules and groups cost, of a repository in which other labels of clusters could make it too much. */
export interface SelectionCost {
  /** How much more they may cost; less than 0: it is too much already. */
  readonly room: number;
  readonly costOf: (cluster: Selected) => number;
}

type Selected = Pick<KubeObject, "metadata">;

/** A rule or group with its workspace; undefined: it holds in all. */
export interface CostlyRule {
  readonly workspace: string | undefined;
  readonly object: KubeObject;
}

/**
 * Compares what rules and groups cost with `maximum`. Undefined: they cost less, whatever labels clusters have. Work is
 * linear in the documents.
 */
export function measureSelection(
  documents: readonly FleetDocument[],
  maximum = maxSelectionCost,
): SelectionCost | undefined {
  const rules = documents.flatMap(costlyRule);
  const clusters = documents.filter(({ role }) => role === "Cluster");
  const each = rules.reduce((sum, rule) => sum + weightOf(rule) + countConditions(selectorOf(rule)), 0);
  if (each * clusters.length <= maximum) return undefined;
  const costOf = selectionCostOf(rules);
  let room = maximum;
  for (const { workspace, object } of clusters) {
    room -= costOf(workspace, object);
    if (room < 0) break;
  }
  return { room, costOf: (cluster) => costOf(cluster.metadata.namespace, cluster) };
}

/** What these rules and groups cost for one cluster of a workspace. */
export function selectionCostOf(
  rules: readonly CostlyRule[],
): (workspace: string | undefined, cluster: Selected) => number {
  const index = indexRules(rules, (rule) => ({
    workspace: rule.workspace,
    selector: selectorOf(rule),
    weight: weightOf(rule),
  }));
  return (workspace, { metadata: { name, labels = {} } }) => index.costOf(workspace, { name, labels });
}

/** A rule, or a group: those of Fleet are compared with clusters as groups of ours. */
function costlyRule({ role, isForeign, workspace, object }: FleetDocument): CostlyRule[] {
  if (role === "ClusterLabels" || role === "ClusterDefaults") return [{ workspace, object }];
  if (role !== "ClusterGroup") return [];
  return [{ workspace, object: isForeign ? groupOfFleet(object) : object }];
}

function weightOf({ object }: CostlyRule): number {
  return object.kind === "ClusterLabels" ? 1 + Object.keys(textsAt(object, "spec", "labels")).length : 1;
}

/** The problem of a repository of which no document is used: half of its rules would be worse (E_REPOSITORY_TOO_LARGE). */
export function tooCostlySelection(maximum = maxSelectionCost): Problem {
  return problemOfSize(
    `rules and groups take more than ${maximum} comparisons with clusters; no document is used`,
    "Demand a label, or names without wildcards, in spec.selector, so that a rule is compared with few clusters only.",
  );
}

/** The same of its policies. */
export function tooCostlyPolicies(maximum = maxEvaluations): Problem {
  return problemOfSize(
    `rules of policies would be evaluated more than ${maximum} times; no document is used`,
    "Join rules of policies into fewer ones, or put parts of the fleet into repositories of their own.",
  );
}
