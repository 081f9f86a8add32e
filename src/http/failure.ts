import { errorCodeOf } from "../core/errors.ts";

/** Why a request has no answer, or half of one. */
export interface HttpFailure {
  /**
   * - `untrusted`: the certificate was not accepted.
   * - `handshake`: there was no agreement on TLS; most often the other side does not speak it.
   * - `closed`: the connection ended before the answer; a kept-alive connection may have been stale.
   * - `idle`: the other side sent nothing for as long as the request allows.
   * - `unreachable`: anything else.
   */
  readonly kind: "untrusted" | "handshake" | "closed" | "idle" | "unreachable";
  /** The code of Node.js, OpenSSL or undici: `ECONNREFUSED`. Empty when the error has none. */
  readonly code: string;
  /** The error at the bottom; of several addresses tried, that of the first. */
  readonly root: unknown;
}

const closedCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ECONNABORTED"]);
const idleCodes: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** Source: Node.js, tls, "X509 certificate error codes"; its own is for the names of a certificate. */
const certificateCodes =
  /^(?:UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_|CRL_|ERROR_IN_C|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/u;
/** An error of OpenSSL; a record that is no TLS. */
const handshakeCodes = /^(?:ERR_SSL_|EPROTO$)/u;
/** OpenSSL has these for an answer in plain HTTP, by its version. */
const plainReasons: ReadonlySet<string> = new Set(["wrong version number", "packet length too long", "http request"]);

/** Why there was no agreement on TLS. OpenSSL's own message has addresses of memory and files of its source. */
export function describeHandshake({ root, code }: HttpFailure): string {
  const reason = handshakeReason(code, root instanceof Error ? root.message : "");
  return plainReasons.has(reason) ? `the server does not speak TLS at this port (${reason})` : reason;
}

/** A code is the reason in other letters; without one, the reason is the fourth part of OpenSSL's message. */
function handshakeReason(code: string, message: string): string {
  if (code.startsWith("ERR_SSL_")) return code.slice("ERR_SSL_".length).replaceAll("_", " ").toLowerCase();
  return message.split(":error:")[1]?.split(":")[3] ?? code;
}

/** Classifies any error of a request. The same for git, forges and Kubernetes. */
export function failureOf(error: unknown): HttpFailure {
  const root = rootOf(error);
  const code = errorCodeOf(root) ?? "";
  return { kind: kindOf(code), code, root };
}

function kindOf(code: string): HttpFailure["kind"] {
  if (closedCodes.has(code)) return "closed";
  if (idleCodes.has(code)) return "idle";
  if (handshakeCodes.test(code)) return "handshake";
  return certificateCodes.test(code) ? "untrusted" : "unreachable";
}

function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  if (error instanceof Error && errorCodeOf(error) === undefined && error.cause !== undefined)
    return rootOf(error.cause);
  return error;
}
