import { describe, expect, it } from "vitest";
import { encodeFrame, readFrames } from "../../../../src/embedded-hub/http/web-socket-frames.ts";

/** A client's frame, masked. */
function frame(opcode: number, payload: Buffer, mask = Buffer.from([1, 2, 3, 4])): Buffer {
  const { length } = payload;
  const head = [0x80 | opcode];
  if (length <= 125) head.push(0x80 | length);
  else if (length <= 0xffff) head.push(0x80 | 126, length >> 8, length & 0xff);
  else head.push(0x80 | 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 0xff, length & 0xff);
  const masked = Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return Buffer.concat([Buffer.from(head), mask, masked]);
}

/** What is received of bytes that arrive in chunks of a size; "malformed" ends it. */
function receivedOf(bytes: Buffer, chunkBytes: number): string[] {
  const received: string[] = [];
  const { take } = readFrames({
    onPing: (payload) => void received.push(`ping ${payload.toString()}`),
    onClose: (payload) => void received.push(`close ${payload.toString()}`),
  });
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    if (take(bytes.subarray(at, at + chunkBytes))) continue;
    received.push("malformed");
    break;
  }
  return received;
}

const text = (length: number): Buffer => Buffer.alloc(length, "x");
const ping = frame(9, Buffer.from("hello you"));
const close = frame(8, Buffer.from("bye"));

describe("frames of a client", () => {
  it.each<readonly [string, readonly Buffer[], readonly string[]]>([
    ["a ping and a close", [ping, close], ["ping hello you", "close bye"]],
    ["an empty ping", [frame(9, Buffer.alloc(0)), ping], ["ping ", "ping hello you"]],
    ["the longest ping", [frame(9, text(125)), close], [`ping ${"x".repeat(125)}`, "close bye"]],
    ["a ping that is longer", [frame(9, text(126)), close], ["malformed"]],
    ["pongs and other control frames", [frame(10, text(3)), frame(11, text(3)), close], ["close bye"]],
    ["short texts", [frame(1, text(0)), frame(2, text(125)), frame(0, text(9)), close], ["close bye"]],
    ["longer texts", [frame(1, text(126)), frame(7, text(0xffff)), close], ["close bye"]],
    ["the longest texts", [frame(2, text(0x1_0000)), frame(1, text(70_000)), close], ["close bye"]],
    ["a frame without a mask", [ping, Buffer.from([0x81, 0x01, 0x61]), close], ["ping hello you", "malformed"]],
    ["half a frame", [ping, ping.subarray(0, 10)], ["ping hello you"]],
  ])("are read whole and in any pieces: %s", (_what, frames, received) => {
    const bytes = Buffer.concat(frames);
    for (const chunkBytes of [bytes.length, 1, 2, 3, 7, 1000]) expect(receivedOf(bytes, chunkBytes)).toEqual(received);
  });
});

describe("a frame of the server", () => {
  it.each([
    { kind: "text", length: 0, head: [0x81, 0] },
    { kind: "binary", length: 125, head: [0x82, 125] },
    { kind: "text", length: 126, head: [0x81, 126, 0, 126] },
    { kind: "pong", length: 0xffff, head: [0x8a, 126, 0xff, 0xff] },
    { kind: "close", length: 0x1_0000, head: [0x88, 127, 0, 0, 0, 0, 0, 1, 0, 0] },
  ] as const)("has its length in few bytes: $length", ({ kind, length, head }) => {
    expect(encodeFrame(kind, text(length))).toEqual(Buffer.concat([Buffer.from(head), text(length)]));
  });
});
