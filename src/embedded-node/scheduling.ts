import { isTrueAt, objectAt, objectsAt, textAt, textMapAt, textsAt } from "../core/read-json.ts";
import type { JsonObject } from "../core/json.ts";
import type { KubeObject } from "./node-types.ts";

const cordonTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

const notReadyTaintKey = "node.kubernetes.io/not-ready";

/**
 * Why a Pod may not run on this node now, as the scheduler reports it; undefined when it may. It asks what the node
 * can answer: is it cordoned, does the Pod tolerate its taints, do its labels fit. Source: Kubernetes, pkg/scheduler.
 */
export function schedulingObstacle(pod: KubeObject, node: KubeObject): string | undefined {
  const tolerations = objectsAt(pod, "spec", "tolerations");
  const tolerates = (taint: unknown) => tolerations.some((toleration) => isTolerating(toleration, taint));
  if (isTrueAt(node, "spec", "unschedulable") && !tolerates(cordonTaint)) return "node(s) were unschedulable";
  const taints = objectsAt(node, "spec", "taints").filter((taint) => isEffective(taint, node));
  if (!taints.every(tolerates)) return "node(s) had untolerated taint(s)";
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(textMapAt(pod, "spec", "nodeSelector"));
  const fits = selector.every(([label, value]) => labels[label] === value) && fitsAffinity(pod, node);
  return fits ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

/**
 * An API server gives every new node the not-ready taint, which the node lifecycle controller removes. Without that
 * controller, the node's own condition counts. Source: Kubernetes, plugin/pkg/admission/nodetaint.
 */
function isEffective(taint: JsonObject, node: KubeObject): boolean {
  if (textAt(taint, "effect") === "PreferNoSchedule") return false;
  if (textAt(taint, "key") !== notReadyTaintKey) return true;
  const conditions = objectsAt(node, "status", "conditions");
  return !conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function isTolerating(toleration: JsonObject, taint: unknown): boolean {
  const key = textAt(toleration, "key") ?? "";
  const effect = textAt(toleration, "effect") ?? "";
  if (effect !== "" && effect !== textAt(taint, "effect")) return false;
  if (key !== "" && key !== textAt(taint, "key")) return false;
  if (textAt(toleration, "operator") === "Exists") return true;
  return key !== "" && (textAt(toleration, "value") ?? "") === (textAt(taint, "value") ?? "");
}

function fitsAffinity(pod: KubeObject, node: KubeObject): boolean {
  const required = objectAt(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
  if (required === undefined) return true;
  // One term is enough; an empty term selects nothing.
  return objectsAt(required, "nodeSelectorTerms").some((term) => {
    const expressions = objectsAt(term, "matchExpressions");
    const fields = objectsAt(term, "matchFields");
    if (expressions.length + fields.length === 0) return false;
    const labels = node.metadata.labels ?? {};
    return (
      expressions.every((expression) => fitsExpression(expression, labels)) &&
      fields.every((expression) => fitsExpression(expression, { "metadata.name": node.metadata.name }))
    );
  });
}

function fitsExpression(expression: JsonObject, values: Readonly<Record<string, string>>): boolean {
  const key = textAt(expression, "key") ?? "";
  const wanted = textsAt(expression, "values");
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  switch (textAt(expression, "operator")) {
    case "In":
      return value !== undefined && wanted.includes(value);
    case "NotIn":
      return value === undefined || !wanted.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return Number(value) > Number(wanted[0]);
    case "Lt":
      return Number(value) < Number(wanted[0]);
    default:
      return false;
  }
}
