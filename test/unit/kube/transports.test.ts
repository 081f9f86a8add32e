import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeConnection } from "../../../src/kube/connection.ts";
import { createHttpsTransport, idleConnectionMs } from "../../../src/kube/https-transport.ts";
import { defaultHeartbeatSeconds } from "../../../src/model/dialects/rollcall.ts";
import type { PoolName, Transport, TransportRequest } from "../../../src/kube/transport.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import { longestWaitMs } from "../../support/until.ts";
import { answerJson, closedPort, startScriptedProxy, startScriptedServer, startTcpServer } from "./scripted-server.ts";
import type { ScriptedServer } from "./scripted-server.ts";

const transports = [
  { name: "createUndiciTransport", create: createUndiciTransport },
  { name: "createHttpsTransport", create: createHttpsTransport },
];

function request(path: string, options: Partial<TransportRequest> = {}): TransportRequest {
  const signal = new AbortController().signal;
  const defaults = { headTimeoutMs: longestWaitMs, idleTimeoutMs: longestWaitMs };
  return { method: "GET", path, headers: {}, pool: "work", signal, ...defaults, ...options };
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

describe.each(transports)("$name", ({ create }) => {
  let server: ScriptedServer;
  const opened: Transport[] = [];
  const stops: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    server = await startScriptedServer((_, response) => answerJson(response, 200, { ok: true }));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((transport) => transport.close()));
    await Promise.all(stops.splice(0).map((stop) => stop()));
    await server.stop();
  });

  function open(connection: KubeConnection, options: { connections?: number; connectTimeoutMs?: number } = {}) {
    const transport = create(connection, options);
    opened.push(transport);
    return transport;
  }
  async function exchange(transport: Transport, path: string, options: Partial<TransportRequest> = {}) {
    const answer = await transport.send(request(path, options));
    return { status: answer.status, type: answer.header("content-type"), text: await readAll(answer.body) };
  }

  it("sends method, path behind the server's prefix, headers and body, and gives the answer", async () => {
    const transport = open(server.connection({ server: `${server.url}/k8s/clusters/c-7/` }));
    const options = { method: "PATCH", headers: { "x-test": "1" }, body: '{"ü":1}' } as const;
    const answer = await exchange(transport, "/api/v1/namespaces?limit=5", options);
    expect(answer).toEqual({ status: 200, type: "application/json", text: '{"ok":true}' });
    expect(server.lines).toEqual(["PATCH /k8s/clusters/c-7/api/v1/namespaces?limit=5"]);
    expect(server.requests[0]?.body).toBe('{"ü":1}');
    expect(server.requests[0]?.headers).toMatchObject({ "x-test": "1", host: `127.0.0.1:${server.port}` });
  });

  it("keeps connections alive and opens no more than it may", async () => {
    const transport = open(server.connection(), { connections: 2 });
    for (let turn = 0; turn < 3; turn++) {
      await Promise.all(Array.from({ length: 6 }, (_, index) => exchange(transport, `/${turn}/${index}`)));
    }
    expect(server.requests).toHaveLength(18);
    expect(Math.max(...server.requests.map(({ connection }) => connection))).toBe(2);
  });

  it("keeps the connection after each method, with and without a body", async () => {
    const transport = open(server.connection(), { connections: 1 });
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
      await exchange(transport, "/", { method });
      await exchange(transport, "/", { method, body: "{}" });
    }
    expect(server.requests.map(({ connection }) => connection)).toEqual(Array(10).fill(1));
  });

  it("F11 lets a Lease and a condition pass while all other requests hang", async () => {
    server.script = (received, response) => {
      if (received.url.pathname !== "/slow") answerJson(response, 200, {});
    };
    const transport = open(server.connection(), { connections: 2 });
    const aborting = new AbortController();
    const { signal } = aborting;
    const hanging = Array.from({ length: 8 }, () => transport.send(request("/slow", { signal })));
    await server.whenReceived(2);
    expect((await exchange(transport, "/lease", { pool: "lease" })).status).toBe(200);
    expect((await exchange(transport, "/status", { pool: "status" })).status).toBe(200);
    aborting.abort(new Error("enough"));
    for (const result of await Promise.allSettled(hanging)) expect(result.status).toBe("rejected");
  });

  it("shows its client certificate", async () => {
    const { cert, key } = server.client;
    await exchange(open(server.connection({ certPem: cert, keyPem: key })), "/");
    expect(server.requests[0]?.clientName).toBe("agent-7");
  });

  it("resumes its TLS session on new connections, until TLS files are renewed, which it then uses", async () => {
    const { cert, key } = server.client;
    let material = { caPem: server.caPem };
    const transport = open({ ...server.connection(), getTls: () => Promise.resolve(material) }, { connections: 1 });
    server.script = (_, response) => answerJson(response, 200, {}, { connection: "close" });
    await exchange(transport, "/");
    await exchange(transport, "/");
    material = { ...material, ...{ certPem: cert, keyPem: key } };
    await exchange(transport, "/");
    await exchange(transport, "/");
    expect(server.requests.map(({ clientName, isResumed }) => ({ clientName, isResumed }))).toEqual([
      { clientName: undefined, isResumed: false },
      { clientName: undefined, isResumed: true },
      { clientName: "agent-7", isResumed: false },
      { clientName: "agent-7", isResumed: true },
    ]);
  });

  it("A29 fails as tls when another authority signed the server's certificate", async () => {
    const other = await makeCertificateAuthority("other");
    const sent = open(server.connection({ caPem: other.cert })).send(request("/"));
    await expect(sent).rejects.toMatchObject({ code: "E_KUBE_TLS", failure: "tls" });
    expect(server.requests).toEqual([]);
  });

  it("A29 fails as tls when the certificate is for another name, unless tls-server-name names it", async () => {
    const byName = { ...server.connection(), server: `https://localhost:${server.port}` };
    await expect(open(byName).send(request("/"))).rejects.toMatchObject({ failure: "tls" });
    const named = open({ ...byName, tlsServerName: "api.example" });
    expect((await exchange(named, "/")).status).toBe(200);
  });

  it("fails as tls when the server speaks plain http", async () => {
    const plain = await startTcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    stops.push(plain.stop);
    const sent = open(server.connection({ server: `https://127.0.0.1:${plain.port}` })).send(request("/"));
    await expect(sent).rejects.toMatchObject({ code: "E_KUBE_TLS" });
  });

  it("refuses to send credentials to a server that it does not verify", async () => {
    const connection = server.connection({ token: "secret" });
    const sent = open({ ...connection, isUnverified: true }).send(request("/"));
    await expect(sent).rejects.toMatchObject({ code: "E_BUG" });
    expect(server.requests).toEqual([]);
    const { server: url, getTls } = server.connection({ caPem: undefined });
    expect((await exchange(open({ server: url, getTls, isUnverified: true }), "/")).status).toBe(200);
  });

  it("fails as unreachable when no server listens", async () => {
    const transport = open(server.connection({ server: `https://127.0.0.1:${await closedPort()}` }));
    await expect(transport.send(request("/"))).rejects.toMatchObject({
      code: "E_KUBE_UNREACHABLE",
      failure: "unreachable",
      data: { cause: "ECONNREFUSED" },
    });
  });

  it("fails as unreachable when the TLS handshake does not come", async () => {
    const mute = await startTcpServer(() => undefined);
    stops.push(mute.stop);
    const connection = server.connection({ server: `https://127.0.0.1:${mute.port}` });
    const sent = open(connection, { connectTimeoutMs: 100 }).send(request("/"));
    await expect(sent).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
  });

  it("ends a request with the signal's reason while its connection is being opened, and that connection with the transport", async () => {
    let ended = 0;
    const mute = await startTcpServer((socket) => socket.once("close", () => (ended += 1)).resume());
    stops.push(mute.stop);
    const connection = server.connection({ server: `https://127.0.0.1:${mute.port}` });
    const transport = open(connection, { connectTimeoutMs: 100 * longestWaitMs });
    const aborting = new AbortController();
    const { signal } = aborting;
    const reason = new Error("stop");
    const failures: unknown[] = [];
    const send = (pool: PoolName, more: Partial<TransportRequest> = {}): void =>
      void transport.send(request("/", { pool, ...more })).catch((error: unknown) => failures.push(error));
    for (const pool of ["work", "lease", "watch"] as const) send(pool, { signal });
    for (const pool of ["work", "status"] as const) send(pool);
    await mute.whenConnected(5);
    aborting.abort(reason);
    await expect.poll(() => failures).toEqual([reason, reason, reason]);
    await transport.close();
    await expect.poll(() => failures.length).toBe(5);
    for (const failure of failures.slice(3)) expect(failure).toMatchObject({ code: "E_KUBE_UNREACHABLE" });
    await expect.poll(() => ended).toBe(5);
  });

  it("fails as closed when the connection ends before the answer", async () => {
    server.script = (_, response) => response.socket?.destroy();
    await expect(open(server.connection()).send(request("/"))).rejects.toMatchObject({ failure: "closed" });
  });

  it("A230 fails as closed when the server would speak another protocol, and opens another connection for the next request", async () => {
    server.script = ({ url }, response) => {
      if (url.pathname === "/next") return answerJson(response, 200, {});
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
    };
    const transport = open(server.connection(), { connections: 1 });
    let outcome: unknown;
    transport.send(request("/")).then(
      ({ status }) => (outcome = status),
      (error: unknown) => (outcome = error),
    );
    await expect.poll(() => outcome).toMatchObject({ failure: "closed", code: "E_KUBE_UNREACHABLE" });
    expect((await exchange(transport, "/next")).status).toBe(200);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it("fails the reading of a body that is cut off", async () => {
    server.script = (_, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("{", () => response.socket?.destroy());
    };
    const answer = await open(server.connection()).send(request("/"));
    await expect(readAll(answer.body)).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
  });

  it("fails as idle when the head, or the next piece of the body, does not come in time", async () => {
    const transport = open(server.connection());
    server.script = () => undefined;
    const sent = transport.send(request("/", { headTimeoutMs: 200 }));
    await expect(sent).rejects.toMatchObject({ failure: "idle", code: "E_KUBE_UNREACHABLE" });
    server.script = (_, response) => {
      response.writeHead(200);
      response.write("first");
    };
    const answer = await transport.send(request("/", { idleTimeoutMs: 200 }));
    await expect(readAll(answer.body)).rejects.toMatchObject({ failure: "idle" });
  });

  it("ends a request with the signal's reason, before and while it is answered, and closes the connection", async () => {
    const transport = open(server.connection());
    const reason = new Error("stop");
    const closed: Promise<unknown>[] = [];
    const early = new AbortController();
    server.script = (_, response) => {
      closed.push(once(response, "close"));
      early.abort(reason);
    };
    await expect(transport.send(request("/", { signal: early.signal }))).rejects.toBe(reason);
    const late = new AbortController();
    server.script = (_, response) => {
      closed.push(once(response, "close"));
      response.writeHead(200).write("first");
    };
    const answer = await transport.send(request("/", { signal: late.signal }));
    const reading = readAll(answer.body);
    late.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(await Promise.all(closed)).toHaveLength(2);
  });

  it("gives every watch a connection of its own and closes it with the watch", async () => {
    const aborting = new AbortController();
    server.script = (_, response) => response.writeHead(200).write("{}\n");
    const transport = open(server.connection());
    const { signal } = aborting;
    await Promise.all([1, 2, 3].map((id) => transport.send(request(`/${id}`, { pool: "watch", signal }))));
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(3);
    aborting.abort();
    await expect.poll(() => server.openSockets).toBe(0);
  });

  it("connects through the proxy, with the user and password of its address, and nothing of the request is seen there", async () => {
    const proxy = await startScriptedProxy();
    stops.push(proxy.stop);
    const proxyUrl = proxy.url.replace("http://", "http://user:p%40ss@");
    const transport = open(server.connection({ proxyUrl }), { connections: 1 });
    await exchange(transport, "/a");
    await exchange(transport, "/b");
    const credentials = Buffer.from("user:p@ss").toString("base64");
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${server.port} Basic ${credentials}`]);
    expect(server.lines).toEqual(["GET /a", "GET /b"]);
  });

  it("takes every answer of success for the proxy's consent", async () => {
    const proxy = await startScriptedProxy({ acceptWith: 201 });
    stops.push(proxy.stop);
    await exchange(open(server.connection({ proxyUrl: proxy.url })), "/a");
    expect(server.lines).toEqual(["GET /a"]);
  });

  it("reports that the proxy refused, without its password", async () => {
    const proxy = await startScriptedProxy({ refuseWith: 407 });
    stops.push(proxy.stop);
    const proxyUrl = proxy.url.replace("http://", "http://user:hidden@");
    const error: unknown = await open(server.connection({ proxyUrl }))
      .send(request("/"))
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "E_KUBE_UNREACHABLE", data: { proxyStatus: 407 } });
    expect(JSON.stringify(error)).not.toContain("hidden");
  });

  it("fails everything that is under way, and everything later, when it is closed", async () => {
    server.script = () => undefined;
    const transport = open(server.connection());
    const sent = transport.send(request("/"));
    const rejected = expect(sent).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
    await server.whenReceived(1);
    await transport.close();
    await rejected;
    for (const pool of ["work", "lease", "watch"] as const) {
      await expect(transport.send(request("/", { pool }))).rejects.toMatchObject({
        failure: "unreachable",
        message: `${server.url}: the connection was closed by us`,
      });
    }
    await expect.poll(() => server.openSockets).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it("names the file that is no PEM when credentials are malformed", async () => {
    const transport = open(server.connection({ certPem: "nonsense", keyPem: "nonsense" }));
    await expect(transport.send(request("/"))).rejects.toMatchObject({ code: "E_KUBECONFIG" });
  });
});

describe("the connections of an agent", () => {
  it("outlast the wait for the next heartbeat, and end before kube-apiserver closes them", () => {
    expect(idleConnectionMs).toBeGreaterThan(defaultHeartbeatSeconds * 1.1 * 1000);
    expect(idleConnectionMs).toBeLessThan(90_000);
  });

  it("send the next request after one that could not be sent", async () => {
    const server = await startScriptedServer((_, response) => answerJson(response, 200, {}));
    const transport = createHttpsTransport(server.connection(), { connections: 1 });
    const malformed = request("/", { headers: { "x-test": "a\nb" } });
    await expect(transport.send(malformed)).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
    expect((await transport.send(request("/next"))).status).toBe(200);
    await transport.close();
    await server.stop();
  });
});
