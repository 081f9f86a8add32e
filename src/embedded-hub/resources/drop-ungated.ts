import type { Json, JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { asJson } from "../metadata/kube-json.ts";
import { objectAt, objectsAt } from "../../core/read-json.ts";

/**
 * A PodSpec without what the feature gate ContainerRestartRules lets in, which is off in a server without flags: only
 * init containers have a policy of their own then, "Always". Source: Kubernetes, pkg/api/pod.
 */
export function withoutRestartRules(spec: JsonObject): JsonObject {
  const changed: Record<string, Json | undefined> = { ...spec };
  for (const name of ["containers", "initContainers", "ephemeralContainers"]) {
    if (spec[name] === undefined) continue;
    changed[name] = objectsAt(spec, name).map((container) => withoutRules(container, name === "initContainers"));
  }
  return changed;
}

/** The same of an object with a template of Pods at a path. */
export function withoutTemplateRules(object: KubeObject, ...path: readonly string[]): KubeObject {
  return objectAt(object, ...path, "spec") === undefined
    ? object
    : (changedAt(asJson(object), [...path, "spec"]) as unknown as KubeObject);
}

function withoutRules(container: JsonObject, isFirst: boolean): JsonObject {
  const { restartPolicy, restartPolicyRules: _, ...rest } = container;
  return isFirst && restartPolicy === "Always" ? { ...rest, restartPolicy } : rest;
}

function changedAt(object: JsonObject, [step, ...rest]: readonly string[]): JsonObject {
  const inner = step === undefined ? undefined : objectAt(object, step);
  return step === undefined || inner === undefined
    ? withoutRestartRules(object)
    : { ...object, [step]: changedAt(inner, rest) };
}
