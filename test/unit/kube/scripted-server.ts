import "reflect-metadata";
import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { fixedConnection } from "../../../src/kube/connection.ts";
import type { FixedConnectionOptions, KubeConnection } from "../../../src/kube/connection.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import type { CertificateAndKey } from "../../support/control-plane-keys.ts";
import { until } from "../../support/until.ts";

export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Number of the connection it came on, from 1. */
  readonly connection: number;
  /** Common name of the client's certificate. */
  readonly clientName: string | undefined;
  /** Its connection resumes the TLS session of a former one. */
  readonly isResumed: boolean;
}

/** Answers one request; or does something else to its response or socket. */
export type Script = (request: ReceivedRequest, response: ServerResponse) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  readonly caPem: string;
  readonly client: CertificateAndKey;
  readonly requests: ReceivedRequest[];
  /** `METHOD /path?query` of all requests, in order. */
  readonly lines: string[];
  script: Script;
  connection(options?: Partial<FixedConnectionOptions>): KubeConnection;
  /** Resolves when so many requests were received. */
  whenReceived(count: number): Promise<void>;
  readonly openSockets: number;
  readonly stop: () => Promise<void>;
}

/** A TLS server on loopback, by default at a free port, whose answers the test writes. Its certificate is for 127.0.0.1 and `api.example`. */
export async function startScriptedServer(script: Script, atPort = 0): Promise<ScriptedServer> {
  const authority = await makeCertificateAuthority("scripted-ca");
  const names = new SubjectAlternativeNameExtension([
    { type: "ip", value: "127.0.0.1" },
    { type: "dns", value: "api.example" },
  ]);
  const [server, client] = await Promise.all([
    authority.issue("CN=scripted", [new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]), names]),
    authority.issue("CN=agent-7", [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])]),
  ]);
  const requests: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  const connectionNumbers = new WeakMap<object, number>();
  let connections = 0;
  const https = createServer(
    { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: false, keepAliveTimeout: 60_000 },
    (incoming, response) => void receive(incoming, response),
  );
  https.on("secureConnection", (socket) => connectionNumbers.set(socket, ++connections));
  const port = await listen(https, atPort);
  const url = `https://127.0.0.1:${port}`;

  const receive = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return; // the client disconnected: there is no client to answer
    }
    const request = {
      method: incoming.method ?? "",
      url: new URL(incoming.url ?? "", url),
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString("utf8"),
      connection: connectionNumbers.get(incoming.socket) ?? 0,
      clientName: clientNameOf(incoming.socket),
      isResumed: (incoming.socket as TLSSocket).isSessionReused(),
    };
    requests.push(request);
    self.script(request, response);
    for (const check of waiting) check();
  };

  const sockets = trackSockets(https);
  const self: ScriptedServer = {
    url,
    port,
    caPem: authority.cert,
    client,
    requests,
    script,
    get lines() {
      return requests.map((request) => `${request.method} ${request.url.pathname}${request.url.search}`);
    },
    get openSockets() {
      return sockets.size;
    },
    connection: (options = {}) => fixedConnection({ server: url, caPem: authority.cert, ...options }),
    whenReceived: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (requests.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    stop: () => stopServer(https, sockets),
  };
  return self;
}

export function answerJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** A Status as an API server answers it. */
export function answerStatus(response: ServerResponse, status: number, fields: Record<string, unknown> = {}): void {
  const { headers = {}, ...rest } = fields;
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: status, ...rest };
  answerJson(response, status, body, headers as object);
}

export interface ScriptedProxy {
  readonly url: string;
  /** What was asked: `CONNECT host:port` and the Proxy-Authorization, if any. */
  readonly asked: string[];
  readonly stop: () => Promise<void>;
}

/** An HTTP proxy that knows nothing but CONNECT; answers `refuseWith` instead of connecting, or `acceptWith` instead of 200, when that is given. */
export async function startScriptedProxy(
  options: { refuseWith?: number; acceptWith?: number } = {},
): Promise<ScriptedProxy> {
  const { createServer: createHttpServer } = await import("node:http");
  const { connect } = await import("node:net");
  const asked: string[] = [];
  const proxy = createHttpServer();
  const sockets = trackSockets(proxy);
  proxy.on("connect", (incoming, client: Socket) => {
    const credentials = incoming.headers["proxy-authorization"];
    asked.push([`CONNECT ${incoming.url}`, credentials].filter(Boolean).join(" "));
    if (options.refuseWith !== undefined) {
      client.end(`HTTP/1.1 ${options.refuseWith} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const [host = "", port = ""] = (incoming.url ?? "").split(":");
    const upstream = connect(Number(port), host, () => {
      client.write(`HTTP/1.1 ${options.acceptWith ?? 200} Connection established\r\n\r\n`);
      client.pipe(upstream).pipe(client);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
    client.on("close", () => upstream.destroy());
  });
  const port = await listen(proxy);
  return { url: `http://127.0.0.1:${port}`, asked, stop: () => stopServer(proxy, sockets) };
}

/** A port on which no server listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A TCP server that does with each connection what the test asks for. */
export async function startTcpServer(onConnection: (socket: Socket) => void) {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined); // the other side may go away as it likes
    onConnection(socket);
  });
  const sockets = trackSockets(server);
  /** Resolves when so many clients are connected at once. */
  const whenConnected = (count: number): Promise<unknown> =>
    until(
      async () => sockets.size,
      (size) => size >= count,
    );
  return { port: await listen(server), stop: () => stopServer(server, sockets), whenConnected };
}

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

async function stopServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
}

function clientNameOf(socket: Socket): string | undefined {
  if (!("getPeerCertificate" in socket) || typeof socket.getPeerCertificate !== "function") return undefined;
  const certificate = (socket.getPeerCertificate as () => { subject?: { CN?: string } })();
  return certificate.subject?.CN;
}
