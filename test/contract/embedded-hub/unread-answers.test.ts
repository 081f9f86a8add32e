import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:http2";
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
 * A program with a token that asks for a description of 500 KB, 250 times on each of two connections, and leaves the answers no
 * room. It prints a line when each is answered or ended.
 */
const account = `
import { connect } from "node:http2";

const [url, token] = process.argv.slice(1);
let open = 500;
for (let index = 0; index < 2; index += 1) {
  const session = connect(url, { rejectUnauthorized: false, settings: { initialWindowSize: 0 } });
  session.once("remoteSettings", () => {
    for (let count = 0; count < 250; count += 1) {
      const stream = session.request({ ":path": "/openapi/v2", authorization: "Bearer " + token });
      let isSettled = false;
      const settle = () => {
        if (!isSettled) open -= 1;
        isSettled = true;
        if (open === 0) process.stdout.write("all\\n");
      };
      stream.on("error", settle);
      stream.on("response", settle);
      stream.resume();
    }
  });
}
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

describe("an answer that an account does not take", () => {
  let server: TestHub;
  beforeAll(async () => void (server = await startTestHub()));
  afterAll(() => server.stop());

  it("A134 holds little memory, though an account without rights leaves five hundred of half a megabyte", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await server.call({ method: "POST", path: accounts, body: { metadata: { name: "poor" } } });
    const asked = await server.call({ method: "POST", path: `${accounts}/poor/token`, body: { spec: {} } });
    const token = textAt(asked.json, "status", "token") ?? "";
    const authorization = `Bearer ${token}`;
    // The description is made once for all.
    const answer = await server.call({ path: "/openapi/v2", headers: { authorization } });
    expect([answer.statusCode, answer.bytes.length > 400_000]).toEqual([200, true]);
    const before = heldBytes();
    const child = spawn(process.execPath, ["--input-type=module", "--eval", account, server.hub.url, token]);
    try {
      await once(child.stdout, "data");
      const isLittle = (heldMiB: number): boolean => heldMiB < 96;
      await until(() => Promise.resolve((heldBytes() - before) / 1024 ** 2), isLittle);
      expect((await server.call({ path: "/livez" })).statusCode).toBe(200);
    } finally {
      child.stdin.end();
      await once(child, "close");
    }
  });
});
