import { X509Certificate } from "node:crypto";
import type { JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { numberAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { requestPemOf } from "../certificates/client-signer.ts";
import { pemBlocks } from "../certificates/pem-blocks.ts";
import type { HookContext } from "../operations/resource-definition.ts";
import { duplicate, forbidden, indexPath, invalid, notSupported, required, tooLong } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateSignerName } from "./validate-signer-name.ts";

// Source of this file: Kubernetes, pkg/apis/certificates/validation.

/** Of a request, and of the certificates for it, in PEM. */
const longestPem = 65_536;
const shortestSeconds = 600;
const legacySigner = "kubernetes.io/legacy-unknown";
const decisions = ["Approved", "Denied"];
const terminal = [...decisions, "Failed"];
const usages = [
  ...["any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment"],
  ...["decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel"],
  ...["ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime"],
  ...["server auth", "signing", "timestamping"],
];

/** What is wrong with the request itself and its signature. It never changes. */
export async function verifyCertificateRequest(
  request: KubeObject,
  old: KubeObject | undefined,
): Promise<FieldError[]> {
  if (old !== undefined) return [];
  const field = "spec.request";
  const pem = requestPemOf(request);
  if (pem.length > longestPem) return [tooLong(field, longestPem)];
  // Loaded only when there is a request: most starts read none.
  const { readCertificateRequest } = await import("../certificates/certificate-request.ts");
  const parsed = readCertificateRequest(pem);
  const fault = typeof parsed === "string" ? parsed : await parsed.verify();
  return fault === undefined ? [] : [invalid(field, textAt(request, "spec", "request") ?? null, fault)];
}

/** What else is wrong with a CertificateSigningRequest or with its change. */
export function validateCertificateRequest(
  request: KubeObject,
  old: KubeObject | undefined,
  { subresource }: HookContext,
): FieldError[] {
  return [
    ...(old === undefined ? validateSpec(request) : []),
    ...validateConditions(request),
    ...validateCertificate(request, old),
    ...(old === undefined ? [] : validateChange(request, old, subresource)),
  ];
}

function validateSpec(request: KubeObject): FieldError[] {
  const asked = textsAt(request, "spec", "usages");
  const signerName = textAt(request, "spec", "signerName") ?? "";
  const seconds = numberAt(request, "spec", "expirationSeconds");
  const known = new Set(usages);
  const path = "spec.usages";
  return [
    ...(asked.length === 0 ? [required(path)] : []),
    ...asked.flatMap((usage, at) => (known.has(usage) ? [] : [notSupported(indexPath(path, at), usage, usages)])),
    ...repeated(asked).map((at) => duplicate(indexPath(path, at), asked[at] ?? "")),
    ...(signerName === legacySigner
      ? [invalid("spec.signerName", signerName, "the legacy signerName is not allowed via this API version")]
      : validateSignerName(signerName, "spec.signerName")),
    ...(seconds !== undefined && seconds < shortestSeconds
      ? [invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 600 seconds (10 minutes)")]
      : []),
  ];
}

function validateConditions(request: KubeObject): FieldError[] {
  const path = "status.conditions";
  const conditions = objectsAt(request, "status", "conditions");
  const types = conditions.map((condition) => textAt(condition, "type") ?? "");
  const again = new Set(repeated(types));
  const first = decisions.map((type) => types.indexOf(type));
  return conditions.flatMap((condition, at) => {
    const type = types[at] ?? "";
    const field = indexPath(path, at);
    const status = textAt(condition, "status") ?? "";
    const values = terminal.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    const isContradiction = decisions.some((other, index) => {
      const otherAt = first[1 - index] ?? -1;
      return type === other && otherAt !== -1 && otherAt < at;
    });
    return [
      ...(type === "" ? [required(`${field}.type`)] : []),
      ...(status === ""
        ? [required(`${field}.status`)]
        : values.includes(status)
          ? []
          : [notSupported(`${field}.status`, status, values)]),
      ...(isContradiction ? [invalid(path, type, "Approved and Denied conditions are mutually exclusive")] : []),
      ...(again.has(at) ? [duplicate(`${field}.type`, type)] : []),
    ];
  });
}

/** The indexes of texts that repeat an earlier one. */
function repeated(texts: readonly string[]): readonly number[] {
  const seen = new Set<string>();
  return texts.flatMap((text, at) => (seen.size === seen.add(text).size ? [at] : []));
}

function certificateOf(request: KubeObject): string {
  return textAt(request, "status", "certificate") ?? "";
}

function validateCertificate(request: KubeObject, old: KubeObject | undefined): FieldError[] {
  const encoded = certificateOf(request);
  if (encoded === "" || (old !== undefined && encoded === certificateOf(old))) return [];
  const field = "status.certificate";
  const pem = Buffer.from(encoded, "base64").toString("latin1");
  if (pem.length > longestPem) return [tooLong(field, longestPem)];
  const fault = faultOfCertificates(pemBlocks(pem));
  return fault === undefined ? [] : [invalid(field, "<certificate data>", fault)];
}

function faultOfCertificates(blocks: ReturnType<typeof pemBlocks>): string | undefined {
  const other = blocks.find(({ type }) => type !== "CERTIFICATE");
  if (other !== undefined) return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(other.type)}`;
  if (blocks.some(({ hasHeaders }) => hasHeaders)) return "no PEM block headers are permitted";
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  const unread = blocks.find(({ bytes }) => !isCertificate(bytes));
  if (unread === undefined) return undefined;
  return unread.bytes.length === 0
    ? "found CERTIFICATE PEM block containing 0 certificates"
    : "x509: malformed certificate";
}

function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).raw.length === bytes.length;
  } catch {
    return false;
  }
}

function validateChange(request: KubeObject, old: KubeObject, subresource: string | undefined): FieldError[] {
  const path = "status.conditions";
  const ofType = (object: KubeObject, type: string): JsonObject[] =>
    objectsAt(object, "status", "conditions").filter((condition) => condition["type"] === type);
  const removed = terminal.filter((type) => ofType(request, type).length < ofType(old, type).length);
  const mayDecide = subresource === "approval";
  const decided = (mayDecide ? [] : decisions).flatMap((type) => {
    const [now, before] = [ofType(request, type), ofType(old, type)];
    if (now.length < before.length || isJsonEqual(now, before)) return [];
    const verb = now.length > before.length ? "add" : "modify";
    return [forbidden(path, `updates may not ${verb} a condition of type ${JSON.stringify(type)}`)];
  });
  const [certificate, before] = [certificateOf(request), certificateOf(old)];
  const isKept = certificate === before || (subresource === "status" && before === "");
  const text =
    subresource === "status"
      ? "updates may not modify existing certificate content"
      : "updates may not set certificate content";
  return [
    ...removed.map((type) => forbidden(path, `updates may not remove a condition of type ${JSON.stringify(type)}`)),
    ...decided,
    ...(isKept ? [] : [forbidden("status.certificate", text)]),
  ];
}
