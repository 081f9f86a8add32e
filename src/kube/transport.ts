import { AppError } from "../core/errors.ts";
import type { AppErrorOptions } from "../core/errors.ts";
import { cleanRemoteText } from "../core/remote-text.ts";

/**
 * Each lane has connections of its own, so that thousands of writes never hold up a Lease or a condition.
 * A watch has a connection of its own.
 */
export type Lane = "work" | "status" | "lease" | "watch";

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, behind the prefix in the server's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly lane: Lane;
  /** The answer's head must come within this. */
  readonly headTimeoutMs: number;
  /** Between two pieces of the answer's body; afterwards it fails as `idle`. */
  readonly idleTimeoutMs: number;
  /** Ends the request and the reading of its body. */
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  /** Undefined when there is none; the first when there are several. */
  header(name: string): string | undefined;
  /** To be read to its end, or left by its iterator, which closes the connection. Fails with {@link TransportError}. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests to one server. Made by createUndiciTransport (many requests) or createHttpsTransport (little memory). */
export interface Transport {
  readonly server: string;
  readonly getToken?: (rejected?: string) => Promise<string | undefined>;
  /** Credentials besides the token that go over the wire: those of a proxy. Default none. */
  readonly secrets?: readonly string[];
  /** Resolves with the head of any answer; fails with {@link TransportError}, or the signal's reason. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections; requests under way fail. */
  close(): Promise<void>;
}

/**
 * - `closed`: the connection ended before an answer came; a kept-alive connection may have been stale.
 * - `idle`: nothing came for as long as the request allows.
 * - `tls`: the certificate (of either side) was not accepted.
 * - `unreachable`: anything else without an answer.
 */
export type TransportFailure = "closed" | "idle" | "tls" | "unreachable";

export class TransportError extends AppError {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, message: string, options: AppErrorOptions = {}) {
    super(failure === "tls" ? "E_KUBE_TLS" : "E_KUBE_UNREACHABLE", message, options);
    this.failure = failure;
  }
}

/** Any error of Node.js or undici as a {@link TransportError} that names `server`; an AppError stays what it is. */
export function transportErrorOf(error: unknown, server: string): AppError {
  if (error instanceof AppError) return error;
  const [code, text] = rootOf(error);
  const failure = failureOf(code);
  const message = failure === "tls" ? `${server}: TLS failed: ${text}` : `${server}: ${text}`;
  return new TransportError(failure, message, { cause: error, data: { cause: code } });
}

const closedCodes = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ECONNABORTED"]);
const idleCodes = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** Source: Node.js, tls, "X509 certificate error codes". */
const certificateCodes =
  /^(?:UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_|CRL_|ERROR_IN_C|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH)/u;

function failureOf(code: string): TransportFailure {
  if (closedCodes.has(code)) return "closed";
  if (idleCodes.has(code)) return "idle";
  if (certificateCodes.test(code) || code.startsWith("ERR_SSL_") || code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "tls";
  return code === "EPROTO" ? "tls" : "unreachable";
}

/** Code and text of the error at the bottom; an aggregate (one per address tried) speaks by its first. */
function rootOf(error: unknown): [code: string, text: string] {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  if (!(error instanceof Error)) return ["", String(error)];
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "" && error.cause !== undefined) return rootOf(error.cause);
  // Names in a certificate, which are text of the other side, stand in some of these messages.
  return [code, error.message === "" ? code : cleanRemoteText(error.message, { secrets: [] })];
}
