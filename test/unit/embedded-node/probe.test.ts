import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ProbeAction } from "../../../src/embedded-node/pod-spec.ts";
import { probe } from "../../../src/embedded-node/probe.ts";
import type { ProbeResult } from "../../../src/embedded-node/probe.ts";
import { isRunning } from "../../support/is-running.ts";

/** A container that answers each connection with this text. */
async function startContainer(answer: string, onRequest?: (text: string) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (request) => {
      onRequest?.(request.toString());
      socket.write(answer);
    });
    onTestFinished(() => void socket.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it.each([
  ["204 No Content\r\n\r\n", { isSuccess: true }],
  ["302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n", { isSuccess: true }],
  ["503 No\r\ncontent-length: 0\r\n\r\n", { isSuccess: false, message: "HTTP probe failed with statuscode: 503" }],
  [
    "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n",
    { isSuccess: false, message: "HTTP probe failed with statuscode: 101" },
  ],
])("a probe by http that is answered with %j ends with that", async (answer, result) => {
  const port = await startContainer(`HTTP/1.1 ${answer}`);
  const target = { port: () => port, env: {}, cwd: "/", path: (text: string) => text };
  const action = { kind: "http", scheme: "http", host: undefined, port, path: "/", headers: [] } as const;
  let outcome: ProbeResult | undefined;
  void probe(action, target, 60_000).then((ended) => (outcome = ended));
  await expect.poll(() => outcome).toEqual(result);
});

it("a probe by http sends the headers that it has", async () => {
  const requests: string[] = [];
  const port = await startContainer("HTTP/1.1 204 No Content\r\n\r\n", (text) => void requests.push(text));
  const headers = [["X-Place", "here"]] as const;
  const at = { port: () => port, env: {}, cwd: "/", path: (text: string) => text };
  await probe({ kind: "http", scheme: "http", port, path: "/", headers }, at, 60_000);
  expect(requests.join()).toContain("\r\nX-Place: here\r\n");
});

const target = { port: () => 9, env: {}, cwd: ".", path: (text: string) => text };
const http = { kind: "http", scheme: "http", port: 9, path: "/", headers: [] } as const;

describe("probe", () => {
  // An API server admits each of them.
  it.each<readonly [string, ProbeAction]>([
    ["a host that no address can have", { ...http, host: "a b" }],
    ["a header with letters that HTTP does not carry", { ...http, headers: [["X-Place", "日本"]] }],
    ["a path with an escape that is none", { ...http, path: "/%zz\u0000" }],
    ["a command of one empty word", { kind: "exec", command: [""] }],
    ["a word with a zero byte", { kind: "exec", command: ["true", "a\u0000b"] }],
    ["no command", { kind: "exec", command: [] }],
  ])("fails, and rejects nothing, for %s", async (_, action) => {
    expect(await probe(action, target, 1000)).toMatchObject({ isSuccess: false });
  });

  it("asks a host that is an IPv6 address", async () => {
    const result = await probe({ ...http, host: "::1" }, target, 1000);
    expect(result).toEqual({ isSuccess: false, message: expect.stringContaining('Get "http://[::1]:9/"') as string });
  });

  it("ends a command that takes too long, with all that it started", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rollcall-probe-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const pidPath = join(folder, "pid");
    const script = `sleep 1000 & echo $! > ${pidPath}; wait`;
    const env = { PATH: "/usr/bin:/bin" };
    const action = { kind: "exec", command: ["/bin/sh", "-c", script] } as const;
    const result = await probe(action, { ...target, env }, 3000);
    expect(result).toMatchObject({ isSuccess: false, message: expect.stringContaining("command timed out") as string });
    const pid = Number(await readFile(pidPath, "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("fails for a TCP port that is none", async () => {
    const action = { kind: "tcp", port: 70_000 } as const;
    expect(await probe(action, { ...target, port: () => 70_000 }, 1000)).toMatchObject({ isSuccess: false });
  });
});
