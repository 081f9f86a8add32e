import { errorCodeOf } from "../core/errors.ts";

/** Why a request has no answer, or half of one. */
export interface HttpFailure {
  /**
   * - `untrusted`: the certificate (of either side) was not accepted, or the other side does not speak TLS.
   * - `closed`: the connection ended before the answer; a kept-alive connection may have been stale.
   * - `idle`: the other side sent nothing for as long as the request allows.
   * - `unreachable`: anything else.
   */
  readonly kind: "untrusted" | "closed" | "idle" | "unreachable";
  /** The code of Node.js, OpenSSL or undici: `ECONNREFUSED`. Empty when the error has none. */
  readonly code: string;
  /** The error at the bottom; of several addresses tried, that of the first. */
  readonly root: unknown;
}

const closedCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ECONNABORTED"]);
const idleCodes: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** Source: Node.js, tls, "X509 certificate error codes". */
const certificateCodes =
  /^(?:UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_|CRL_|ERROR_IN_C|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH)/u;
/** The names of a certificate; an error of OpenSSL; a record that is no TLS. */
const tlsCodes = /^(?:ERR_TLS_CERT_|ERR_SSL_|EPROTO$)/u;

/** Classifies any error of a request. The same for git, forges and Kubernetes. */
export function failureOf(error: unknown): HttpFailure {
  const root = rootOf(error);
  const code = errorCodeOf(root) ?? "";
  return { kind: kindOf(code), code, root };
}

function kindOf(code: string): HttpFailure["kind"] {
  if (closedCodes.has(code)) return "closed";
  if (idleCodes.has(code)) return "idle";
  return certificateCodes.test(code) || tlsCodes.test(code) ? "untrusted" : "unreachable";
}

function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  if (error instanceof Error && errorCodeOf(error) === undefined && error.cause !== undefined)
    return rootOf(error.cause);
  return error;
}
