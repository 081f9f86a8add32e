import { textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

/** Issues certificates that the hub takes as proof of who a client is. */
export const clientSigner = "kubernetes.io/kube-apiserver-client";

/** What a CertificateSigningRequest asks for, in PEM; empty text where it has nothing. */
export function requestPemOf(request: KubeObject | undefined): string {
  return Buffer.from(textAt(request, "spec", "request") ?? "", "base64").toString("latin1");
}
