import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { heldBytes } from "../../support/held-bytes.ts";
import { until } from "../../support/until.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

/**
 * A program without a credential that begins a thousand requests on one connection, each with a head as long as it may be. It
 * leaves the answers no room, or does not end its requests. It prints a line when each is answered or ended.
 */
const stranger = `
import { connect } from "node:http2";

const [url, isUnfinished] = process.argv.slice(1);
const settings = isUnfinished === "true" ? {} : { initialWindowSize: 0 };
const session = connect(url, { rejectUnauthorized: false, settings });
let open = 1000;
const settle = () => {
  open -= 1;
  if (open === 0) process.stdout.write("all\\n");
};
session.once("remoteSettings", () => {
  for (let index = 0; index < 1000; index += 1) {
    const method = isUnfinished === "true" ? "POST" : "GET";
    const stream = session.request({ ":path": "/api", ":method": method, "x-pad": "ab".repeat(30_000) }, { endStream: method === "GET" });
    let isSettled = false;
    const once = () => {
      if (!isSettled) settle();
      isSettled = true;
    };
    stream.on("error", once);
    stream.on("response", once);
    stream.resume();
  }
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
`;

describe("an answer that a client without a credential does not take", () => {
  let server: TestHub;
  beforeAll(async () => void (server = await startTestHub()));
  afterAll(() => server.stop());

  it.each([
    ["it leaves no room for", false],
    ["it does not end the requests of", true],
  ])("A111 holds no memory, though %s a thousand", async (_, isUnfinished) => {
    const before = heldBytes();
    const child = spawn(process.execPath, [
      "--input-type=module",
      "--eval",
      stranger,
      server.hub.url,
      String(isUnfinished),
    ]);
    try {
      await once(child.stdout, "data");
      const isLittle = (heldMiB: number): boolean => heldMiB < 16;
      await until(() => Promise.resolve((heldBytes() - before) / 1024 ** 2), isLittle);
      expect((await server.call({ path: "/livez" })).statusCode).toBe(200);
    } finally {
      child.stdin.end();
      await once(child, "close");
    }
  });

  it("is there when the client makes room for it in time", async () => {
    const session = connect(server.hub.url, { rejectUnauthorized: false, settings: { initialWindowSize: 0 } });
    const stream = session.request({ ":path": "/api" });
    await once(stream, "response");
    session.settings({ initialWindowSize: 65_535 });
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toContain("system:anonymous");
    session.close();
  });
});
