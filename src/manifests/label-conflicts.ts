import { isMonotone } from "../model/selector.ts";
import { isJsonObject } from "../core/json.ts";
import { selectorOf, textsAt } from "./cluster-facts.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";
import { describeDocument } from "./fleet-document.ts";
import { showText } from "./schema-finding.ts";

/** Finds labels that two rules of equal priority give different values. */
export interface ConflictEvaluator {
  /** Evaluates the rules that select one cluster. */
  evaluate(cluster: FleetDocument, matching: readonly FleetDocument[]): void;
  /** Reports each conflict once at both rules, however many clusters it concerns. */
  report(): void;
}

interface Conflict {
  readonly key: string;
  readonly one: FleetDocument;
  readonly other: FleetDocument;
  readonly cluster: FleetDocument;
  clusters: number;
}

interface Setting {
  readonly rule: FleetDocument;
  readonly value: string;
  readonly priority: number;
}

/** Evaluates by the labels that files alone give: a key that the cluster's own file sets is never contested. */
export function createConflictEvaluator(fleetReport: FleetReport): ConflictEvaluator {
  const conflicts = new Map<string, Conflict>();
  return {
    evaluate(cluster, matching) {
      for (const [key, [one, other]] of contestedKeys(cluster, matching)) {
        const id = `${key} ${describeDocument(one.rule)} ${describeDocument(other.rule)}`;
        const known = conflicts.get(id);
        if (known === undefined) conflicts.set(id, { key, one: one.rule, other: other.rule, cluster, clusters: 1 });
        else known.clusters++;
      }
    },
    report() {
      for (const conflict of conflicts.values()) {
        const { one, other } = conflict;
        reportAt(one, other, conflict, fleetReport);
        reportAt(other, one, conflict, fleetReport);
      }
    },
  };
}

function contestedKeys(cluster: FleetDocument, matching: readonly FleetDocument[]): Map<string, [Setting, Setting]> {
  const ownLabels = cluster.object.metadata.labels ?? {};
  const best = new Map<string, Setting>();
  const contested = new Map<string, [Setting, Setting]>();
  for (const rule of matching) {
    if (rule.role !== "ClusterLabels" || !isMonotone(selectorOf(rule))) continue;
    const priority = priorityOf(rule);
    for (const [key, value] of Object.entries(textsAt(rule.object, "spec", "labels"))) {
      if (Object.hasOwn(ownLabels, key)) continue;
      const setting = { rule, value, priority };
      const other = best.get(key);
      if (other === undefined || priority > other.priority) {
        best.set(key, setting);
        contested.delete(key);
      } else if (priority === other.priority && value !== other.value) {
        contested.set(key, [other, setting]);
      }
    }
  }
  return contested;
}

function reportAt(here: FleetDocument, there: FleetDocument, conflict: Conflict, fleetReport: FleetReport): void {
  const path = ["spec", "labels", conflict.key];
  const { file, line } = fleetReport.positionOf(there, { path, part: "value" });
  const more = conflict.clusters > 1 ? ` and ${conflict.clusters - 1} more` : "";
  const valueOf = (rule: FleetDocument) => showText(textsAt(rule.object, "spec", "labels")[conflict.key] ?? "");
  const message =
    `spec.labels: ${conflict.key} of ${describeDocument(conflict.cluster)}${more} is ${valueOf(here)} here and ` +
    `${valueOf(there)} in ${file}:${line}, both with priority ${priorityOf(here)}`;
  fleetReport.add(here, { code: "E_LABEL_CONFLICT", path, part: "value", message });
}

function priorityOf({ object }: FleetDocument): number {
  const { spec } = object;
  const priority = isJsonObject(spec) ? spec["priority"] : undefined;
  return typeof priority === "number" ? priority : 0;
}
