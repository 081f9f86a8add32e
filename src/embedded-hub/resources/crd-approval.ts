import { textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { CrdCondition } from "./crd-conditions.ts";

export const approvalAnnotation = "api-approved.kubernetes.io";

/**
 * Whether the API of a group of Kubernetes was approved; undefined for all other groups.
 * Source: apiextensions-apiserver, controller/apiapproval.
 */
export function approvalOf(crd: KubeObject): CrdCondition | undefined {
  const group = textAt(crd, "spec", "group") ?? "";
  const isProtected = ["k8s.io", "kubernetes.io"].some((name) => group === name || group.endsWith(`.${name}`));
  if (!isProtected) return undefined;
  const type = "KubernetesAPIApprovalPolicyConformant";
  const approval = crd.metadata.annotations?.[approvalAnnotation];
  const rule = `protected groups must have approval annotation "${approvalAnnotation}"`;
  const help = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval === undefined || approval === "") {
    return { type, status: "False", reason: "MissingAnnotation", message: `${rule}, ${help}` };
  }
  if (approval.startsWith("unapproved")) {
    const message = `not approved: ${JSON.stringify(approval)}`;
    return { type, status: "False", reason: "UnapprovedAnnotation", message };
  }
  // Only a URL with a host: no `mailto:`, no path.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/]/iu.test(approval) && URL.canParse(approval)) {
    return { type, status: "True", reason: "ApprovedAnnotation", message: `approved in ${approval}` };
  }
  const message = `${rule} with either a URL or a reason starting with "unapproved", ${help}`;
  return { type, status: "False", reason: "InvalidAnnotation", message };
}
