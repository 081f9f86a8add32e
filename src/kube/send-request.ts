import { backoffMs } from "../core/backoff.ts";
import type { Clock, Random } from "../core/clock.ts";
import { collectBytes } from "../core/collect-bytes.ts";
import type { AppError } from "../core/errors.ts";
import { isAppError } from "../core/errors.ts";
import { withDeadline } from "../core/timer.ts";
import type { AnswerBudget } from "./answer-budget.ts";
import { errorOfAnswer, makeError, wrapError } from "./kube-errors.ts";
import type { Operation } from "./kube-errors.ts";
import { TransportError } from "./transport.ts";
import type { PoolName, Transport, TransportRequest, TransportResponse } from "./transport.ts";

export interface SenderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** For the head of an answer, from when the request was sent; and again for its body. */
  readonly timeoutMs: number;
  /** Of an answer with one object. */
  readonly maxObjectBytes: number;
  /** Shared by answers that are larger than 64 KiB, from their reading until they are parsed. */
  readonly answers: AnswerBudget;
  readonly requestCounts: Map<string, number>;
}

export interface ApiRequest {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly pool: PoolName;
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Of a successful answer; a larger one is refused as soon as that is known. Not for streams. */
  readonly maximumBytes?: number;
  /** How long the answer may pause once it has begun. Default: the sender's `timeoutMs`. */
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called before each attempt: what it throws ends the request. */
  readonly beforeSend?: (() => void) | undefined;
}

/** How often a request is sent again when the server asks for it, and for how long it is waited at most. */
const maxRetries = 3;
const maxRetryAfterSeconds = 10;
/** Of refusals, and of answers that are no resources (`/version`). */
export const smallAnswerBytes = 64 * 1024;

/**
 * Sends a request until it is answered with success, and parses that answer; the answer's text is held no longer. Throws
 * E_KUBE_*; E_KUBE_SERVER with `data.isTooLarge` when the answer is larger than `request.maximumBytes` (default: one object).
 */
export async function sendRequest<T>(
  sender: SenderOptions,
  operation: Operation,
  request: ApiRequest,
  parse: (text: string) => T,
): Promise<T> {
  const { maximumBytes = sender.maxObjectBytes, signal } = request;
  return sendWithRetries(sender, operation, request, async (headers) => {
    const response = await sendOnce(sender, operation, request, headers);
    if (!isSuccess(response)) throw await refusalOf(sender, operation, response);
    return readAnswer(sender, operation, { response, maximumBytes, ...(signal ? { signal } : {}) }, parse);
  });
}

/** Sends a request whose answer, whatever its status, is the result. */
export async function sendRawRequest(
  sender: SenderOptions,
  operation: Operation,
  request: ApiRequest,
): Promise<{ status: number; text: string }> {
  return sendWithRetries(sender, operation, request, async (headers) => {
    const response = await sendOnce(sender, operation, request, headers);
    const read = { response, maximumBytes: smallAnswerBytes };
    return { status: response.status, text: await readAnswer(sender, operation, read, (text) => text) };
  });
}

/** Sends a request and returns the body of the successful answer as a stream. `request.signal` ends it. */
export async function openStream(
  sender: SenderOptions,
  operation: Operation,
  request: ApiRequest,
): Promise<AsyncIterable<Uint8Array>> {
  return sendWithRetries(sender, operation, request, async (headers) => {
    const response = await sendOnce(sender, operation, request, headers);
    if (!isSuccess(response)) throw await refusalOf(sender, operation, response);
    return response.body;
  });
}

/**
 * Tries again when the connection was closed, as a kept-alive one that was stale is (once, and only what may be done
 * twice), when the token or the client certificate was refused and there is a newer one (once), and when the server asks to come
 * back soon (three times).
 */
async function sendWithRetries<T>(
  sender: SenderOptions,
  operation: Operation,
  request: ApiRequest,
  attempt: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { transport, clock, random, requestCounts } = sender;
  request.signal?.throwIfAborted();
  let token = await transport.getToken?.();
  let hasRenewed = false;
  let hasReconnected = false;
  let hasLeft = false;
  for (let retries = 0; ;) {
    request.signal?.throwIfAborted();
    request.beforeSend?.();
    requestCounts.set(operation.verb, (requestCounts.get(operation.verb) ?? 0) + 1);
    try {
      return await attempt(headersOf(request, token));
    } catch (error) {
      request.signal?.throwIfAborted();
      if (error instanceof TransportError) {
        if (error.failure === "outdated" && !hasLeft) {
          hasLeft = true;
          continue;
        }
        if (error.failure !== "closed" || hasReconnected || !isRepeatable(request)) throw wrapError(error, operation);
        hasReconnected = true;
        continue;
      }
      if (isAppError(error, "E_KUBE_UNAUTHORIZED") && token !== undefined && !hasRenewed) {
        const rejected = token;
        token = await transport.getToken?.(rejected);
        if (token === rejected) throw error;
        hasRenewed = true;
        continue;
      }
      const waitMs = retries < maxRetries ? retryDelayMs(error, request, retries, random) : undefined;
      if (waitMs === undefined) throw error;
      retries++;
      await clock.sleep(waitMs, request.signal);
    }
  }
}

/** How long to wait before the server may be asked again; undefined when it should not be. */
function retryDelayMs(error: unknown, request: ApiRequest, retries: number, random: Random): number | undefined {
  if (!isAppError(error)) return undefined;
  const { status, retryAfterSeconds } = error.data;
  const isThrottled = error.code === "E_KUBE_THROTTLED";
  if (!isThrottled && status !== 503) return undefined;
  if (typeof retryAfterSeconds !== "number") {
    // 503 without a time may come from behind the server: the write may have happened.
    return isThrottled || isRepeatable(request) ? backoffMs(retries, random, { maximumMs: 5000 }) : undefined;
  }
  if (retryAfterSeconds > maxRetryAfterSeconds) return undefined;
  return Math.max(retryAfterSeconds * 1000, backoffMs(retries, random, { initialMs: 100, maximumMs: 1000 }));
}

/** A second POST would make a second object, a second PUT would fail on the version that the first one wrote. */
function isRepeatable({ method }: ApiRequest): boolean {
  return method !== "POST" && method !== "PUT";
}

function headersOf(request: ApiRequest, token: string | undefined): Record<string, string> {
  return {
    accept: "application/json",
    "user-agent": "rollcall",
    ...(request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
}

async function sendOnce(
  { transport, timeoutMs }: SenderOptions,
  operation: Operation,
  { method, path, pool, body, signal, idleTimeoutMs = timeoutMs }: ApiRequest,
  headers: Readonly<Record<string, string>>,
): Promise<TransportResponse> {
  if (!path.startsWith("/")) throw makeError("E_BUG", operation, "a path must begin with a slash");
  const text = body === undefined ? undefined : JSON.stringify(body);
  const limits = { headTimeoutMs: timeoutMs, idleTimeoutMs };
  return transport.send({ method, path, pool, headers, ...limits, ...(text ? { body: text } : {}), signal });
}

/** A page of HTML is no success, whatever its status: it comes from something in between. */
function isSuccess(response: TransportResponse): boolean {
  return response.status >= 200 && response.status < 300 && !response.header("content-type")?.includes("html");
}

async function refusalOf(sender: SenderOptions, operation: Operation, response: TransportResponse): Promise<AppError> {
  const read = { response, maximumBytes: smallAnswerBytes };
  const text = await readAnswer(sender, operation, read, (whole) => whole);
  const contentType = response.header("content-type") ?? "";
  const answer = { status: response.status, contentType, retryAfter: response.header("retry-after"), text };
  return errorOfAnswer(answer, operation);
}

interface AnswerRead {
  readonly response: TransportResponse;
  readonly maximumBytes: number;
  readonly signal?: AbortSignal;
}

/**
 * The whole body, parsed. Silence ends by the transport's limits; a body that comes too slowly or is too long is given up
 * here, without a timer per request: leaving the loop closes its connection. What is larger than a small answer waits for
 * its share of the bytes that may be held at once.
 */
async function readAnswer<T>(
  { timeoutMs, answers }: SenderOptions,
  operation: Operation,
  { response, maximumBytes, signal }: AnswerRead,
  parse: (text: string) => T,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  const late = (): TransportError =>
    new TransportError("unreachable", `the answer was not whole within ${timeoutMs} ms`);
  const collected = collectBytes();
  let giveBack: (() => void) | undefined;
  try {
    for await (const chunk of response.body) {
      const sizeBytes = collected.sizeBytes + chunk.length;
      if (sizeBytes > maximumBytes || Number(response.header("content-length")) > maximumBytes)
        throw makeError("E_KUBE_SERVER", operation, `the answer is larger than ${maximumBytes} bytes`, {
          isTooLarge: true,
        });
      const leftMs = deadlineMs - performance.now();
      if (leftMs < 0) throw late();
      collected.add(chunk);
      if (sizeBytes <= smallAnswerBytes || giveBack) continue;
      giveBack = await withDeadline(leftMs, (deadline) => {
        const waiting = answers.take(maximumBytes, AbortSignal.any([deadline, ...(signal ? [signal] : [])]));
        return waiting.catch((error: unknown) => {
          throw deadline.aborted ? late() : error;
        });
      });
    }
    return parse(collected.take().toString("utf8"));
  } finally {
    giveBack?.();
  }
}
