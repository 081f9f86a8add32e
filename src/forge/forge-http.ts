import type { Dispatcher } from "undici";
import type { Clock } from "../core/clock.ts";
import { collectBytes } from "../core/collect-bytes.ts";
import { AppError } from "../core/errors.ts";
import { redactError } from "../core/redact-error.ts";
import { cleanRemoteText } from "../core/remote-text.ts";
import { withDeadline } from "../core/timer.ts";
import { parseJson } from "../core/parse-json.ts";
import { boundedBody } from "../http/bounded-body.ts";
import { createDispatcher } from "../http/dispatcher.ts";
import { exchange as exchangeHttp } from "../http/exchange.ts";
import { headerOf } from "../http/headers.ts";
import { proxyPassword } from "../http/proxy.ts";
import { isRedirect, redirectOf } from "../http/redirect.ts";
import { connectionError, refusalError } from "./forge-errors.ts";
import { readWaitMs } from "./rate-limit.ts";

export interface ForgeHttpOptions {
  /** The API's address, without a slash at its end. The token is sent to its origin and nowhere else. */
  readonly apiUrl: string;
  /** The headers that carry the token, and what the forge wants besides. */
  readonly headers: Readonly<Record<string, string>>;
  /** What must never show in a message. */
  readonly token: string;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  /** PEM certificates that are trusted in the place of the usual ones. Default: those that Node.js trusts. */
  readonly caBundle?: string;
  /** An http proxy, with its own credentials if it needs them (`http://user:password@host:port`). */
  readonly proxyUrl?: string;
  readonly timeouts?: ForgeTimeouts;
  /** An answer may have at most this many bytes. Default 16 MiB, which is all that is parsed of one. */
  readonly maximumBytes?: number;
  /** Makes its connections. Default: over the network of this machine. */
  readonly connect?: Connect;
}

export type Connect = typeof createDispatcher;

export interface ForgeTimeouts {
  /** To connect, TLS included. Default 10 s. */
  readonly connectMs?: number;
  /** From the request to the answer's first line, and between two pieces of it. Default 30 s. */
  readonly answerMs?: number;
  /** For a whole call, redirects included. Default 60 s. */
  readonly totalMs?: number;
}

export interface ForgeRequest {
  /** What is attempted, for messages: `set the status of 1a2b3c`. */
  readonly action: string;
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Behind the API's address; its parts are percent-encoded by the caller (`segment`). */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface ForgeAnswer {
  /** Undefined when the answer has no content. */
  readonly json: unknown;
  /** Whether a list continues, as far as the answer shows it. The address in it is not kept: it is not trusted. */
  readonly hasNextPage: boolean | undefined;
}

/** Speaks JSON with one API. */
export interface ForgeHttp {
  /** Raises the codes of {@link Forge}. */
  send(request: ForgeRequest): Promise<ForgeAnswer>;
  close(): Promise<void>;
}

const maximumRedirects = 3;

/** No error contains a credential that was sent, in any form that the forge repeats it. */
export function createForgeHttp(options: ForgeHttpOptions): ForgeHttp {
  const plain = createPlainForgeHttp(options);
  const secrets = [options.token, proxyPassword(options.proxyUrl)];
  const { totalMs = 60_000 } = options.timeouts ?? {};
  return {
    send: (request) =>
      withDeadline(totalMs, async (deadline) => {
        const signal = AbortSignal.any([deadline, ...(request.signal ? [request.signal] : [])]);
        try {
          return await plain.send({ ...request, signal });
        } catch (error) {
          request.signal?.throwIfAborted();
          if (!deadline.aborted) throw redactError(error, secrets);
          const message = `${request.action}: ${options.apiUrl} has not answered within ${totalMs} ms`;
          throw new AppError("E_FORGE_UNREACHABLE", message, { data: { reason: "slow" } });
        }
      }),
    close: () => plain.close(),
  };
}

function createPlainForgeHttp(options: ForgeHttpOptions): ForgeHttp {
  const { apiUrl, clock, maximumBytes = 16 * 1024 * 1024 } = options;
  const dispatcher = makeDispatcher(options);
  const { origin } = new URL(apiUrl);
  let blockedUntilMs = Number.NEGATIVE_INFINITY;
  const blockedMs = (): number => Math.max(0, blockedUntilMs - clock.monotonicMs());
  /** Of several answers that were on their way at once, the one that asks for the longest wait counts. */
  const block = (waitMs: number): void => {
    blockedUntilMs = Math.max(blockedUntilMs, clock.monotonicMs() + waitMs);
  };

  const exchange = async (forgeRequest: ForgeRequest, url: URL): Promise<Dispatcher.ResponseData> => {
    const { method, body, signal } = forgeRequest;
    const headers = {
      "user-agent": "rollcall",
      accept: "application/json",
      ...options.headers,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const sent = { dispatcher, method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal };
    try {
      // Meanwhile, the answer to another request may have set a rate limit.
      return await exchangeHttp(url, { ...sent, isRepeatable: () => method === "GET" && blockedMs() === 0 });
    } catch (error) {
      signal?.throwIfAborted();
      throw connectionError(forgeRequest.action, origin, error);
    }
  };

  const follow = async (forgeRequest: ForgeRequest): Promise<Dispatcher.ResponseData> => {
    let url = new URL(apiUrl + forgeRequest.path + queryOf(forgeRequest.query));
    for (let redirects = 0; redirects <= maximumRedirects; redirects++) {
      const answer = await exchange(forgeRequest, url);
      // A repository that was renamed: GitHub answers writes with 307, Gitea all requests with 301. The other codes may lead
      // elsewhere, such as to a login page, and no write is repeated there.
      const isFollowed = forgeRequest.method === "GET" || [301, 307, 308].includes(answer.statusCode);
      if (!isRedirect(answer.statusCode) || !isFollowed) return answer;
      // Read to its end, so that the connection can be used again.
      await answer.body.dump({ limit: 16 * 1024, ...(forgeRequest.signal ? { signal: forgeRequest.signal } : {}) });
      url = redirectedUrl(url, headerOf(answer.headers, "location"), forgeRequest.action);
    }
    throw new AppError("E_FORGE_PROTOCOL", `${forgeRequest.action}: ${origin} redirects without end`);
  };

  return {
    async send(forgeRequest) {
      const { action, signal } = forgeRequest;
      const waitMs = blockedMs();
      if (waitMs > 0) {
        const message = `${action}: ${origin} limits the rate of requests; nothing was sent`;
        throw new AppError("E_FORGE_THROTTLED", message, { data: { retryAfterMs: waitMs } });
      }
      const answer = await follow(forgeRequest);
      const nowMs = clock.nowMs();
      const retryAfterMs = readWaitMs(answer.statusCode, answer.headers, nowMs);
      if (retryAfterMs !== undefined) block(retryAfterMs);
      const text = await readText(answer, { action, origin, maximumBytes, signal });
      if (answer.statusCode >= 200 && answer.statusCode < 300) {
        return { json: parseAnswer(text, answer, action, origin), hasNextPage: nextPageIn(answer.headers["link"]) };
      }
      const refusal = { action, origin, answer, text, retryAfterMs, secrets: [options.token] };
      const error = refusalError(refusal);
      const isLimited = error.code === "E_FORGE_THROTTLED" && retryAfterMs === undefined;
      if (isLimited) block(Number(error.data["retryAfterMs"] ?? 0));
      throw error;
    },
    close: () => dispatcher.destroy(),
  };
}

/** A header that links to other things than pages, such as one of a proxy or of a deprecation, shows nothing. */
function nextPageIn(header: string | string[] | undefined): boolean | undefined {
  const links = [header ?? []].flat().join(", ");
  if (/rel="?next\b/u.test(links)) return true;
  return /rel="?(?:first|prev|last)\b/u.test(links) ? false : undefined;
}

/** One part of a path: slashes and everything else that has a meaning there are encoded. */
export function segment(text: string | number): string {
  // `.` and `..` would be taken out of the path before it is sent.
  return encodeURIComponent(String(text)).replace(/^\.{1,2}$/u, (dots) => dots.replaceAll(".", "%2E"));
}

function queryOf(query: ForgeRequest["query"]): string {
  if (query === undefined) return "";
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return `?${search.toString()}`;
}

function makeDispatcher(options: ForgeHttpOptions): Dispatcher {
  const { caBundle, proxyUrl, timeouts = {}, connect = createDispatcher } = options;
  const { connectMs, answerMs = 30_000 } = timeouts;
  return connect({
    ca: caBundle,
    errorCode: "E_FORGE_URL",
    proxyUrl,
    connectMs,
    headMs: answerMs,
    idleMs: answerMs,
  });
}

/** @throws E_FORGE_PROTOCOL unless the redirect stays within the origin: anything else would get the token. */
function redirectedUrl(from: URL, location: string | undefined, action: string): URL {
  const target = redirectOf(from, location);
  if (target.kind === "within") return target.url;
  if (target.kind === "nowhere") {
    throw new AppError("E_FORGE_PROTOCOL", `${action}: ${from.origin} redirects without an address`);
  }
  const message = `${action}: ${from.origin} redirects to ${target.origin}, which gets no token`;
  throw new AppError("E_FORGE_PROTOCOL", message, { data: { redirectOrigin: target.origin } });
}

interface Reading {
  readonly action: string;
  readonly origin: string;
  readonly maximumBytes: number;
  readonly signal: AbortSignal | undefined;
}

async function readText(
  answer: Dispatcher.ResponseData,
  { action, origin, maximumBytes, signal }: Reading,
): Promise<string> {
  const collected = collectBytes();
  const tooLarge = (): AppError =>
    new AppError("E_FORGE_PROTOCOL", `${action}: ${origin} answers with more than ${maximumBytes} bytes`, {
      data: { maximumBytes },
    });
  try {
    for await (const bytes of boundedBody(answer.body, maximumBytes, tooLarge)) collected.add(bytes);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof AppError ? error : connectionError(action, origin, error);
  }
  return collected.take().toString("utf8");
}

function parseAnswer(text: string, answer: Dispatcher.ResponseData, action: string, origin: string): unknown {
  if (text === "") return undefined;
  const type = headerOf(answer.headers, "content-type") ?? "none";
  const parsed = /^application\/(?:[\w.+-]+\+)?json\b/u.test(type) ? parseJson(text) : undefined;
  if (parsed !== undefined) return parsed;
  const shown = cleanRemoteText(type.split(";")[0] ?? "", { secrets: [], maximumLength: 60 });
  throw new AppError(
    "E_FORGE_PROTOCOL",
    `${action}: ${origin} answers, but not as an API does (${shown}); check apiURL`,
  );
}
