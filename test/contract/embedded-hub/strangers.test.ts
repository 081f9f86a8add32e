import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import { heldBytes } from "../../support/held-bytes.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";
import { startListener } from "./listener.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
let server: TestHub;
beforeAll(async () => {
  server = await startTestHub();
});
afterAll(() => server.stop());

async function openAnonymous(): Promise<ClientHttp2Session> {
  const session = connectHttp2(server.hub.url, { ca: server.tls.ca, maxSessionMemory: 1_000 });
  session.on("error", () => undefined); // the hub may end it
  await once(session, "connect");
  return session;
}

describe("a client without a credential", () => {
  it("A60 leaves no byte of a body behind: 900 of 1 MiB each are refused unread", async () => {
    const sessions = await Promise.all([openAnonymous(), openAnonymous(), openAnonymous()]);
    const part = Buffer.alloc(1024 * 1024, " ");
    const beforeBytes = heldBytes();
    const codes = await Promise.all(
      sessions.flatMap((session) =>
        Array.from({ length: 300 }, async () => {
          const stream = session.request({ ":path": configMaps, ":method": "POST" }, { endStream: false });
          const answered = once(stream, "response");
          stream.on("error", () => undefined); // the session is ended with it open
          stream.resume();
          stream.write(part);
          const [answer] = (await answered) as [Record<string, unknown>];
          return answer[":status"];
        }),
      ),
    );
    expect(new Set(codes)).toEqual(new Set([403]));
    // What is unread of 900 MiB.
    await expect.poll(() => (heldBytes() - beforeBytes) / 1024 ** 2).toBeLessThan(64);
    for (const session of sessions) session.destroy();
  });
});

describe("a connection on which nothing comes", () => {
  it("A60 ends in its handshake and in the head of a request", async () => {
    const small = await startListener(server.tls, { handshakeMs: 1_000, headMs: 500 });
    try {
      const silent = connectTcp(small.port, "127.0.0.1");
      silent.on("error", () => undefined);
      silent.resume();
      const slow = connectTls({ port: small.port, host: "127.0.0.1", rejectUnauthorized: false });
      slow.on("error", () => undefined);
      await once(slow, "secureConnect");
      slow.resume();
      slow.write("GET / HTTP/1.1\r\nHost: a\r\n");
      await expect.poll(() => [silent.destroyed, slow.destroyed]).toEqual([true, true]);
    } finally {
      await small.close();
    }
  });
});

describe("a client without a certificate that resumes a TLS session", () => {
  it("A60 stays a stranger, whose connections count", async () => {
    const small = await startListener(server.tls, { strangersOfAddress: 2 });
    const ask = async (session?: Buffer) => {
      const address = { port: small.port, host: "127.0.0.1", rejectUnauthorized: false };
      const socket = connectTls({ ...address, ...(session && { session }) });
      let ticket: Buffer | undefined;
      socket.on("session", (next) => (ticket = next));
      socket.on("error", () => undefined); // the listener may end it
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const isAnswered = await new Promise<boolean>((resolve) => {
        socket.once("data", () => resolve(true)).once("close", () => resolve(false));
      });
      return { ticket, isAnswered, isResumed: socket.isSessionReused() };
    };
    try {
      const { ticket } = await ask();
      expect(await ask(ticket)).toMatchObject({ isAnswered: true, isResumed: true });
      expect(await ask()).toMatchObject({ isAnswered: false });
    } finally {
      await small.close();
    }
  });
});

describe("a client whose certificate another authority signed", () => {
  it("is refused also when it resumes a TLS session", async () => {
    const authority = await makeCertificateAuthority("another");

    const { cert, key } = await authority.issue("CN=system:admin, O=system:masters", []);
    const { hostname, port } = new URL(server.hub.url);
    const ask = async (session?: Buffer) => {
      const credential = { host: hostname, port: Number(port), ca: server.tls.ca, cert, key };
      const socket = connectTls({ ...credential, ...(session && { session }) });
      let ticket: Buffer | undefined;
      let isResumed = false;
      socket.on("session", (next) => (ticket = next));
      socket.once("secureConnect", () => (isResumed = socket.isSessionReused()));
      socket.write("GET /api/v1/secrets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      let answer = "";
      for await (const chunk of socket) answer += String(chunk);
      return { ticket, status: answer.split("\r\n")[0], isResumed };
    };
    const first = await ask();
    expect(first).toMatchObject({ status: "HTTP/1.1 401 Unauthorized" });
    expect(await ask(first.ticket)).toMatchObject({ status: "HTTP/1.1 401 Unauthorized", isResumed: true });
  });
});
