import { isTrueAt, numberAt, objectAt, textAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject } from "../auth/auth.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { admissionForbidden } from "./admission-forbidden.ts";

const group = "scheduling.k8s.io";
const plural = "priorityclasses";

export interface PriorityParts {
  readonly read: ReadObject;
  readonly listAll: (group: string, plural: string) => readonly KubeObject[];
}

/**
 * A Pod's priority is that of its class, or of the default class, or 0. Throws 403 for an unknown class and for a number
 * of its own. Source: Kubernetes, plugin/pkg/admission/priority.
 */
export function withPriority(
  request: AdmissionRequest & { readonly object: KubeObject },
  parts: PriorityParts,
): KubeObject {
  const { object: pod } = request;
  const className = textAt(pod, "spec", "priorityClassName") ?? "";
  const chosen = className === "" ? defaultClass(parts) : parts.read({ group, plural, name: className });
  if (className !== "" && chosen === undefined) {
    throw admissionForbidden(request, `no PriorityClass with name ${className} was found`);
  }
  const priority = numberAt(chosen, "value") ?? 0;
  const given = numberAt(pod, "spec", "priority");
  if (given !== undefined && given !== priority) {
    throw admissionForbidden(
      request,
      `the integer value of priority (${given}) must not be provided in pod spec; ` +
        `priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  }
  const preemptionPolicy = textAt(chosen, "preemptionPolicy") ?? "PreemptLowerPriority";
  return {
    ...pod,
    spec: {
      ...objectAt(pod, "spec"),
      ...(chosen === undefined ? {} : { priorityClassName: chosen.metadata.name }),
      priority,
      preemptionPolicy,
    },
  };
}

/** A change of a Pod that leaves out what admission has computed keeps it. */
export function withKeptPriority({
  object: pod,
  oldObject: old,
}: AdmissionRequest & { readonly object: KubeObject }): KubeObject {
  const spec = objectAt(pod, "spec") ?? {};
  const kept = ["priority", "preemptionPolicy"].flatMap((field) => {
    const value = valueAt(old, "spec", field);
    return spec[field] === undefined && value !== undefined ? [[field, value] as const] : [];
  });
  return kept.length === 0 ? pod : { ...pod, spec: { ...spec, ...Object.fromEntries(kept) } };
}

/** The one marked as the default; of several the lowest. */
function defaultClass({ listAll }: PriorityParts): KubeObject | undefined {
  return listAll(group, plural)
    .filter((one) => isTrueAt(one, "globalDefault"))
    .sort((a, b) => (numberAt(a, "value") ?? 0) - (numberAt(b, "value") ?? 0))[0];
}
