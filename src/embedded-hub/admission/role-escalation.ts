import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import { checkEscalation } from "../auth/rbac-escalation.ts";
import type { AdmissionRequest } from "../operations/admission.ts";

const plurals = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"];

/** Refuses a role or a binding that grants rights which its author does not hold. Throws 403. */
export function checkRoleEscalation(request: AdmissionRequest, authorizer: RbacAuthorizer): void {
  const { definition, name, object, oldObject, operation, user } = request;
  if (definition.group !== "rbac.authorization.k8s.io" || !plurals.includes(definition.plural)) return;
  if (object === undefined || operation === "DELETE") return;
  checkEscalation({
    authorizer,
    user,
    object,
    // A create names nothing in its URL: rights on one name do not cover it.
    requestName: operation === "CREATE" ? "" : name,
    ...(oldObject === undefined ? {} : { old: oldObject }),
  });
}
