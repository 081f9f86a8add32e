import { indexRules } from "../model/rule-index.ts";
import { countConditions } from "../model/selector-index.ts";
import type { Problem } from "../model/problem.ts";
import { objectsAt } from "../core/read-json.ts";
import { selectorOf, textsAt } from "./cluster-facts.ts";
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

/** Whether rules and groups cost more than `maximum`. Work is linear in the documents. */
export function exceedsSelectionCost(documents: readonly FleetDocument[], maximum = maxSelectionCost): boolean {
  const rules = documents.filter(({ role, isForeign }) => isRule(role) || (role === "ClusterGroup" && !isForeign));
  const clusters = documents.filter(({ role }) => role === "Cluster");
  const each = rules.reduce((sum, rule) => sum + weightOf(rule) + countConditions(selectorOf(rule)), 0);
  if (each * clusters.length <= maximum) return false;
  const index = indexRules(rules, (rule) => ({
    workspace: rule.workspace,
    selector: selectorOf(rule),
    weight: weightOf(rule),
  }));
  let cost = 0;
  for (const { workspace, object } of clusters) {
    cost += index.costOf(workspace, { name: object.metadata.name, labels: object.metadata.labels ?? {} });
    if (cost > maximum) return true;
  }
  return false;
}

function isRule(role: FleetDocument["role"]): boolean {
  return role === "ClusterLabels" || role === "ClusterDefaults";
}

function weightOf({ role, object }: FleetDocument): number {
  return role === "ClusterLabels" ? 1 + Object.keys(textsAt(object, "spec", "labels")).length : 1;
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
