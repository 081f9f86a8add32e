import { objectAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject } from "../auth/auth.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { admissionForbidden } from "./admission-forbidden.ts";

/**
 * Throws 403 for a Pod whose RuntimeClass is not there: no node could run it as it asks. Every name is unknown while the hub
 * does not serve that kind. Source: Kubernetes, plugin/pkg/admission/runtimeclass.
 */
export function checkRuntimeClass(request: AdmissionRequest & { readonly object: KubeObject }, read: ReadObject): void {
  const name = textAt(request.object, "spec", "runtimeClassName");
  if (name === undefined || read({ group: "node.k8s.io", plural: "runtimeclasses", name }) !== undefined) return;
  throw admissionForbidden(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

/** Throws 403 for a Pod that names its overhead: it is that of a RuntimeClass. */
export function checkOverhead(request: AdmissionRequest): void {
  if (Object.keys(objectAt(request.object, "spec", "overhead") ?? {}).length === 0) return;
  throw admissionForbidden(
    request,
    "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
  );
}
