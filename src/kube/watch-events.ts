import { assertNever } from "../core/assert-never.ts";
import { collectBytes } from "../core/collect-bytes.ts";
import { textAt } from "../core/read-json.ts";
import { startTimer } from "../core/timer.ts";
import type { ResourceType } from "../model/kubernetes.ts";
import type { WatchEvent, WatchOptions } from "./kube.ts";
import { errorOfStatus, makeError, wrapError } from "./kube-errors.ts";
import type { Operation } from "./kube-errors.ts";
import { parseAnswer, parseItem } from "./parse-objects.ts";
import { collectionPath, withQuery } from "./resource-path.ts";
import { openStream } from "./send-request.ts";
import type { SenderOptions } from "./send-request.ts";
import { TransportError } from "./transport.ts";

export interface WatchLimits {
  /** The server is asked to end the watch after this and up to twenty seconds more. */
  readonly durationSeconds: number;
  /** A watch on which nothing came for this long, not even a bookmark, is ended; servers send those every minute. */
  readonly unresponsiveMs: number;
  /** Of one event. */
  readonly maxEventBytes: number;
}

/** KubeApi.watch. */
export async function* watchEvents(
  sender: SenderOptions,
  limits: WatchLimits,
  type: ResourceType,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { namespace, labelSelector, fieldSelector, resourceVersion, signal, onOpen } = options;
  if (signal?.aborted) return;
  const timeoutSeconds = limits.durationSeconds + Math.floor(sender.random.next() * 20);
  const operation: Operation = { verb: "watch", object: namespace ? `${type.kind} in ${namespace}` : type.kind };
  const path = withQuery(collectionPath(type, namespace), {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion,
    timeoutSeconds,
    labelSelector,
    fieldSelector,
  });
  const ending = new AbortController();
  const end = () => ending.abort();
  // Fifteen seconds after the server should have ended it, the connection counts as lost.
  const cancelDeadline = startTimer((timeoutSeconds + 15) * 1000, end);
  signal?.addEventListener("abort", end);
  try {
    const request = { method: "GET", path, pool: "watch", idleTimeoutMs: limits.unresponsiveMs } as const;
    const body = await openStream(sender, operation, { ...request, signal: ending.signal });
    onOpen?.();
    for await (const line of splitLines(body, limits.maxEventBytes, operation)) {
      if (ending.signal.aborted) return;
      yield parseEvent(line, type, operation);
    }
  } catch (error) {
    if (ending.signal.aborted) return;
    if (error instanceof TransportError && error.failure === "idle") return;
    throw error instanceof TransportError ? wrapError(error, operation) : error;
  } finally {
    cancelDeadline();
    signal?.removeEventListener("abort", end);
    end();
  }
}

function parseEvent(line: string, type: ResourceType, operation: Operation): WatchEvent {
  const event = parseAnswer(line, operation);
  const kind = eventKindOf(event["type"]);
  const { object } = event;
  switch (kind) {
    case "added":
    case "modified":
    case "deleted":
      return { kind, object: parseItem(object, type, operation) };
    case "bookmark": {
      const resourceVersion = textAt(object, "metadata", "resourceVersion");
      if (resourceVersion === undefined) throw makeError("E_KUBE_SERVER", operation, "a bookmark without a version");
      return { kind, resourceVersion };
    }
    case "error":
      throw errorOfStatus(object, operation);
    case undefined:
      throw makeError("E_KUBE_SERVER", operation, "an event of an unknown type");
    default:
      return assertNever(kind);
  }
}

/** Source: Kubernetes API, meta/v1 WatchEvent. */
function eventKindOf(type: unknown): WatchEvent["kind"] | "error" | undefined {
  switch (type) {
    case "ADDED":
      return "added";
    case "MODIFIED":
      return "modified";
    case "DELETED":
      return "deleted";
    case "BOOKMARK":
      return "bookmark";
    case "ERROR":
      return "error";
    default:
      return undefined;
  }
}

/** The lines of a body. Throws E_KUBE_UNREACHABLE when it ends within a line: an event was cut off. */
async function* splitLines(
  body: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
  operation: Operation,
): AsyncGenerator<string> {
  const pending = collectBytes();
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      pending.add(chunk.subarray(start, end));
      const line = pending.take().toString("utf8");
      start = end + 1;
      if (line.trim() !== "") yield line;
    }
    pending.add(chunk.subarray(start));
    if (pending.sizeBytes > maxLineBytes) {
      throw makeError("E_KUBE_SERVER", operation, `an event is larger than ${maxLineBytes} bytes`);
    }
  }
  if (pending.sizeBytes > 0) throw makeError("E_KUBE_UNREACHABLE", operation, "the watch was cut off within an event");
}
