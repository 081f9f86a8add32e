import { X509Certificate as NodeCertificate } from "node:crypto";
import { textsAt } from "../../core/read-json.ts";
import type { IssueOptions, KeyPair } from "./authority.ts";
import { issueForKey } from "./authority.ts";
import { readCertificateRequest } from "./certificate-request.ts";

export interface SigningRequest {
  readonly requestPem: string;
  readonly usages: readonly string[];
  /** Undefined: as long as possible. */
  readonly expirationSeconds: number | undefined;
}

/** A certificate in PEM, or why none is issued. */
export type SigningResult =
  | { readonly kind: "signed"; readonly certPem: string }
  | { readonly kind: "refused"; readonly reason: string };

const mostSeconds = 365 * 86_400;
const leastSeconds = 600;
/** Clocks of clients may be behind. The end of a short certificate is not moved with its begin. */
const backdateSeconds = 300;
const shortSeconds = 8 * 3600;
const allowedUsages = ["digital signature", "key encipherment", "client auth"];

/**
 * Issues a client certificate of the hub for a request of the signer kubernetes.io/kube-apiserver-client. Source: Kubernetes,
 * pkg/controller/certificates/signer. Alternative names of the request are left out: no client has a use for them, and the same
 * authority signs what the hub serves with.
 */
export async function signClientRequest(
  authority: KeyPair,
  { requestPem, usages, expirationSeconds = mostSeconds }: SigningRequest,
  options: IssueOptions,
): Promise<SigningResult> {
  const invalid = usages.find((usage) => !allowedUsages.includes(usage));
  if (invalid !== undefined) return refused(`invalid usage for client certificate: ${invalid}`);
  if (!usages.includes("client auth")) return refused("missing required usage for client certificate: client auth");
  const request = readCertificateRequest(requestPem);
  if (typeof request === "string") return refused(request);
  const fault = await request.verify();
  if (fault !== undefined) return refused(fault);
  const { commonName, organizations, publicKey } = request;
  if (organizations.includes("system:masters")) return refused("the group system:masters is not allowed");
  const seconds = Math.max(leastSeconds, Math.min(expirationSeconds, mostSeconds));
  const ending = options.nowMs + (seconds < shortSeconds ? seconds : seconds - backdateSeconds) * 1000;
  const certPem = await issueForKey(authority, {
    ...options,
    publicKey,
    commonName,
    organizations,
    signs: usages.includes("digital signature"),
    enciphers: usages.includes("key encipherment"),
    notBeforeMs: options.nowMs - backdateSeconds * 1000,
    notAfterMs: Math.min(ending, Date.parse(new NodeCertificate(authority.certPem).validTo)),
  });
  const seen = subjectAtLogin(certPem);
  const isAsRead =
    seen.commonName === commonName && JSON.stringify(seen.organizations) === JSON.stringify(organizations);
  return isAsRead ? { kind: "signed", certPem } : refused("the subject cannot be written without a change");
}

function refused(reason: string): SigningResult {
  return { kind: "refused", reason };
}

/** Who a certificate is to the hub when it is shown by a client: TLS reads it in the same way. */
function subjectAtLogin(certPem: string): { readonly commonName: string; readonly organizations: readonly string[] } {
  const { subject } = new NodeCertificate(certPem).toLegacyObject();
  const texts = (name: string): readonly string[] => {
    const value: unknown = Object.hasOwn(subject, name) ? Reflect.get(subject, name) : undefined;
    return typeof value === "string" ? [value] : textsAt(value);
  };
  return { commonName: texts("CN").at(-1) ?? "", organizations: texts("O") };
}
