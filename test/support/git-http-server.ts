import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { spawnSmall } from "./spawn-small.ts";

/** What goes wrong with one request. */
export type GitServerFault =
  | { readonly kind: "status"; readonly statusCode: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: "redirect"; readonly location: string; readonly statusCode?: number }
  | { readonly kind: "answer"; readonly contentType: string; readonly body: string | Uint8Array }
  | { readonly kind: "reset" }
  | { readonly kind: "hang" }
  /** The connection breaks after that many bytes of the body. */
  | { readonly kind: "truncate"; readonly bytes: number }
  /** The body ends there as if that were all. */
  | { readonly kind: "shorten"; readonly bytes: number };

export interface GitServerRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly gitProtocol: string | undefined;
  readonly authorization: string | undefined;
}

export interface GitHttpServerOptions {
  /** Folder of the bare repositories. */
  readonly root: string;
  /** Basic credentials that every request must carry. */
  readonly auth?: { readonly username: string; readonly password: string };
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Address to listen on, for clients on other machines. Default: loopback. */
  readonly host?: string;
  /** False answers in protocol version 1 whatever is asked for. Default true. */
  readonly isVersion2?: boolean;
  /** Asked for each request, in order. */
  readonly faultOf?: (request: GitServerRequest) => GitServerFault | undefined;
}

export interface GitHttpServer {
  readonly origin: string;
  /** All requests so far. */
  readonly requests: readonly GitServerRequest[];
  /** The address of a repository by its folder's name. */
  urlOf(name: string): string;
  setFault(faultOf: ((request: GitServerRequest) => GitServerFault | undefined) | undefined): void;
  clearRequests(): void;
  close(): Promise<void>;
}

/** Git's own smart-HTTP server (`git http-backend`), behind node; on loopback unless a host is given. */
export async function startGitHttpServer(options: GitHttpServerOptions): Promise<GitHttpServer> {
  const requests: GitServerRequest[] = [];
  let { faultOf } = options;
  const { host = "127.0.0.1" } = options;
  const listener: RequestListener = (request, response) => {
    const seen = describeRequest(request);
    requests.push(seen);
    const fault = faultOf?.(seen);
    if (fault && applyFault(fault, request, response)) return;
    if (!isAuthorized(options, seen)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    void runBackend(options, { seen, request, response, fault });
  };
  const server: Server = options.tls ? createTlsServer({ ...options.tls }, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `${options.tls ? "https" : "http"}://${host}:${port}`;
  return {
    origin,
    requests,
    urlOf: (name) => `${origin}/${name}`,
    setFault: (next) => {
      faultOf = next;
    },
    clearRequests: () => void requests.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function describeRequest(request: IncomingMessage): GitServerRequest {
  const url = new URL(request.url ?? "/", "http://server");
  const protocol = request.headers["git-protocol"];
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.search.slice(1),
    gitProtocol: typeof protocol === "string" ? protocol : undefined,
    authorization: request.headers.authorization,
  };
}

function isAuthorized({ auth }: GitHttpServerOptions, { authorization }: GitServerRequest): boolean {
  if (!auth) return true;
  return authorization === `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString("base64")}`;
}

/** True when the fault is the whole answer. */
function applyFault(fault: GitServerFault, request: IncomingMessage, response: ServerResponse): boolean {
  switch (fault.kind) {
    case "status":
      response.writeHead(fault.statusCode, fault.headers).end("fault\n");
      return true;
    case "redirect":
      response.writeHead(fault.statusCode ?? 301, { location: fault.location }).end();
      return true;
    case "answer":
      response.writeHead(200, { "content-type": fault.contentType }).end(fault.body);
      return true;
    case "reset":
      request.socket.destroy();
      return true;
    case "hang":
      return true;
    case "truncate":
    case "shorten":
      return false;
  }
}

interface Exchange {
  readonly seen: GitServerRequest;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly fault: GitServerFault | undefined;
}

async function runBackend(options: GitHttpServerOptions, exchange: Exchange): Promise<void> {
  const { request, response, fault } = exchange;
  const limit = fault?.kind === "truncate" || fault?.kind === "shorten" ? fault.bytes : Infinity;
  let head: Buffer = Buffer.alloc(0);
  let sentBytes = 0;
  const send = (chunk: Buffer): void => {
    const part = chunk.subarray(0, Math.max(0, limit - sentBytes));
    sentBytes += part.length;
    if (part.length > 0) response.write(part);
    if (sentBytes < limit) return;
    if (fault?.kind === "truncate") response.socket?.destroy();
    else response.end();
    backend.kill();
  };
  const answer = (chunk: Buffer): void => {
    if (response.headersSent) return send(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const { statusCode, headers } = parseHead(head.toString("latin1", 0, end));
    response.writeHead(statusCode, headers);
    if (head.length > end + 4) send(head.subarray(end + 4));
  };
  const env = backendEnvironment(options, exchange);
  const backend = await spawnSmall({ command: "git", args: ["http-backend"], env, onOutput: answer });
  response.on("close", () => backend.kill());
  if (response.destroyed) backend.kill();
  request.pipe(backend.stdin);
  await backend.ended.catch(() => null); // without an answer its client gets 500
  if (!response.headersSent) response.writeHead(500);
  response.end();
}

function backendEnvironment(
  { root, isVersion2 }: GitHttpServerOptions,
  { seen, request }: Pick<Exchange, "seen" | "request">,
): Record<string, string | undefined> {
  return {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: seen.path,
    QUERY_STRING: seen.query,
    REQUEST_METHOD: seen.method,
    CONTENT_TYPE: request.headers["content-type"] ?? "",
    REMOTE_ADDR: "127.0.0.1",
    REMOTE_USER: "test",
    GIT_PROTOCOL: isVersion2 === false ? "" : (seen.gitProtocol ?? ""),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.receivepack",
    GIT_CONFIG_VALUE_0: "true",
  };
}

function parseHead(text: string): { statusCode: number; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  let statusCode = 200;
  for (const line of text.split("\r\n")) {
    const [name = "", value = ""] = line.split(/:\s*/u, 2);
    if (name.toLowerCase() === "status") statusCode = Number.parseInt(value, 10);
    else headers[name] = value;
  }
  return { statusCode, headers };
}
