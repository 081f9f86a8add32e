import { appendAll } from "../../core/append-all.ts";
import { checkLabel } from "../../core/formats/kube-names.ts";
import { isJsonEqual } from "../../core/json.ts";
import { objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { asJson } from "../metadata/kube-json.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { warnOfPod } from "../validation/pod-warnings.ts";

type Validate = NonNullable<ResourceHooks["validate"]>;

/** Of a name that becomes a part of the names of Pods, or of the host name of one. */
export function warnOfName({ metadata: { name = "" } }: KubeObject, use = "Pod names and hostnames"): string[] {
  const faults = checkLabel(name);
  if (faults.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; ` +
      `a DNS label is recommended: [${faults.join(" ")}]`,
  ];
}

/** Warns of a valid new object or a changed one by its template of Pods, `spec.template` or `template`. */
export function withTemplateWarnings(validate: Validate, path: "spec.template" | "template"): Validate {
  return (object, old, context) => {
    const errors = validate(object, old, context);
    const [first = "", ...others] = path.split(".");
    // A change of annotations makes another generation of a Deployment, too.
    const isSame =
      old !== undefined &&
      isJsonEqual(object[first] ?? null, old[first] ?? null) &&
      object.metadata.generation === old.metadata.generation;
    if (errors.length > 0 || context.subresource !== undefined || isSame) return errors;
    appendAll(context.warnings, [
      ...(old === undefined && path === "spec.template" ? warnOfName(object) : []),
      ...warnOfPod(objectAt(object, first, ...others) ?? {}, path),
    ]);
    return errors;
  };
}

/** Warns of a valid new Pod. Programs change Pods, and read no warnings. */
export function withPodWarnings(validate: Validate): Validate {
  return (pod, old, context) => {
    const errors = validate(pod, old, context);
    if (errors.length > 0 || old !== undefined) return errors;
    appendAll(context.warnings, [...warnOfName(pod, "the Pod's hostname"), ...warnOfPod(asJson(pod))]);
    return errors;
  };
}
