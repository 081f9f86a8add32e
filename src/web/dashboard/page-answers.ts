import { gzip } from "node:zlib";
import { promisify } from "node:util";
import { isAppError } from "../../core/errors.ts";
import { writePrintable } from "../../core/printable.ts";
import type { ApiError } from "../../model/generated/page-api.ts";
import type { WebAnswer, WebRequest } from "../web.ts";
import type { Admission, Viewer } from "./access.ts";

const compress = promisify(gzip);
const leastCompressedBytes = 1024;

/** Nothing but the page's own files: no inline script or style, no frame, nothing from elsewhere, no markup from text. */
export const securityHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** A JSON answer from text that is JSON already, compressed where the caller takes that. */
export async function jsonText(request: Pick<WebRequest, "headers">, text: string): Promise<WebAnswer> {
  const isCompressed = text.length >= leastCompressedBytes && acceptsGzip(request);
  return {
    contentType: "application/json",
    headers: { ...securityHeaders, vary: "accept-encoding", ...(isCompressed ? { "content-encoding": "gzip" } : {}) },
    body: isCompressed ? await compress(text, { level: 3 }) : text,
  };
}

export async function json(request: Pick<WebRequest, "headers">, value: object): Promise<WebAnswer> {
  return jsonText(request, writePrintable(value));
}

export function refusal({ status, code, why, takesToken }: Extract<Admission, { kind: "refused" }>): WebAnswer {
  return errorAnswer(status, { code, error: why, ...(takesToken === true ? { takesToken } : {}) });
}

export function apiError(status: number, code: ApiError["code"], error: string): WebAnswer {
  return errorAnswer(status, { code, error });
}

function errorAnswer(status: number, error: ApiError): WebAnswer {
  return { status, contentType: "application/json", headers: securityHeaders, body: writePrintable(error) };
}

/** That the repository cannot be read now, with the reason for a viewer who may see it. @throws any other error */
export function unreadAnswer(error: unknown, { canSeeRepository }: Pick<Viewer, "canSeeRepository">): WebAnswer {
  if (!isAppError(error)) throw error;
  if (error.code === "E_BRANCH_LIMIT")
    return apiError(503, "Failed", "Many branches are being planned. Ask again in a minute.");
  if (!error.code.startsWith("E_GIT_")) throw error;
  const reason = canSeeRepository ? `: ${error.message}` : ".";
  return apiError(503, "Failed", `The repository cannot be read now${reason}`);
}

/** Whether a client takes gzip; a weight of zero refuses it. Source: RFC 9110, 12.5.3. */
export function acceptsGzip({ headers }: Pick<WebRequest, "headers">): boolean {
  const codings = [headers["accept-encoding"] ?? ""].flat().join(",").split(",");
  return codings.some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/iu.test(coding));
}
