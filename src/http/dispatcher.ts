import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { SecureContext } from "node:tls";
import { Agent, buildConnector, Pool, ProxyAgent } from "undici";
import type { Dispatcher } from "undici";
import { compact } from "../core/compact.ts";
import { AppError } from "../core/errors.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { readProxy } from "./proxy.ts";
import { countInterimAnswers, serverNameOf, tlsBounds } from "./server-bounds.ts";

export interface DispatcherOptions {
  /** PEM certificates that are trusted in the place of the usual ones. Default: those that Node.js trusts. */
  readonly ca?: string | undefined;
  /** The code of the error for a `ca` that is not PEM, and for a proxy that is none. */
  readonly errorCode: ErrorCode;
  /** An http or https proxy, with its own credentials if it needs them (`http://user:password@host:port`). */
  readonly proxyUrl?: string | undefined;
  /** To connect, TLS included. Default 10 s. */
  readonly connectMs?: number | undefined;
  /** From the request to the head of the answer. */
  readonly headMs: number;
  /** Between two pieces of the answer. */
  readonly idleMs: number;
}

/**
 * Connections for git servers, forges and the page's API: at most four for an origin, kept alive, one request at a time.
 * @throws AppError with `errorCode`
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { ca, connectMs = 10_000, headMs, idleMs } = options;
  const secureContext = contextOf(ca, options.errorCode);
  const tls = { timeout: connectMs, secureContext };
  const limits = { headersTimeout: headMs, bodyTimeout: idleMs, connections: 4, pipelining: 1 };
  if (options.proxyUrl === undefined) return new Agent({ ...limits, connect: tls });
  if (!/^https?:$/u.test(URL.canParse(options.proxyUrl) ? new URL(options.proxyUrl).protocol : ""))
    throw new AppError(options.errorCode, "use the proxy: its address begins with neither http:// nor https://", {
      remedy,
    });
  const { url, authorization } = readProxy(options.proxyUrl);
  const proxy = compact({ uri: url.origin, token: authorization });
  const connector = buildConnector(tls);
  // The agent would ask a proxy that is an address by that.
  const connect: typeof connector = (to, callback) =>
    connector({ ...to, servername: serverNameOf(url.hostname.replace(/^\[|\]$/gu, "")) }, callback);
  return new ProxyAgent({
    ...limits,
    ...proxy,
    requestTls: tls,
    clientFactory: () => new Pool(url.origin, { connect }),
  });
}

const remedy =
  "Correct the proxy's address, such as http://proxy.example.com:3128: in the Secret of proxySecretRef, or in HTTPS_PROXY.";

/** Made once: reading all the usual certificates takes longer than a request. */
function contextOf(ca: string | undefined, code: ErrorCode): SecureContext {
  try {
    // Node.js passes over what is no certificate, and then no server would be trusted.
    if (ca !== undefined && ca !== "") new X509Certificate(ca);
    return createSecureContext({ ...tlsBounds, ca });
  } catch (error) {
    throw new AppError(code, "read the CA bundle: it is not valid PEM", { cause: error });
  }
}

/** Counts interim answers, as an option of a request of undici, which ends the request with what is thrown there. */
export function onInterimAnswer(): () => void {
  return countInterimAnswers((error) => {
    throw error;
  });
}
