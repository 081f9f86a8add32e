import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { openWebSocket } from "../../../../src/embedded-hub/http/web-socket.ts";

const headers = { "sec-websocket-version": "13", "sec-websocket-key": "a2V5", origin: "https://page" };

/** A connection whose client takes what is written piece by piece, by `take`. */
function openSlowly() {
  const written: Buffer[] = [];
  const waiting: (() => void)[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (piece: Buffer, _, done) => {
      written.push(piece);
      waiting.push(done);
    },
  });
  const request = Object.assign(new IncomingMessage(socket as Socket), { headers });
  const response = new ServerResponse(request);
  response.assignSocket(request.socket);
  openWebSocket(request, response, () => undefined);
  return { socket, written, take: () => waiting.shift()?.() };
}

/** A masked ping whose mask changes nothing. */
function ping(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x89, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function pong(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x8a, payload.length]), payload]);
}

describe("a WebSocket", () => {
  it("answers each ping of a client that reads", async () => {
    const { socket, written, take } = openSlowly();
    for (const text of ["a", "b"]) {
      take();
      socket.push(ping(text));
      await expect.poll(() => written.at(-1)).toEqual(pong(text));
    }
    expect(written).toHaveLength(3);
  });

  it("A132 holds one answer for a client that sends 10,000 pings and reads nothing, and then answers the last", async () => {
    const { socket, written, take } = openSlowly();
    socket.push(Buffer.concat(Array.from({ length: 10_000 }, (_, index) => ping(String(index)))));
    await expect.poll(() => socket.readableLength).toBe(0);
    // Besides the answer to the handshake, which is not taken.
    expect(socket.writableLength - (written[0]?.length ?? 0)).toBe(pong("0").length);
    for (let count = 0; count < 3; count += 1) {
      take();
      await new Promise(setImmediate);
    }
    expect(written.slice(1)).toEqual([pong("0"), pong("9999")]);
  });
});
