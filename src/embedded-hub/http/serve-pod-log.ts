import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isAppError } from "../../core/errors.ts";
import { textAt } from "../../core/read-json.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, notFound } from "../failures/failures.ts";
import type { Target } from "../operations/operations.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import type { PodLogRequest, ReadPodLog } from "./pod-log-request.ts";
import { readBoolean } from "./query.ts";
import { whileAllowed } from "./still-allowed.ts";

/**
 * Streams a log as text until it ends or the client disconnects. Throws 404 without such a Pod, 400 for invalid
 * options, 501 when no program runs the Pods of this hub.
 */
export async function servePodLog(scope: HttpScope, exchange: Exchange, target: Target): Promise<void> {
  const { response, query } = exchange;
  const { definition, namespace = "", name } = target;
  const pod = scope.operations.get(target);
  if (pod === undefined) throw notFound({ group: "", plural: definition.plural, name });
  if ((textAt(pod, "spec", "nodeName") ?? "") === "") {
    // As kube-apiserver answers for a Pod that no node has: nothing was logged yet.
    exchange.audit?.started(200);
    response.writeHead(200, { "content-type": "text/plain" }).end();
    return;
  }
  if (scope.readPodLog === undefined) {
    throw new ApiFailure(501, "NotImplemented", "this hub runs no Pods: their logs are not here");
  }
  const ended = new AbortController();
  response.on("close", () => ended.abort());
  const container = query.get("container");
  const log = await openLog(scope.readPodLog, {
    namespace,
    name,
    ...(container === null ? {} : { container }),
    follow: readBoolean(query, "follow"),
    previous: readBoolean(query, "previous"),
    timestamps: readBoolean(query, "timestamps"),
    ...countOf(query, "tailLines"),
    ...countOf(query, "sinceSeconds"),
    ...countOf(query, "limitBytes"),
    ...(query.get("sinceTime") === null ? {} : { sinceTime: query.get("sinceTime") ?? "" }),
    signal: ended.signal,
  });
  exchange.audit?.started(200);
  response.writeHead(200, { "content-type": "text/plain" });
  const isAllowed = whileAllowed(exchange.confirmAdmission, () => scope.clock.monotonicMs());
  await pipeline(Readable.from(readWhile(log, isAllowed), { objectMode: false }), response, {
    signal: ended.signal,
  }).catch((error: unknown) => {
    if (!ended.signal.aborted) throw error; // a disconnected client ends a log like any other end
  });
}

async function* readWhile(log: AsyncIterable<Uint8Array>, isAllowed: () => boolean): AsyncGenerator<Uint8Array> {
  for await (const part of log) {
    if (!isAllowed()) return;
    yield part;
  }
}

async function openLog(readPodLog: ReadPodLog, request: PodLogRequest): Promise<AsyncIterable<Uint8Array>> {
  try {
    return await readPodLog(request);
  } catch (error) {
    if (isAppError(error, "E_KUBE_NOT_FOUND", "E_KUBE_INVALID")) throw badRequest(error.message);
    throw error;
  }
}

function countOf<K extends "tailLines" | "sinceSeconds" | "limitBytes">(
  query: URLSearchParams,
  key: K,
): { [P in K]?: number } {
  const text = query.get(key);
  if (text === null) return {};
  if (!/^\d{1,12}$/u.test(text)) throw badRequest(`${key} must be a whole number that is not negative`);
  return { [key]: Number(text) } as { [P in K]?: number };
}
