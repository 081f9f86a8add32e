import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { inLargerPieces } from "../../core/collect-bytes.ts";
import { AppError } from "../../core/errors.ts";
import { nativeRemedy } from "../native-remedy.ts";
import { cleanRemoteText } from "../../core/remote-text.ts";
import { authorizationFor, readCredentials } from "./credentials.ts";
import type { Authorization, CredentialsSource } from "./credentials.ts";
import { boundedBody, dropBody } from "../../http/bounded-body.ts";
import { createDispatcher } from "../../http/dispatcher.ts";
import { exchange as exchangeHttp } from "../../http/exchange.ts";
import { headerOf } from "../../http/headers.ts";
import { isRedirect, redirectOf } from "../../http/redirect.ts";
import { connectionError, statusError } from "./http-errors.ts";
import { trimEndOf } from "../../core/trim-characters.ts";

export type GitService = "git-upload-pack" | "git-receive-pack";

/** How the server is reached. */
export interface HttpRoute {
  /** PEM certificates that are trusted instead of the system's. */
  readonly caBundle?: string;
  /** An http proxy, with its own credentials if it needs them (`http://user:password@host:port`). */
  readonly proxyUrl?: string;
}

export interface HttpTransportOptions extends HttpRoute {
  /** The repository's address, without credentials. */
  readonly url: string;
  readonly credentials?: CredentialsSource;
  /** Asked before every request in the place of `caBundle` and `proxyUrl`: what changes is taken up by itself. */
  readonly route?: () => Promise<HttpRoute>;
  readonly timeouts?: HttpTimeouts;
}

/** The route as it is now. */
export async function readRoute({ route, caBundle, proxyUrl }: HttpTransportOptions): Promise<HttpRoute> {
  if (route) return route();
  return { ...(caBundle === undefined ? {} : { caBundle }), ...(proxyUrl === undefined ? {} : { proxyUrl }) };
}

/** How long a server may take to answer, by whichever transport. */
export const defaultResponseMs = 120_000;

export interface HttpTimeouts {
  /** To connect, TLS included. Default 10 s. */
  readonly connectMs?: number;
  /** From the request to the answer's first line. Default 120 s: a server counts objects before it answers. */
  readonly responseMs?: number;
  /** Between two pieces of an answer. Default 60 s. */
  readonly idleMs?: number;
  /** An answer that came with less than 16 KiB/s for this long is given up. Default 120 s: a server may count meanwhile. */
  readonly slowMs?: number;
  /** For a whole answer. Default 15 minutes. */
  readonly totalMs?: number;
}

export interface GitHttpRequest {
  readonly service: GitService;
  /** Asks for the list of refs and capabilities when absent. */
  readonly body?: Uint8Array;
  /** Offers protocol version 2. */
  readonly isVersion2?: boolean;
  /** The answer may have at most this many bytes. */
  readonly maximumBytes: number;
  readonly signal?: AbortSignal;
}

/** Smart HTTP to one repository. Source: git, gitprotocol-http(5). */
export interface HttpTransport {
  /** The address that was given, for messages. */
  readonly url: string;
  /** The address that the last list of refs came from: another one after a redirect within the origin. */
  readonly effectiveUrl: string;
  /**
   * Sends one request; the answer arrives in pieces of at least 16 KiB.
   * @throws E_GIT_AUTH, E_GIT_PUSH_DENIED, E_GIT_REMOTE, E_GIT_PROTOCOL, E_GIT_URL (a redirect elsewhere)
   */
  send(request: GitHttpRequest): Promise<AsyncIterable<Uint8Array>>;
  /** What must not show in messages. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

const maximumRedirects = 5;
const leastBytesPerSecond = 16 * 1024;
/** A server may send each byte by itself: what reads the answer takes larger pieces, and so fewer steps. */
const leastPieceBytes = 16 * 1024;

/**
 * Opens a transport. Credentials go to the origin of `url` and nowhere else: a redirect within it is followed when refs
 * are asked for (hosts do that for renamed repositories), any other is refused.
 */
export function openHttpTransport(options: HttpTransportOptions): HttpTransport {
  const dispatcherNow = makeDispatchers(options);
  const original = new URL(options.url);
  let base = original;
  let authorization: Authorization | undefined;

  const exchange = async (gitRequest: GitHttpRequest, url: URL): Promise<Dispatcher.ResponseData> => {
    const credentials = await readCredentials(options.credentials);
    authorization = credentials && authorizationFor(original.hostname, credentials);
    const headers = requestHeaders(gitRequest, authorization);
    const { body, signal, service } = gitRequest;
    const dispatcher = await dispatcherNow.get();
    const sent = { dispatcher, method: body ? "POST" : "GET", headers, body, signal } as const;
    try {
      return await exchangeHttp(url, { ...sent, isRepeatable: () => service === "git-upload-pack" });
    } catch (error) {
      signal?.throwIfAborted();
      throw connectionError(options.url, error);
    }
  };

  const send = async (gitRequest: GitHttpRequest): Promise<AsyncIterable<Uint8Array>> => {
    let place = gitRequest.body ? base : original;
    for (let redirects = 0; redirects <= maximumRedirects; redirects++) {
      const url = serviceUrl(place, gitRequest);
      const response = await exchange(gitRequest, url);
      if (response.statusCode === 200) {
        assertContentType(response, gitRequest, options.url);
        // Not before: meanwhile, other requests go where the last list came from.
        if (!gitRequest.body) base = place;
        return inLargerPieces(boundBody(response.body, gitRequest, options), leastPieceBytes);
      }
      dropBody(response.body);
      if (!isRedirect(response.statusCode)) {
        const isPush = gitRequest.service === "git-receive-pack";
        throw statusError({ url: options.url, response, isPush, hasCredentials: authorization !== undefined });
      }
      place = redirectedBase(url, response, gitRequest);
    }
    throw new AppError("E_GIT_PROTOCOL", `read ${options.url}: more than ${maximumRedirects} redirects`);
  };

  return {
    url: options.url,
    send,
    get effectiveUrl() {
      return base.href;
    },
    get secrets() {
      return authorization?.secrets ?? [];
    },
    close: () => dispatcherNow.close(),
  };
}

/** Connections of the present route; those of the one before end when their last answer has. */
function makeDispatchers(options: HttpTransportOptions) {
  let open: { readonly route: string; readonly dispatcher: Dispatcher } | undefined;
  return {
    get: async (): Promise<Dispatcher> => {
      const route = await readRoute(options);
      const key = JSON.stringify([route.caBundle, route.proxyUrl]);
      if (open?.route === key) return open.dispatcher;
      const dispatcher = makeDispatcher(route, options.timeouts);
      void open?.dispatcher.close();
      open = { route: key, dispatcher };
      return open.dispatcher;
    },
    close: async (): Promise<void> => open?.dispatcher.destroy(),
  };
}

function makeDispatcher({ caBundle, proxyUrl }: HttpRoute, timeouts: HttpTimeouts = {}): Dispatcher {
  const { connectMs, responseMs = defaultResponseMs, idleMs = 60_000 } = timeouts;
  const limits = { connectMs, headMs: responseMs, idleMs };
  return createDispatcher({ ca: caBundle, errorCode: "E_GIT_REMOTE", proxyUrl, ...limits });
}

function requestHeaders(
  { service, body, isVersion2 = false }: GitHttpRequest,
  authorization: Authorization | undefined,
): Record<string, string> {
  return {
    // Hosts distinguish git from a browser by this prefix.
    "user-agent": "git/2.0 (rollcall)",
    accept: body ? `application/x-${service}-result` : "*/*",
    ...(body ? { "content-type": `application/x-${service}-request` } : {}),
    ...(isVersion2 ? { "git-protocol": "version=2" } : {}),
    ...(authorization ? { authorization: authorization.header } : {}),
  };
}

function serviceUrl(base: URL, { service, body }: GitHttpRequest): URL {
  const path = trimEndOf(base.href, "/");
  return new URL(body ? `${path}/${service}` : `${path}/info/refs?service=${service}`);
}

/** The repository's address after a redirect within its origin. @throws E_GIT_URL, E_GIT_PROTOCOL */
function redirectedBase(from: URL, response: Dispatcher.ResponseData, { body }: GitHttpRequest): URL {
  const redirect = redirectOf(from, headerOf(response.headers, "location"));
  if (redirect.kind === "nowhere") {
    throw new AppError("E_GIT_PROTOCOL", `read ${from.origin}: a redirect without an address`);
  }
  if (redirect.kind === "elsewhere") {
    const message = `read ${from.origin}: it redirects to ${redirect.origin}, which gets no credentials`;
    throw new AppError("E_GIT_URL", message, { data: { redirectOrigin: redirect.origin } });
  }
  const target = redirect.url;
  if (body || !target.pathname.endsWith("/info/refs")) {
    // The next request starts with the refs again, and learns the new address there.
    throw new AppError("E_GIT_PROTOCOL", `read ${from.origin}: it redirects to something that is no repository`);
  }
  return new URL(target.pathname.slice(0, -"/info/refs".length), target.origin);
}

function assertContentType(response: Dispatcher.ResponseData, { service, body }: GitHttpRequest, url: string): void {
  const expected = `application/x-${service}-${body ? "result" : "advertisement"}`;
  const actual = headerOf(response.headers, "content-type")?.split(";")[0]?.trim();
  if (actual === expected) return;
  dropBody(response.body);
  const shown = cleanRemoteText(actual ?? "no content type", { secrets: [], maximumLength: 100 });
  throw new AppError("E_GIT_PROTOCOL", `read ${url}: it answers, but not as a git repository does (${shown})`);
}

async function* boundBody(
  body: Readable,
  { maximumBytes, signal }: GitHttpRequest,
  { url, timeouts: { slowMs = 120_000, totalMs = 900_000 } = {} }: HttpTransportOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const startMs = performance.now();
  let sizeBytes = 0;
  const tooLarge = (): AppError =>
    new AppError("E_UNSUPPORTED", `read ${url}: the answer has more than ${maximumBytes} bytes`, {
      data: { maximumBytes },
      remedy: nativeRemedy,
    });
  try {
    for await (const bytes of boundedBody(body, maximumBytes, tooLarge)) {
      sizeBytes += bytes.byteLength;
      const allowedMs = Math.min(totalMs, slowMs + (sizeBytes / leastBytesPerSecond) * 1000);
      if (performance.now() - startMs > allowedMs) {
        throw new AppError("E_GIT_REMOTE", `read ${url}: its answer comes too slowly (${sizeBytes} bytes so far)`, {
          data: { reason: "slow", sizeBytes },
        });
      }
      yield bytes;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof AppError ? error : connectionError(url, error);
  }
}
