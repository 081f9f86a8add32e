import { isJsonEqual } from "../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { forbidden } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { mirrorAnnotation, validateWholePod } from "../validation/validate-pod.ts";
import { keepMetadata } from "./keep-metadata.ts";

// What a write of pods/ephemeralcontainers may do. Source: Kubernetes, pkg/registry/core/pod and pkg/apis/core/validation.

/** The Pod as it is, with the ephemeral containers that the request wants: who may add them may change nothing else. */
export function withDebugContainers(pod: KubeObject, old: KubeObject): KubeObject {
  const { ephemeralContainers: _, ...spec } = objectAt(old, "spec") ?? {};
  const wanted = objectAt(pod, "spec")?.["ephemeralContainers"];
  return {
    ...old,
    metadata: keepMetadata(pod, old),
    spec: wanted === undefined ? spec : { ...spec, ephemeralContainers: wanted },
  };
}

/** Ephemeral containers stay as they are once they are there. Pods that mirror a static one have none. */
export function validateDebugContainers(pod: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (old?.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [forbidden("[]", "static pods do not support ephemeral containers")];
  }
  return [...validateWholePod(pod), ...validateContainers(pod, old)];
}

function validateContainers(pod: KubeObject, old: KubeObject | undefined): FieldError[] {
  const wanted = new Map(objectsAt(pod, "spec", "ephemeralContainers").map((one) => [textAt(one, "name") ?? "", one]));
  return objectsAt(old, "spec", "ephemeralContainers").flatMap((before) => {
    const name = textAt(before, "name") ?? "";
    const now = wanted.get(name);
    if (now !== undefined && isJsonEqual(now, before)) return [];
    const change = now === undefined ? "removed" : "changed";
    const text = `existing ephemeral containers ${JSON.stringify(name)} may not be ${change}\n`;
    return [forbidden("spec.ephemeralContainers", text)];
  });
}
