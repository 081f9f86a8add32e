import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { boundPipelines } from "../../../src/core/bound-pipelines.ts";

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
    const closed = new Promise((resolve) => client.once("close", resolve));
    client.write(request.repeat(2_000));
    await closed;
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
