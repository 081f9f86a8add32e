import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { TLSSocket } from "node:tls";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { HttpServer } from "../../../src/embedded-hub/http/http-server.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";
import { startListener } from "./listener.ts";

let hub: TestHub;
let server: HttpServer;
beforeAll(async () => {
  hub = await startTestHub();
  server = await startListener(hub.tls, { unresponsiveMs: 300 });
});
afterAll(async () => {
  await server.close();
  await hub.stop();
});

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const settingsFrame = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
/** Of stream 1, with more padding than it is long. */
const brokenFrame = Buffer.from([0, 0, 1, 0, 8, 0, 0, 0, 1, 200]);
/** Longer than each bound of it. */
const longSettings = Buffer.concat([Buffer.from([0, 0x3f, 0xfc, 4, 0, 0, 0, 0, 0]), Buffer.alloc(0x3ffc, 3)]);

/** What speaks HTTP/2 until it has sent these frames, and reads what comes. */
async function open(...frames: readonly Buffer[]): Promise<TLSSocket> {
  const socket = connectTls({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined); // the server may reset it
  await once(socket, "secureConnect");
  socket.write(Buffer.concat([preface, settingsFrame, ...frames]));
  socket.resume();
  return socket;
}

describe("a connection of HTTP/2", () => {
  it("A150 ends after a broken frame, settings that are too long, or nothing at all, though its client stays", async () => {
    const sockets = await Promise.all([open(brokenFrame), open(longSettings), open()]);
    await expect.poll(() => sockets.map(({ closed }) => closed)).toEqual([true, true, true]);
  });

  it("stays while its client does nothing but answer", async () => {
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
    onTestFinished(() => session.destroy());
    let pings = 0;
    await new Promise<void>((resolve) => session.on("ping", () => ((pings += 1) === 3 ? resolve() : undefined)));
    const stream = session.request({ ":path": "/" });
    const [headers] = (await once(stream, "response")) as [{ ":status": number }];
    expect(headers[":status"]).toBe(200);
  });

  it("A183 of strangers ends where all of these have thousands of streams open, and the hub holds no more of them", async () => {
    const listener = await startListener(hub.tls, {}, () => undefined);
    onTestFinished(() => listener.close());
    const openSession = async (streams: number) => {
      const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { rejectUnauthorized: false });
      onTestFinished(() => session.destroy());
      session.on("error", () => undefined); // the server ends some
      await once(session, "remoteSettings");
      for (let count = 0; count < streams; count += 1) session.request({ ":path": "/" }).on("error", () => undefined);
      // The answer comes when the server has read what came before.
      await new Promise<void>((resolve) => session.ping(() => resolve()));
      return session;
    };
    const modest = await openSession(10);
    const sessions: Awaited<ReturnType<typeof openSession>>[] = [];
    for (let count = 0; count < 8; count += 1) sessions.push(await openSession(900));
    await expect.poll(() => sessions.filter(({ closed, destroyed }) => !closed && !destroyed).length).toBe(4);
    expect([modest.destroyed, sessions.slice(4).map(({ destroyed }) => destroyed)]).toEqual([
      false,
      [false, false, false, false],
    ]);
  });
});
