// Lists and watches of many objects on an embedded hub: how long they hold its thread, and how long /livez waits meanwhile.
// ROLLCALL_BENCH_LIST_OBJECTS: how many (100000).
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { it } from "vitest";
import { hubWriter } from "../../src/embedded-hub/controllers/hub-writer.ts";
import { startTestHub } from "../contract/embedded-hub/hub-client.ts";

const count = Number(process.env["ROLLCALL_BENCH_LIST_OBJECTS"] ?? "100000");
const list = "/api/v1/configmaps";
const watch = `${list}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const protobuf = "application/vnd.kubernetes.protobuf";
const cases = [
  ["list in JSON", { path: list, accept: "application/json" }],
  ["list as a table", { path: list, accept: table }],
  ["list in protobuf", { path: list, accept: protobuf }],
  ["watch in JSON", { path: watch, accept: "application/json" }],
  ["watch in protobuf", { path: watch, accept: `${protobuf};stream=watch` }],
] as const;

/** A process that sends each line's request so often at once, and asks for /livez meanwhile. */
const client = `
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";
const [url, tls] = JSON.parse(process.argv[1]);
const agent = new Agent({ ...tls, keepAlive: true });
const get = (path, accept, from) =>
  new Promise((resolve, reject) => {
    const sent = request(url + path, { agent: from, headers: { accept } }, (answer) => {
      answer.on("data", (chunk) => {
        if (!path.includes("watch=") || !chunk.includes("initial-events-end")) return;
        answer.destroy();
        resolve();
      });
      answer.on("end", resolve);
    });
    sent.on("error", reject);
    sent.end();
  });
const health = new Agent({ ...tls, keepAlive: true, maxSockets: 1 });
for await (const line of createInterface({ input: process.stdin })) {
  const { path, accept, atOnce } = JSON.parse(line);
  const waits = [];
  let isDone = false;
  const asking = (async () => {
    while (!isDone) {
      const startMs = performance.now();
      await get("/livez", "*/*", health);
      waits.push(performance.now() - startMs);
    }
  })();
  const startMs = performance.now();
  await Promise.all(Array.from({ length: atOnce }, () => get(path, accept, agent)));
  const tookMs = Math.round(performance.now() - startMs);
  isDone = true;
  await asking;
  waits.sort((a, b) => a - b);
  const at = (part) => Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * part))]);
  process.stdout.write(JSON.stringify({ tookMs, livezP99Ms: at(0.99), livezMostMs: at(1) }) + "\\n");
}
`;

/** CPU time of this process's first thread. Source: Linux, Documentation/scheduler/sched-stats.rst. */
function threadMs(): number {
  return Number(readFileSync("/proc/self/schedstat", "latin1").split(" ")[0]) / 1e6;
}

it(`holds of lists and watches of ${count} objects`, { timeout: 1_800_000 }, async () => {
  const server = await startTestHub();
  const writer = hubWriter(server.hub.operations, "bench", "bench");
  const data = { filler: "x".repeat(300) };
  for (let start = 0; start < count; start += 1000) {
    const create = (_: unknown, index: number): Promise<unknown> =>
      writer.createIfMissing({
        ...{ apiVersion: "v1", kind: "ConfigMap", data },
        metadata: { name: `c-${start + index}`, namespace: "default" },
      });
    await Promise.all(Array.from({ length: 1000 }, create));
  }
  const rssMB = (): number => Math.round(process.memoryUsage().rss / 1e6);
  const beforeMB = rssMB();
  let mostMB = 0;
  let [longestMs, lastMs, lastThreadMs] = [0, performance.now(), threadMs()];
  const ticking = setInterval(() => {
    const [nowMs, nowThreadMs] = [performance.now(), threadMs()];
    // The machine does other things too: what this thread did meanwhile.
    longestMs = Math.max(longestMs, Math.min(nowMs - lastMs, nowThreadMs - lastThreadMs));
    [lastMs, lastThreadMs] = [nowMs, nowThreadMs];
    mostMB = Math.max(mostMB, rssMB());
  }, 2);
  const args = ["--input-type=module", "--eval", client, JSON.stringify([server.hub.url, server.tls])];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    for (const atOnce of [1, 4]) {
      for (const [name, request] of cases) {
        longestMs = 0;
        const beforeMs = threadMs();
        child.stdin.write(`${JSON.stringify({ ...request, atOnce })}\n`);
        const { value } = (await answers.next()) as { readonly value: unknown };
        const facts = `holdMs=${Math.round(longestMs)} cpuMs=${Math.round(threadMs() - beforeMs)}`;
        process.stdout.write(`${atOnce} x ${name}: ${facts} rssMB=${rssMB()} ${String(value)}\n`);
      }
    }
    // An idle hub: the engine collects garbage by itself.
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    process.stdout.write(`rssMB before=${beforeMB} most=${mostMB} after=${rssMB()}\n`);
  } finally {
    clearInterval(ticking);
    child.stdin.end();
    child.kill();
    await server.stop();
  }
});
