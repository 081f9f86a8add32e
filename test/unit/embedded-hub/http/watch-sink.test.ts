import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../../src/embedded-hub/http/exchange.ts";
import { openWatchSink } from "../../../../src/embedded-hub/http/watch-sink.ts";

const webSocket = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  origin: "https://page",
  "sec-websocket-key": "a2V5",
};

function openOn(headers: Record<string, string>, contentType: string) {
  const written: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (piece: Buffer, _, done) => {
      written.push(piece);
      done();
    },
  });
  const request = Object.assign(new IncomingMessage(socket as Socket), {
    headers,
    httpVersionMajor: 1,
    httpVersionMinor: 1,
  });
  const response = new ServerResponse(request);
  response.assignSocket(request.socket);
  const seen: unknown[] = [];
  const audit = { started: (code: number) => seen.push(code) };
  const exchange = { request, response, warnings: ["old kind"], audit };
  const sink = openWatchSink(exchange as unknown as Exchange, contentType, () => seen.push("closed"));
  return { sink, socket, seen, text: () => Buffer.concat(written).toString("latin1") };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the answer to a watch", () => {
  it("begins at once, with its type and its warnings, and is recorded as begun", async () => {
    const { sink, seen, text } = openOn({}, "application/vnd.example");
    expect([text().split("\r\n")[0], seen]).toEqual(["HTTP/1.1 200 OK", [200]]);
    expect(text()).toContain("content-type: application/vnd.example\r\n");
    expect(text()).toContain('warning: 299 - "old kind"\r\n');
    const taken = await new Promise((resolve) => sink.write(Buffer.from("frame"), () => resolve("taken")));
    expect([taken, text().includes("frame")]).toEqual(["taken", true]);
    sink.end();
    await settled();
    expect(text().endsWith("0\r\n\r\n")).toBe(true);
  });

  it("is a WebSocket where a client asks for one: texts of JSON, and bytes of all else", async () => {
    const json = openOn(webSocket, "application/json;stream=watch");
    const binary = openOn(webSocket, "application/vnd.kubernetes.protobuf");
    expect([json.seen, binary.seen]).toEqual([[101], [101]]);
    const frameOf = async ({ sink, text }: typeof json): Promise<string> => {
      await new Promise<void>((resolve) => sink.write(Buffer.from("frame"), resolve));
      return text().split("\r\n\r\n").at(-1) ?? "";
    };
    expect(await frameOf(json)).toBe("\x81\x05frame");
    expect(await frameOf(binary)).toBe("\x82\x05frame");
    json.sink.end();
    await settled();
    expect(json.text().split("frame").at(-1)?.charCodeAt(0)).toBe(0x88);
    binary.sink.destroy();
    await settled();
    expect(binary.socket.destroyed).toBe(true);
  });

  it("is not written to any more when its client is disconnected", async () => {
    const { sink, socket, seen, text } = openOn({}, "application/json");
    sink.destroy();
    await settled();
    expect([socket.destroyed, seen]).toEqual([true, [200, "closed"]]);
    const before = text();
    sink.write(Buffer.from("late"), () => seen.push("taken"));
    sink.end();
    await settled();
    expect([text(), seen.length]).toEqual([before, 2]);
  });

  it("has its head sent over HTTP/2, too", () => {
    const heads: number[] = [];
    const stream = { destroyed: false, setHeader: () => undefined, writeHead: (code: number) => heads.push(code) };
    const response = Object.assign(new EventEmitter(), stream);
    const exchange = { request: { headers: {} }, response, warnings: [] };
    openWatchSink(exchange as unknown as Exchange, "application/json", () => undefined);
    expect(heads).toEqual([200]);
  });
});
