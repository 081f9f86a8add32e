import type { JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { numberAt, textAt, valueAt } from "../../core/read-json.ts";
import type { DeleteBody } from "../operations/operations.ts";
import { invalid, notSupported } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

const policies = ["Foreground", "Background", "Orphan"] as const;

/** The fields of DeleteOptions as a client wrote them; `propagationPolicy` may be an unknown one. */
export function readDeleteOptions(value: JsonObject | undefined): DeleteBody & { readonly dryRun: readonly string[] } {
  const preconditions = value?.["preconditions"];
  const uid = textAt(preconditions, "uid");
  const resourceVersion = textAt(preconditions, "resourceVersion");
  const gracePeriodSeconds = numberAt(value, "gracePeriodSeconds");
  const propagationPolicy = textAt(value, "propagationPolicy");
  const orphanDependents = valueAt(value, "orphanDependents");
  const dryRun = valueAt(value, "dryRun");
  return {
    dryRun: Array.isArray(dryRun) ? dryRun.map(String) : [],
    ...(isJsonObject(preconditions)
      ? {
          preconditions: {
            ...(uid === undefined ? {} : { uid }),
            ...(resourceVersion === undefined ? {} : { resourceVersion }),
          },
        }
      : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy: propagationPolicy as (typeof policies)[number] }),
    ...(typeof orphanDependents === "boolean" ? { orphanDependents } : {}),
  };
}

/** What is wrong with what happens to dependents. Source: Kubernetes, metav1 validation of DeleteOptions. */
export function checkPropagation({ orphanDependents, propagationPolicy }: DeleteBody): FieldError[] {
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const text = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(invalid("propagationPolicy", propagationPolicy, text));
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    errors.push(notSupported("propagationPolicy", propagationPolicy, [...policies, "nil"]));
  }
  return errors;
}
