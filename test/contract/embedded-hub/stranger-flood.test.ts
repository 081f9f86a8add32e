import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { heldBytes } from "../../support/held-bytes.ts";
import { ofThisMachine, startCpuWatch } from "../../support/of-this-machine.ts";
import { startTestHub } from "./hub-client.ts";

/** `ROLLCALL_STRANGERS=10000 npx vitest run test/contract/embedded-hub/stranger-flood.test.ts` */
const strangerCount = Number(process.env["ROLLCALL_STRANGERS"] ?? "1000");

/**
 * A program that opens connections and keeps them: a third sends nothing, a third ends its TLS handshake and sends nothing
 * more, a third asks for /livez. It prints a line when each was opened or refused, and ends with its input.
 */
const strangers = `
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

const [port, count] = process.argv.slice(1).map(Number);
let settled = 0;
const settle = () => {
  settled += 1;
  if (settled === count) process.stdout.write("all\\n");
};
for (let index = 0; index < count; index += 1) {
  const at = { host: "127.0.0.1", port, localAddress: "127.0.0." + (2 + (index % 4)) };
  const isTls = index % 3 !== 0;
  const socket = isTls ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at);
  let isSettled = false;
  const once = () => {
    if (!isSettled) settle();
    isSettled = true;
  };
  socket.once(isTls ? "secureConnect" : "connect", () => {
    once();
    if (index % 3 === 2) socket.write("GET /livez HTTP/1.1\\r\\nHost: hub\\r\\n\\r\\n");
  });
  socket.on("error", once);
  socket.on("close", once);
  socket.resume();
}
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
`;

async function openFiles(): Promise<number> {
  return (await readdir(join("/proc", String(process.pid), "fd"))).length;
}

it(
  `A60 answers its own clients within a second while ${strangerCount} strangers connect at once`,
  { timeout: 60_000 + 30 * strangerCount },
  async ({ skip }) => {
    if (process.platform !== "linux") skip("the open sockets of a process are counted on Linux");
    const server = await startTestHub();
    const flood = spawn(process.execPath, [
      "--input-type=module",
      "--eval",
      strangers,
      new URL(server.hub.url).port,
      String(strangerCount),
    ]);
    try {
      await server.call({ path: "/livez" });
      const [filesBefore, bytesBefore] = [await openFiles(), heldBytes()];
      const opened = { isDone: false };
      void once(flood.stdout, "data").then(() => (opened.isDone = true));
      let [calls, longestMs, mostFiles] = [0, 0, 0];
      while (!opened.isDone) {
        const sinceMs = startCpuWatch();
        expect((await server.call({ path: "/livez" })).statusCode).toBe(200);
        // The machine does other things too: what this process did meanwhile.
        longestMs = Math.max(longestMs, sinceMs());
        calls += 1;
        if (calls % 50 === 0) mostFiles = Math.max(mostFiles, await openFiles());
      }
      mostFiles = Math.max(mostFiles, await openFiles());
      const heldKiB = (heldBytes() - bytesBefore) / 1024 / strangerCount;
      const facts = {
        calls,
        longestMs: Math.round(longestMs),
        strangers: mostFiles - filesBefore,
        heldKiB: Math.round(heldKiB),
      };
      if (strangerCount > 1000) process.stdout.write(`${JSON.stringify(facts)}\n`);
      // The first ones have had their time before ten thousand handshakes are done.
      expect(mostFiles - filesBefore).toBeGreaterThan(Math.min(strangerCount, 1000) / 2);
      expect(longestMs).toBeLessThan(ofThisMachine(1000));
      expect(heldKiB).toBeLessThan(128);
      flood.stdin.end();
      await once(flood, "exit");
      await expect.poll(openFiles).toBeLessThan(filesBefore + 20);
    } finally {
      flood.kill("SIGKILL");
      await server.stop();
    }
  },
);
