import { once } from "node:events";
import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { boundConnections, boundPipelines } from "../../../src/core/bound-connections.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

describe("boundConnections", () => {
  it("A54 ends the oldest connection that sends no request, and answers the newest", async () => {
    const server = createServer((_, response) => response.end("ok"));
    servers.push(server);
    boundConnections(server, 3);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const idle = [];
    for (let index = 0; index < 3; index += 1) {
      const socket = connect(port, "127.0.0.1");
      await Promise.all([once(socket, "connect"), once(server, "connection")]);
      idle.push(socket);
    }
    const [oldest, ...others] = idle;
    const ended = new Promise((resolve) => oldest?.once("close", resolve));
    oldest?.resume();
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.text()).toBe("ok");
    await ended;
    expect(others.map((socket) => socket.destroyed)).toEqual([false, false]);
    for (const socket of others) socket.destroy();
  });

  it("A54 ends requests that stand still, not an older one whose body is arriving", async () => {
    let receivedBytes = 0;
    const server = createServer((request, response) => {
      request.on("data", (bytes: Buffer) => {
        receivedBytes += bytes.length;
        bound.progress(request.socket);
      });
      request.once("end", () => response.end("whole"));
    });
    servers.push(server);
    const bound = boundConnections(server, 3);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const beginPost = async (): Promise<Socket> => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined); // the server may end it
      await Promise.all([once(socket, "connect"), once(server, "connection")]);
      const seenBytes = receivedBytes;
      socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nx");
      await expect.poll(() => receivedBytes).toBe(seenBytes + 1);
      return socket;
    };
    const arriving = await beginPost();
    let answer = "";
    arriving.on("data", (bytes: Buffer) => (answer += bytes.toString()));
    const still: Socket[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 2; index += 1) still.push(await beginPost());
      const seenBytes = receivedBytes;
      arriving.write("x");
      await expect.poll(() => receivedBytes).toBe(seenBytes + 1);
    }
    await expect.poll(() => answer).toContain("whole");
    for (const socket of [...still, arriving]) socket.destroy();
  });
});

it("A136 ends no connection whose answers are being made, and the newest where all are", () => {
  let connect: Parameters<Parameters<typeof boundConnections>[0]["on"]>[1] = () => undefined;
  const bound = boundConnections({ on: (_event, listener) => void (connect = listener) }, 2);
  const ended: string[] = [];
  const open = (name: string) => {
    const connection = {
      close: (): void => undefined,
      once: (_event: string, listener: () => void) => void (connection.close = listener),
      destroy: () => void ended.push(name),
    };
    connect(connection);
    return connection;
  };
  const a = open("a");
  open("b");
  const [end, endToo] = [bound.answering(a), bound.answering(a)];
  const c = open("c");
  bound.answering(c);
  open("d");
  end();
  end();
  open("e");
  expect(ended).toEqual(["b", "d", "e"]);
  endToo();
  open("f");
  expect(ended.slice(3)).toEqual(["a"]);
  c.close();
  bound.progress(c);
  open("g");
  expect(ended.slice(4)).toEqual([]);
  open("h");
  expect(ended.slice(4)).toEqual(["f"]);
});

const request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/** A server whose answers wait in `waiting`, and a connection to it. */
async function openPair() {
  const waiting: ServerResponse[] = [];
  const isToAnswer = boundPipelines();
  const server = createServer((message, response) => {
    if (isToAnswer(message, response)) waiting.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const seen = { text: "" };
  client.on("data", (bytes: Buffer) => (seen.text += bytes.toString()));
  client.on("error", () => undefined); // the server ends it
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { waiting, client, seen };
}

describe("boundPipelines", () => {
  it("A135 makes 16 answers of 2,000 requests in one packet, and ends the connection", async () => {
    const { waiting, client } = await openPair();
    client.write(request.repeat(2_000));
    await expect.poll(() => client.destroyed || waiting.length > 16).toBe(true);
    expect(waiting).toHaveLength(16);
  });

  it("answers all requests of a connection that has 16 under way at most", async () => {
    const { waiting, client, seen } = await openPair();
    for (let round = 1; round <= 3; round += 1) {
      client.write(request.repeat(16));
      await expect.poll(() => waiting.length).toBe(16);
      for (const response of waiting.splice(0)) response.end("answer\n");
      await expect.poll(() => seen.text.split("answer\n").length - 1).toBe(16 * round);
    }
    expect(client.destroyed).toBe(false);
  });
});
