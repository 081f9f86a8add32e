import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDispatcher } from "../../../src/http/dispatcher.ts";
import { exchange } from "../../../src/http/exchange.ts";
import type { ExchangeOptions } from "../../../src/http/exchange.ts";
import { longestWaitMs } from "../../support/until.ts";

/** A server that answers by writing to the socket, and a way to send to it. */
async function serve(answer: (socket: Socket, count: number, request: IncomingMessage) => void) {
  let count = 0;
  const server = createServer((request) => {
    count += 1;
    answer(request.socket, count, request);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const dispatcher = createDispatcher({ errorCode: "E_GIT_REMOTE", headMs: 60_000, idleMs: 60_000 });
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const send = async (options: Partial<ExchangeOptions> = {}): Promise<string> => {
    const sent = { dispatcher, method: "GET", headers: {}, isRepeatable: () => true } as const;
    try {
      return await (await exchange(url, { ...sent, ...options })).body.text();
    } catch (error) {
      return error instanceof Error ? error.message : "no error";
    }
  };
  return { send, count: () => count };
}

const done = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone";
const interim = "HTTP/1.1 102 Processing\r\n\r\n";

describe("exchange", () => {
  it.each([
    ["is sent once more where the connection ended", 1, () => true, "done", 2],
    ["is sent once more and not again", 2, () => true, /closed|reset|socket/iu, 2],
    ["that has an effect is sent once", 1, () => false, /closed|reset|socket/iu, 1],
  ])("a request %s", async (...[, failures, isRepeatable, answer, count]) => {
    const server = await serve((socket, at) => (at <= failures ? socket.destroy() : socket.write(done)));
    expect(await server.send({ isRepeatable })).toMatch(answer);
    expect(server.count()).toBe(count);
  });

  it("a request is not sent once more where the answer is no HTTP", async () => {
    const server = await serve((socket) => socket.write("no answer\r\n\r\n"));
    expect(await server.send()).toMatch(/parse|expected/iu);
    expect(server.count()).toBe(1);
  });

  it("a request that is stopped while its connection is being opened ends with the reason", async () => {
    const stop = new AbortController();
    const mute = createTcpServer((socket) => {
      onTestFinished(() => void socket.destroy());
      stop.abort(new Error("enough"));
    });
    await once(mute.listen(0, "127.0.0.1"), "listening");
    const limits = { headMs: 60_000, idleMs: 60_000, connectMs: 100 * longestWaitMs };
    const dispatcher = createDispatcher({ errorCode: "E_GIT_REMOTE", ...limits });
    const url = new URL(`https://127.0.0.1:${(mute.address() as AddressInfo).port}/`);
    const sent = { dispatcher, method: "GET", headers: {}, isRepeatable: () => true, signal: stop.signal } as const;
    let failure: unknown;
    void exchange(url, sent).catch((error: unknown) => (failure = error));
    await expect.poll(() => failure).toEqual(new Error("enough"));
    await dispatcher.destroy();
    mute.close();
  });

  it("a request that is stopped ends with the reason, and is not sent once more", async () => {
    const stop = new AbortController();
    const server = await serve((socket) => {
      stop.abort(new Error("enough"));
      socket.destroy();
    });
    expect(await server.send({ signal: stop.signal })).toBe("enough");
    expect(server.count()).toBe(1);
  });

  it.each([
    [16, "done"],
    [17, "more than 16 interim answers (1xx) came"],
  ])("%i interim answers to one request", async (count, answer) => {
    const server = await serve((socket) => socket.write(interim.repeat(count) + done));
    expect(await server.send()).toBe(answer);
    // They are counted anew for each request.
    expect(await server.send()).toBe(answer);
  });
});
