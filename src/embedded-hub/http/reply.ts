import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { Turns } from "../operations/turns.ts";
import { chunksOf, partsOf, sizeOf } from "./body-parts.ts";
import type { HubRequest, HubResponse } from "./http-server.ts";
import type { Body } from "./render.ts";
import { warningHeaders } from "./warning-headers.ts";

const compress = promisify(gzip);
/** Smaller answers are not worth the work. As kube-apiserver has it. */
const gzipThresholdBytes = 128 * 1024;
/** Longer answers are sent in slices of the event loop, as fast as the client reads. */
const slicedThresholdBytes = 1024 * 1024;
const chunkBytes = 64 * 1024;

export interface Reply {
  readonly statusCode: number;
  /** Undefined: the answer names none. */
  readonly contentType: string | undefined;
  readonly body: Body;
  /** Of a body that may be long. */
  readonly turns?: Turns;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** Sends a whole answer; nothing happens after the client disconnected. Does not wait until a long one is read. */
export async function sendReply(request: HubRequest, response: HubResponse, reply: Reply): Promise<void> {
  const parts = partsOf(reply.body);
  const sizeBytes = sizeOf(reply.body);
  const isCompressed = sizeBytes > gzipThresholdBytes && acceptsGzip(request);
  const encoding: Record<string, string> = isCompressed ? { "content-encoding": "gzip", vary: "Accept-Encoding" } : {};
  const { statusCode, contentType, warnings = [], turns } = reply;
  const sink: Writable = response;
  if (turns !== undefined && sizeBytes > slicedThresholdBytes && request.method !== "HEAD") {
    if (response.destroyed || response.headersSent) return;
    const length: Record<string, string> = isCompressed ? {} : { "content-length": String(sizeBytes) };
    startReply(response, { statusCode, contentType, warnings, headers: { ...reply.headers, ...encoding, ...length } });
    void (isCompressed ? writeCompressed(sink, parts, turns) : writeParts(sink, parts, turns));
    return;
  }
  const plain = Buffer.concat([...parts]);
  const body: Buffer = isCompressed ? await compress(plain, { level: 1 }) : plain;
  if (response.destroyed || response.headersSent) return;
  const length = { "content-length": String(body.length) };
  startReply(response, { statusCode, contentType, warnings, headers: { ...reply.headers, ...encoding, ...length } });
  sink.end(request.method === "HEAD" ? undefined : body);
}

async function writeCompressed(response: Writable, parts: Iterable<Uint8Array>, turns: Turns): Promise<void> {
  const zip = createGzip({ level: 1 });
  zip.pipe(response);
  response.once("close", () => zip.destroy());
  await writeParts(zip, parts, turns);
}

/** Resolves when all is written, or the client disconnected. */
async function writeParts(sink: Writable, parts: Iterable<Uint8Array>, turns: Turns): Promise<void> {
  const takeTurn = turns.begin();
  for (const chunk of chunksOf(parts, chunkBytes)) {
    await takeTurn();
    if (sink.destroyed) return;
    if (!sink.write(chunk)) await drained(sink);
  }
  sink.end();
}

function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off("drain", done);
      sink.off("close", done);
      resolve();
    };
    sink.once("drain", done);
    sink.once("close", done);
  });
}

/** Sends status and headers. */
export function startReply(
  response: HubResponse,
  head: Omit<Reply, "body" | "warnings" | "headers"> & Required<Pick<Reply, "warnings" | "headers">>,
): void {
  response.statusCode = head.statusCode;
  response.setHeader("cache-control", "no-cache, private");
  if (head.contentType !== undefined) response.setHeader("content-type", head.contentType);
  for (const [name, value] of Object.entries(head.headers)) response.setHeader(name, value);
  if (head.warnings.length > 0) response.setHeader("warning", warningHeaders(head.warnings));
}

function acceptsGzip(request: HubRequest): boolean {
  const header = request.headers["accept-encoding"];
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  return text.split(",").some((token) => token.trim() === "gzip");
}
