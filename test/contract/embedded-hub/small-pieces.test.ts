import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import { connect } from "node:http2";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const path = "/api/v1/namespaces/default/configmaps";
const body = JSON.stringify({ metadata: { name: "step-by-step" } });

describe("a body that comes byte by byte", () => {
  let server: TestHub;
  beforeAll(async () => void (server = await startTestHub()));
  afterAll(() => server.stop());

  async function openSession(): Promise<ClientHttp2Session> {
    const session = connect(server.hub.url, server.tls);
    session.on("error", () => undefined); // the hub ends it
    await once(session, "connect");
    return session;
  }

  /** Sends each byte as a frame of its own; the status of the answer, or "ended" when the hub ends the session. */
  async function sendBytes(session: ClientHttp2Session, head: Readonly<Record<string, string>>, text: string) {
    const stream = session.request({ ...head, "content-type": "application/json" }, { endStream: false });
    stream.on("error", () => undefined);
    const answered = once(stream, "response").then(([headers]) => (headers as Record<string, unknown>)[":status"]);
    const ended = once(session, "close").then(() => "ended");
    for (const byte of text) {
      if (stream.destroyed) break;
      await new Promise<void>((sent) => stream.write(byte, () => sent()));
    }
    stream.end();
    return Promise.race([answered, ended]);
  }

  it("is read where it is short", async () => {
    const session = await openSession();
    expect(await sendBytes(session, { ":method": "POST", ":path": path }, body)).toBe(201);
    session.close();
  });

  it("A172 ends its session of HTTP/2 beyond a thousand bytes", async () => {
    const session = await openSession();
    const text = `${" ".repeat(5_000)}${body}`;
    expect(await sendBytes(session, { ":method": "POST", ":path": path }, text)).toBe("ended");
    expect((await server.call({ path: "/livez" })).statusCode).toBe(200);
  });

  it("A172 ends its session of HTTP/2 beyond a thousand bytes that no verb reads", async () => {
    const session = await openSession();
    const head = { ":method": "GET", ":path": `${path}?watch=true` };
    void sendBytes(session, head, " ".repeat(5_000)).catch(() => undefined);
    await expect.poll(() => session.destroyed).toBe(true);
  });

  it("A172 ends its connection of HTTP/1 beyond a thousand bytes", async () => {
    const { hostname, port } = new URL(server.hub.url);
    const socket = connectTls({ host: hostname, port: Number(port), ...server.tls, ALPNProtocols: ["http/1.1"] });
    socket.on("error", () => undefined); // the hub ends it
    await once(socket, "secureConnect");
    const head = "host: hub\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    socket.write(`POST ${path} HTTP/1.1\r\n${head}${"1\r\n \r\n".repeat(5_000)}`);
    await expect.poll(() => socket.resume().closed).toBe(true);
  });
});
