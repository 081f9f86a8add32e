import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

const toleratedSeconds = 300;
const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** A Pod outlives a node that is away for five minutes. Source: Kubernetes, plugin/pkg/admission/defaulttolerationseconds. */
export function withDefaultTolerations(pod: KubeObject): KubeObject {
  const tolerations = objectsAt(pod, "spec", "tolerations");
  const missing = taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
  if (missing.length === 0) return pod;
  const added = missing.map((key) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: toleratedSeconds,
  }));
  return { ...pod, spec: { ...objectAt(pod, "spec"), tolerations: [...tolerations, ...added] } };
}

function tolerates(toleration: JsonObject, taint: string): boolean {
  const key = textAt(toleration, "key") ?? "";
  const effect = textAt(toleration, "effect") ?? "";
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}
