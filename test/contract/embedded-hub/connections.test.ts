import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { arrivalLimits } from "../../../src/core/arrivals.ts";
import { countOfRun } from "../../support/full-counts.ts";
import { heldBytes } from "../../support/held-bytes.ts";
import { until } from "../../support/until.ts";
import type { TestHub } from "./hub-client.ts";
import { eventsOf, startTestHub, take } from "./hub-client.ts";
import { startListener } from "./listener.ts";

let server: TestHub;

beforeAll(async () => {
  server = await startTestHub();
});
afterAll(() => server.stop());

async function openTls(options: object = {}): Promise<TLSSocket> {
  const { hub, tls } = server;
  const socket = connectTls({ host: "127.0.0.1", port: hub.port, servername: "localhost", ...tls, ...options });
  socket.on("error", () => socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

async function answers(): Promise<number> {
  return (await server.call({ path: "/readyz" })).statusCode;
}

describe("connections", () => {
  it("are HTTP/2 for who can and HTTP/1.1 for the others", async () => {
    expect((await openTls({ ALPNProtocols: ["h2", "http/1.1"] })).alpnProtocol).toBe("h2");
    expect((await openTls({ ALPNProtocols: ["http/1.1"] })).alpnProtocol).toBe("http/1.1");
    const { hub, tls } = server;
    const session = connectHttp2(hub.url, tls);
    const stream = session.request({ ":path": "/version" });
    const [headers] = (await once(stream, "response")) as [{ ":status": number }];
    expect(headers[":status"]).toBe(200);
    session.destroy();
  });

  it.each(["", "Expect: more\r\n"])(
    "A135 of HTTP/1.1 that ask three hundred times at once end, and answer 16 times at most (%j)",
    async (header) => {
      const socket = await openTls({ ALPNProtocols: ["http/1.1"], cert: undefined, key: undefined });
      const head = `GET /livez HTTP/1.1\r\nHost: localhost\r\n${header}`;
      socket.write(`${`${head}\r\n`.repeat(299)}${head}Connection: close\r\n\r\n`);
      const text = await textOf(socket).catch(() => "");
      expect(text.split(/HTTP\/1\.1 (?:200|417) /u).length - 1).toBeLessThanOrEqual(16);
      expect(await answers()).toBe(200);
    },
  );

  it("that speak no TLS, an old one, or nonsense end; the others continue", async () => {
    const { hub } = server;
    const plain = connectTcp(hub.port, "127.0.0.1");
    plain.on("error", () => plain.destroy());
    plain.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(plain, "close");
    const old = connectTls({
      host: "127.0.0.1",
      port: hub.port,
      rejectUnauthorized: false,
      maxVersion: "TLSv1.1",
      minVersion: "TLSv1",
      ciphers: "ALL:@SECLEVEL=0",
    });
    await expect(once(old, "secureConnect")).rejects.toThrow();
    const nonsense = await openTls({ ALPNProtocols: ["http/1.1"] });
    nonsense.end("nonsense\r\n\r\n");
    expect(await textOf(nonsense)).toMatch(/^HTTP\/1\.1 400 /u);
    expect(await answers()).toBe(200);
  });

  it("with a certificate of another CA are refused as unauthorized", async () => {
    const other = await startTestHub();
    try {
      const { ca: _, ...stranger } = other.tls;
      const socket = await openTls({ ...stranger, ALPNProtocols: ["http/1.1"] });
      socket.end("GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 401 /u);
    } finally {
      await other.stop();
    }
  });

  it("without a certificate are anonymous", async () => {
    const socket = await openTls({ cert: undefined, key: undefined, ALPNProtocols: ["http/1.1"] });
    socket.end("GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const text = await textOf(socket);
    expect(text).toMatch(/^HTTP\/1\.1 403 /u);
    expect(text).toContain('namespaces is forbidden: User \\"system:anonymous\\" cannot list resource');
  });

  it("may be idle by the thousand", async () => {
    const length = countOfRun({ full: 1000, short: 200 });
    const idle = await Promise.all(Array.from({ length }, () => openTls({ ALPNProtocols: ["http/1.1"] })));
    expect(await answers()).toBe(200);
    for (const socket of idle) socket.destroy();
  });
});

describe("a client", () => {
  it("that breaks off within a body leaves nothing behind", async () => {
    for (let round = 0; round < 50; round += 1) {
      const socket = await openTls({ ALPNProtocols: ["http/1.1"] });
      socket.write(
        "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
      );
      socket.destroy();
    }
    const list = await server.call({
      path: "/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name!=kube-root-ca.crt",
    });
    expect(list.json).toMatchObject({ items: [] });
  });

  it("that never ends the streams of refused bodies over HTTP/2 has its answers, and the hub holds nothing of them", async () => {
    const { hub, tls } = server;
    const session = connectHttp2(hub.url, tls);
    const body = Buffer.alloc(4 * 1024 * 1024, "[");
    const before = heldBytes();
    for (let round = 0; round < 8; round += 1) {
      const stream = session.request({
        ":method": "POST",
        ":path": "/api/v1/namespaces/default/configmaps",
        "content-type": "application/json",
      });
      stream.resume();
      const answered = once(stream, "response");
      // The client does not end the stream.
      stream.write(body);
      const [headers] = (await answered) as [{ ":status": number }];
      expect(headers[":status"]).toBe(413);
      await once(stream, "end");
    }
    expect(session.destroyed).toBe(false);
    await until(
      () => Promise.resolve(heldBytes() - before),
      (bytes) => bytes < 10 * 1024 * 1024,
    );
    session.destroy();
    expect(await answers()).toBe(200);
  });

  it("that stops reading its watch is cut off; others get their events", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const create = (name: string) =>
      server.call({ method: "POST", path, body: { metadata: { name }, data: { x: "x".repeat(1_000_000) } } });
    const slow = await openTls({ ALPNProtocols: ["http/1.1"] });
    slow.write(`GET ${path}?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await once(slow, "readable");
    slow.pause();
    const quick = await server.open({ path: `${path}?watch=true&fieldSelector=metadata.name!=kube-root-ca.crt` });
    const seen = take(eventsOf(quick), 40);
    for (let index = 0; index < 40; index += 1) await create(`large-${index}`);
    expect(await seen).toHaveLength(40);
    slow.resume();
    await once(slow, "close");
    quick.destroy();
  });

  it("that reset streams by the thousand end with GOAWAY; those that read to the end, and the others, continue", async () => {
    const { hub, tls } = server;
    const session = connectHttp2(hub.url, tls);
    session.on("error", () => undefined); // What counts is its code.
    const goaway: number[] = [];
    session.on("goaway", (code: number) => goaway.push(code));
    const ask = async (target: string, isReset: boolean): Promise<void> => {
      const stream = session.request({ ":path": target });
      stream.on("error", () => undefined);
      stream.once("response", () => (isReset ? stream.close() : stream.resume()));
      await new Promise((resolve) => stream.once("close", resolve));
    };
    for (let count = 0; count < 1_100; count += 1) await ask("/version", false);
    expect(goaway).toEqual([]);
    let resets = 0;
    while (resets < 10_000 && !session.closed && !session.destroyed) {
      await ask("/api/v1/configmaps?watch=1&fieldSelector=metadata.name%3Dnone", true);
      resets += 1;
    }
    expect(goaway).toEqual([constants.NGHTTP2_INTERNAL_ERROR]);
    expect(resets).toBeGreaterThanOrEqual(1_000);
    expect(await answers()).toBe(200);
  });

  it("A151 that asks a thousand times at once has a few begun in one turn", async () => {
    let inTurn = 0;
    let most = 0;
    const listener = await startListener(server.tls, {}, (_, response) => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      inTurn += 1;
      most = Math.max(most, inTurn);
      response.end();
    });
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { rejectUnauthorized: false });
    onTestFinished(async () => {
      session.destroy();
      await listener.close();
    });
    await once(session, "remoteSettings");
    const asked = Array.from({ length: 1_000 }, async () => {
      const stream = session.request({ ":path": "/" });
      stream.resume();
      await new Promise((resolve) => stream.once("close", resolve));
    });
    await Promise.all(asked);
    expect(most).toBeGreaterThan(0);
    // Two turns of the one may come between two of the other.
    expect(most).toBeLessThanOrEqual(2 * arrivalLimits.perTurn);
  });

  it("that asks by CONNECT is refused with 405, and one with another expectation with 417", async () => {
    const session = connectHttp2(server.hub.url, server.tls);
    onTestFinished(() => session.destroy());
    for (const [code, headers] of [
      [405, { ":method": "CONNECT", ":authority": "a" }],
      [417, { ":path": "/livez", expect: "more" }],
    ] as const) {
      const stream = session.request(headers).resume();
      const [answer] = (await once(stream, "response")) as [{ ":status": number }];
      expect(answer[":status"]).toBe(code);
    }
  });

  it("that closes its half of a watch ends it", async () => {
    const socket = await openTls({ ALPNProtocols: ["http/1.1"] });
    socket.write("GET /api/v1/namespaces?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "readable");
    socket.resume();
    socket.end();
    await once(socket, "close");
    expect(await until(answers, (code) => code === 200)).toBe(200);
  });
});
