import { countOf } from "../core/count-of.ts";
import { matchesSelector } from "../model/selector.ts";
import { countConditions } from "../model/selector-index.ts";
import { indexRules } from "../model/rule-index.ts";
import { isReservedLabelKey } from "../model/well-known.ts";
import { isGlob } from "../core/name-glob.ts";
import { valueAt } from "../core/read-json.ts";
import { listAt, protocolOf, selectorOf, textsAt } from "./cluster-facts.ts";
import { createConflictEvaluator } from "./label-conflicts.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";

/** Comparisons of rules that select no cluster with tokens, condition by condition; beyond that no rule is warned of. */
const mostTokenChecks = 1_000_000;

/**
 * Evaluates rules and groups by the labels that files give to clusters: W_EMPTY_SELECTOR where nothing is selected and no
 * token could bring in a cluster that is; E_LABEL_CONFLICT where two rules of equal priority set a label differently.
 * Labels of agents are not known here, so only what they cannot change is called a conflict.
 */
export function checkSelectors(documents: readonly FleetDocument[], report: FleetReport): void {
  const clusters = documents.filter(({ role }) => role === "Cluster");
  const tokens = documents.filter(({ role }) => role === "ClusterRegistrationToken").map(admittedBy);
  const rules = documents.filter(({ role }) => role === "ClusterLabels" || role === "ClusterDefaults");
  const groups = documents.filter(({ role, isForeign }) => role === "ClusterGroup" && !isForeign);
  const index = indexRules([...rules, ...groups], (rule) => ({
    workspace: rule.workspace,
    selector: selectorOf(rule),
  }));
  const used = new Set<FleetDocument>();
  const conflicts = createConflictEvaluator(report);
  const counts = countByWorkspace(clusters);
  for (const cluster of clusters) {
    const matching = index.matching(cluster.workspace, subjectOf(cluster));
    for (const rule of matching) used.add(rule);
    conflicts.evaluate(cluster, matching);
  }
  conflicts.report();
  let checksLeft = mostTokenChecks;
  const isTooCostly = (checks: number): boolean => (checksLeft -= checks) < 0;
  const isAwaited = (rule: FleetDocument): boolean => {
    const checks = 1 + countConditions({ ...selectorOf(rule), names: [] });
    return tokens.some(
      (admitted) =>
        isTooCostly(checks) || (isInReach(rule, admitted.token) && couldSelect(rule, admitted, isTooCostly)),
    );
  };
  for (const rule of [...rules, ...groups]) {
    if (used.has(rule) || isAwaited(rule)) continue;
    const count = rule.workspace === undefined ? clusters.length : (counts.get(rule.workspace) ?? 0);
    const where = rule.workspace === undefined ? "" : ` of workspace ${rule.workspace}`;
    const what = count === 0 ? "there is no cluster" : `it matches none, of ${countOf(count, "cluster")}`;
    report.add(rule, {
      code: "W_EMPTY_SELECTOR",
      severity: "warning",
      path: ["spec", "selector"],
      part: "key",
      message: `spec.selector: ${what}${where} that could be read`,
    });
  }
}

function subjectOf({ object }: FleetDocument) {
  return { name: object.metadata.name, labels: object.metadata.labels ?? {} };
}

function countByWorkspace(clusters: readonly FleetDocument[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { workspace = "" } of clusters) counts.set(workspace, (counts.get(workspace) ?? 0) + 1);
  return counts;
}

function isInReach(rule: FleetDocument, subject: FleetDocument): boolean {
  return rule.workspace === undefined || rule.workspace === subject.workspace;
}

/** What a token could bring in. Read once: each rule that selects no cluster is compared with all of them. */
interface Admitted {
  readonly token: FleetDocument;
  /** The names that it writes out; undefined where others are allowed too. */
  readonly names: readonly string[] | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly isFromAgent: (key: string) => boolean;
}

function admittedBy(token: FleetDocument): Admitted {
  const names = listAt(token.object, "spec", "clusterNames").filter((name) => typeof name === "string");
  return {
    token,
    names: names.length === 0 || names.some(isGlob) ? undefined : names,
    labels: textsAt(token.object, "spec", "clusterLabels"),
    isFromAgent: agentKeysOf(token),
  };
}

/** True when a cluster that joins by the token could be selected, whatever labels its agent is allowed to bring. */
function couldSelect(
  rule: FleetDocument,
  { names: admitted, labels, isFromAgent }: Admitted,
  isTooCostly: (checks: number) => boolean,
): boolean {
  const { names, matchLabels = {}, matchExpressions = [] } = selectorOf(rule);
  const fixed = {
    matchLabels: Object.fromEntries(Object.entries(matchLabels).filter(([key]) => !isFromAgent(key))),
    matchExpressions: matchExpressions.filter(({ key }) => !isFromAgent(key)),
  };
  if (!matchesSelector(fixed, { name: "", labels })) return false;
  if (names === undefined || admitted === undefined || isTooCostly(names.length * admitted.length)) return true;
  return admitted.some((name) => matchesSelector({ names }, { name }));
}

/** The labels that agents of a token may bring: those that it names; of Fleet's and Clusternet's agents, all without a list. */
function agentKeysOf(token: FleetDocument): (key: string) => boolean {
  const named = new Set(listAt(token.object, "spec", "agentLabels"));
  const isListed = valueAt(token.object, "spec", "agentLabels") !== undefined;
  if (isListed || protocolOf(token) === "rollcall") return (key) => named.has(key);
  return (key) => !isReservedLabelKey(key);
}
