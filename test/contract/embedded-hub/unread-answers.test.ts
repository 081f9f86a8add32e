import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:http2";
import { createInterface } from "node:readline/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
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

/**
 * A program with a token that asks for a description of 500 KB, 130 times on each of two connections, and leaves the answers no
 * room. It prints a line when a hundred have begun; when it receives one, how many have begun by then, and takes them; and when
 * all are over, how many of them had 500 KB.
 */
const account = `
import { connect } from "node:http2";

const [url, token] = process.argv.slice(1);
const print = (text) => process.stdout.write(text + "\\n");
const sessions = [];
let open = 260;
let begun = 0;
let whole = 0;
for (let index = 0; index < 2; index += 1) {
  const session = connect(url, { rejectUnauthorized: false, settings: { initialWindowSize: 0 } });
  sessions.push(session);
  session.once("remoteSettings", () => {
    for (let count = 0; count < 130; count += 1) {
      const stream = session.request({ ":path": "/openapi/v2", authorization: "Bearer " + token });
      let sizeBytes = 0;
      stream.on("error", () => undefined);
      stream.on("response", () => {
        begun += 1;
        if (begun === 100) print("held");
      });
      stream.on("data", (chunk) => (sizeBytes += chunk.length));
      stream.on("close", () => {
        open -= 1;
        if (sizeBytes > 400_000) whole += 1;
        if (open === 0) print(whole + " whole");
      });
      stream.resume();
    }
  });
}
process.stdin.once("data", () => {
  print(begun + " begun");
  for (const session of sessions) session.settings({ initialWindowSize: 65_535 });
});
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

describe("an answer that an account does not take", () => {
  let server: TestHub;
  let token: string;
  beforeAll(async () => {
    server = await startTestHub();
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await server.call({ method: "POST", path: accounts, body: { metadata: { name: "poor" } } });
    const asked = await server.call({ method: "POST", path: `${accounts}/poor/token`, body: { spec: {} } });
    token = textAt(asked.json, "status", "token") ?? "";
    // The description is made once for all.
    const answer = await server.call({ path: "/openapi/v2", headers: { authorization: `Bearer ${token}` } });
    expect([answer.statusCode, answer.bytes.length > 400_000]).toEqual([200, true]);
  });
  afterAll(() => server.stop());

  it("A134 holds 64 MiB, though one without rights leaves many of half a megabyte, and is whole when it is taken late", async () => {
    const before = heldBytes();
    const child = spawn(process.execPath, ["--input-type=module", "--eval", account, server.hub.url, token]);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => (await lines.next()).value;
    try {
      expect(await next()).toBe("held");
      // In each turn of the hub 16 further ones would begin.
      for (let turn = 0; turn < 50; turn += 1) expect((await server.call({ path: "/livez" })).statusCode).toBe(200);
      expect((heldBytes() - before) / 1024 ** 2).toBeLessThan(110);
      child.stdin.write("go on\n");
      expect(Number.parseInt(String(await next()))).toBeLessThan(180);
      expect(await next()).toBe("260 whole");
    } finally {
      child.stdin.end();
      await once(child, "close");
    }
  });
});
