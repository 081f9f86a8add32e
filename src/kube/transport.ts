import { AppError } from "../core/errors.ts";
import type { AppErrorOptions } from "../core/errors.ts";
import { cleanRemoteText } from "../core/remote-text.ts";
import { describeHandshake, failureOf } from "../http/failure.ts";

/**
 * Each pool has connections of its own, so that thousands of writes never hold up a Lease or a condition.
 * A watch has a connection of its own.
 */
export type PoolName = "work" | "status" | "lease" | "watch";

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, behind the prefix in the server's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly pool: PoolName;
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
  /** Credentials besides the token that are sent over the wire: those of a proxy. Default none. */
  readonly secrets?: readonly string[];
  /** Resolves with the head of any answer; fails with {@link TransportError}, or the signal's reason. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections; requests under way fail. */
  close(): Promise<void>;
}

/**
 * - `closed`: the connection ended before an answer came; a kept-alive connection may have been stale.
 * - `idle`: nothing came for as long as the request allows.
 * - `tls`: the certificate (of either side) was not accepted, or the server does not speak TLS.
 * - `outdated`: the server refused who we are, on a connection from before the client certificate was renewed. The next request
 *   gets a new connection.
 * - `unreachable`: anything else without an answer.
 */
export type TransportFailure = "closed" | "idle" | "tls" | "outdated" | "unreachable";

export class TransportError extends AppError {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, message: string, options: AppErrorOptions = {}) {
    super(failure === "tls" ? "E_KUBE_TLS" : "E_KUBE_UNREACHABLE", message, options);
    this.failure = failure;
  }
}

export function closedByUs(server: string): TransportError {
  return new TransportError("unreachable", `${server}: the connection was closed by us`);
}

/** Any error of Node.js or undici as a {@link TransportError} that names `server`; an AppError stays what it is. */
export function transportErrorOf(error: unknown, server: string): AppError {
  if (error instanceof AppError) return error;
  const found = failureOf(error);
  const { kind, code, root } = found;
  const failure = kind === "untrusted" || kind === "handshake" ? "tls" : kind;
  const text = kind === "handshake" ? describeHandshake(found) : textOf(root, code);
  const message = failure === "tls" ? `${server}: TLS failed: ${text}` : `${server}: ${text}`;
  return new TransportError(failure, message, { cause: error, data: { cause: code } });
}

function textOf(error: unknown, code: string): string {
  if (!(error instanceof Error)) return String(error);
  // Some of these messages contain names from a certificate, which are text of the other side.
  return error.message === "" ? code : cleanRemoteText(error.message, { secrets: [] });
}
