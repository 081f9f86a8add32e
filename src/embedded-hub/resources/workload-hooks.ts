import { isJsonEqual } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { withoutUngatedIn } from "./drop-ungated.ts";
import { withTemplateWarnings } from "./warn-of-pods.ts";

export function specRaisesGeneration(object: KubeObject, old: KubeObject): boolean {
  return !isJsonEqual(object["spec"], old["spec"]);
}

/** Of a kind that asks for a number of Pods by a template. */
export function replicatedHooks(validate: NonNullable<ResourceHooks["validate"]>): ResourceHooks {
  return {
    raisesGeneration: specRaisesGeneration,
    prepareForCreate: (object) => withoutUngatedIn(object, "spec.template"),
    prepareForUpdate: (object, old) => withoutUngatedIn(object, "spec.template", old),
    validate: withTemplateWarnings(validate, "spec.template"),
  };
}
