import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { probe } from "../../../src/embedded-node/probe.ts";
import type { ProbeResult } from "../../../src/embedded-node/probe.ts";

/** A container that answers each connection with this text. */
async function startContainer(answer: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(answer));
    onTestFinished(() => void socket.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it.each([
  ["204 No Content\r\n\r\n", { isSuccess: true }],
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
