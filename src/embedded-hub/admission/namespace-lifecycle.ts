import { textAt } from "../../core/read-json.ts";
import type { ReadObject } from "../auth/auth.ts";
import { notFound } from "../failures/failures.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { admissionForbidden } from "./admission-forbidden.ts";

const immortal = ["default", "kube-system", "kube-public"];

/**
 * Nothing is written into a namespace that does not exist, nothing new into one that is being deleted, and three
 * namespaces stay. Source: k8s.io/apiserver, admission/plugin/namespace/lifecycle.
 */
export function checkNamespace(request: AdmissionRequest, { read }: { readonly read: ReadObject }): void {
  const { definition, name, namespace, operation } = request;
  if (operation === "DELETE") {
    const isNamespace = definition.group === "" && definition.plural === "namespaces";
    if (isNamespace && immortal.includes(name)) throw admissionForbidden(request, "this namespace may not be deleted");
    return;
  }
  if (namespace === undefined) return;
  const found = read({ group: "", plural: "namespaces", name: namespace });
  if (found === undefined) throw notFound({ group: "", plural: "namespaces", name: namespace });
  if (operation !== "CREATE" || textAt(found, "status", "phase") !== "Terminating") return;
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw admissionForbidden(request, message, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}
