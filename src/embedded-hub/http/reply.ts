import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HubRequest, HubResponse } from "./http-server.ts";

const compress = promisify(gzip);
/** Smaller answers are not worth the work. As kube-apiserver has it. */
const gzipThresholdBytes = 128 * 1024;
const warningLimit = 4096;

export interface Reply {
  readonly statusCode: number;
  readonly contentType: string;
  readonly body: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** Sends a whole answer; nothing happens when the client is gone. */
export async function sendReply(request: HubRequest, response: HubResponse, reply: Reply): Promise<void> {
  const plain: Buffer = typeof reply.body === "string" ? Buffer.from(reply.body, "utf8") : reply.body;
  const isCompressed = plain.length > gzipThresholdBytes && acceptsGzip(request);
  const body: Buffer = isCompressed ? await compress(plain, { level: 1 }) : plain;
  if (response.destroyed || response.headersSent) return;
  startReply(response, {
    statusCode: reply.statusCode,
    contentType: reply.contentType,
    warnings: reply.warnings ?? [],
    headers: {
      ...reply.headers,
      ...(isCompressed ? { "content-encoding": "gzip", vary: "Accept-Encoding" } : {}),
      "content-length": String(body.length),
    },
  });
  const sink: Writable = response;
  sink.end(request.method === "HEAD" ? undefined : body);
}

/** Sends status and headers. */
export function startReply(
  response: HubResponse,
  head: Omit<Reply, "body" | "warnings" | "headers"> & Required<Pick<Reply, "warnings" | "headers">>,
): void {
  response.statusCode = head.statusCode;
  response.setHeader("cache-control", "no-cache, private");
  response.setHeader("content-type", head.contentType);
  for (const [name, value] of Object.entries(head.headers)) response.setHeader(name, value);
  if (head.warnings.length > 0) response.setHeader("warning", warningHeaders(head.warnings));
}

/** `299 - "text"`, each text once. Source: RFC 7234 5.5, as clients of Kubernetes read it. */
function warningHeaders(warnings: readonly string[]): string[] {
  let total = 0;
  return (
    [...new Set(warnings)]
      .map((text) => `299 - "${text.replaceAll(/[\\"]/gu, "\\$&").replaceAll(/\p{Cc}/gu, " ")}"`)
      // Node takes bytes in headers as latin1; the text is UTF-8.
      .map((header) => Buffer.from(header, "utf8").toString("latin1"))
      .filter((header) => (total += header.length) <= warningLimit)
  );
}

function acceptsGzip(request: HubRequest): boolean {
  const header = request.headers["accept-encoding"];
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  return text.split(",").some((token) => token.trim() === "gzip");
}
