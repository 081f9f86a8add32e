import { isJsonEqual } from "../../core/json.ts";
import { textAt, valueAt } from "../../core/read-json.ts";
import { wellKnownUsers } from "../auth/auth.ts";
import type { Authorizer } from "../auth/auth.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { clientSigner, requestPemOf } from "../certificates/client-signer.ts";
import { admissionForbidden } from "./admission-forbidden.ts";

/**
 * Refuses what the rights to a request do not cover: its approval and its answer need rights to the signer, and no user may
 * ask for a certificate of the administrators. Throws 403. Source: Kubernetes, plugin/pkg/admission/certificates.
 */
export async function checkCertificateRequest(request: AdmissionRequest, authorizer: Authorizer): Promise<void> {
  const { group, plural } = request.definition;
  if (group !== "certificates.k8s.io" || plural !== "certificatesigningrequests") return;
  const { operation, subresource, object, oldObject } = request;
  if (operation === "CREATE" && subresource === undefined) await checkSubject(request);
  if (operation !== "UPDATE") return;
  if (subresource === "approval") checkSigner(request, authorizer, "approve");
  const isAnswered = ["certificate", "conditions"].some(
    (field) => !isJsonEqual(valueAt(object, "status", field), valueAt(oldObject, "status", field)),
  );
  if (subresource === "status" && isAnswered) checkSigner(request, authorizer, "sign");
}

/** The right to one signer, or to all of its domain. */
function checkSigner(request: AdmissionRequest, authorizer: Authorizer, verb: "approve" | "sign"): void {
  // A new name in the body gives no right.
  const signer = textAt(request.oldObject, "spec", "signerName") ?? "";
  const [domain = ""] = signer.split("/");
  const isAllowed = [signer, `${domain}/*`].some((name) => {
    const resource = { group: "certificates.k8s.io", version: "*", resource: "signers", name };
    return authorizer.authorize({ kind: "resource", user: request.user, verb, ...resource }).isAllowed;
  });
  if (isAllowed) return;
  throw admissionForbidden(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
}

async function checkSubject(request: AdmissionRequest): Promise<void> {
  if (textAt(request.object, "spec", "signerName") !== clientSigner) return;
  const { readCertificateRequest } = await import("../certificates/certificate-request.ts");
  const parsed = readCertificateRequest(requestPemOf(request.object));
  if (typeof parsed === "string") throw admissionForbidden(request, `failed to parse CSR: ${parsed}`);
  const { mastersGroup } = wellKnownUsers;
  if (!parsed.organizations.includes(mastersGroup)) return;
  throw admissionForbidden(request, `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`);
}
