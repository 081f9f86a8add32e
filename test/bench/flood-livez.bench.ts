// How long /livez waits while one account floods an embedded hub: with lists, writes, applies, YAML bodies and watches.
// ROLLCALL_BENCH_FLOOD_SECONDS: how long each flood lasts (10).
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { it } from "vitest";
import { hubWriter } from "../../src/embedded-hub/controllers/hub-writer.ts";
import { buildScript } from "../support/build-script.ts";
import { startTestHub } from "../contract/embedded-hub/hub-client.ts";

const seconds = Number(process.env["ROLLCALL_BENCH_FLOOD_SECONDS"] ?? "10");
const maps = "/api/v1/namespaces/default/configmaps";
const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const data = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key-${index}`, "x".repeat(8)]));
const yaml = `apiVersion: v1\nkind: ConfigMap\ndata:\n${Object.keys(data)
  .map((key) => `  ${key}: x\n`)
  .join("")}`;

/** A request of a flood; \`#\` becomes the number of the request. */
interface Flood {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
  readonly atOnce: number;
}

const floods: readonly (readonly [string, Flood])[] = [
  ["nothing", { method: "GET", path: "/livez", atOnce: 0 }],
  ["lists of 500", { method: "GET", path: `${maps}?limit=500`, atOnce: 600 }],
  ["lists of 10,000", { method: "GET", path: maps, atOnce: 100 }],
  [
    "creates",
    {
      method: "POST",
      path: maps,
      body: `{"metadata":{"generateName":"f-"},"data":${JSON.stringify(data)}}`,
      atOnce: 300,
    },
  ],
  [
    "applies",
    {
      method: "PATCH",
      path: `${maps}/a-#?fieldManager=f`,
      type: "application/apply-patch+yaml",
      body: yaml,
      atOnce: 300,
    },
  ],
  [
    "YAML of 2.9 MB",
    { method: "POST", path: reviews, type: "application/yaml", body: `a:\n${"- b\n".repeat(725_000)}`, atOnce: 40 },
  ],
  ["watches", { method: "GET", path: `${maps}?watch=true&timeoutSeconds=1&resourceVersion=0`, atOnce: 900 }],
];

/** A process that floods in the name of one account until its input ends. */
const flooder = `
import { once } from "node:events";
import { connect } from "node:http2";
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin });
const [url, tls, { method, path, type, body, atOnce }] = JSON.parse((await once(lines, "line"))[0]);
let count = 0;
// Requests under way end with the process.
lines.on("close", () => process.stdout.write(String(count) + "\\n", () => process.exit(0)));
// With less memory, the client itself drops what it sends.
const sessions = Array.from({ length: 4 }, () => connect(url, { ...tls, maxSessionMemory: 1000 }));
for (const session of sessions) session.on("error", () => {});
const send = (session) => new Promise((resolve) => {
  count += 1;
  const headers = { ":method": method, ":path": path.replace("#", String(count % 1000)), "impersonate-user": "flooder", "impersonate-group": "flooders" };
  const stream = session.request({ ...headers, ...(body ? { "content-type": type ?? "application/json" } : {}) });
  stream.on("error", () => {}).on("close", resolve).resume();
  stream.end(body);
});
await Promise.all(Array.from({ length: atOnce }, async (_, index) => { for (;;) await send(sessions[index % 4]); }));
`;

/** A process that asks for /livez until its input ends: how long it waits, and how long the hub's thread works meanwhile. */
const prober = `
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin });
const [url, tls, pid] = JSON.parse((await once(lines, "line"))[0]);
let isOver = false;
lines.on("close", () => (isOver = true));
const agent = new Agent({ ...tls, keepAlive: true, maxSockets: 1 });
const threadMs = () => Number(readFileSync("/proc/" + pid + "/task/" + pid + "/schedstat", "latin1").split(" ")[0]) / 1e6;
const get = () => new Promise((resolve, reject) => {
  const sent = request(url + "/livez", { agent }, (answer) => answer.resume().on("end", () => resolve(answer.statusCode)));
  sent.on("error", reject).end();
});
const waits = [];
const works = [];
let refused = 0;
while (!isOver) {
  const [startMs, beforeMs] = [performance.now(), threadMs()];
  if ((await get()) !== 200) refused += 1;
  waits.push(performance.now() - startMs);
  works.push(threadMs() - beforeMs);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
const at = (values, part) => Math.round(values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] * 10) / 10;
process.stdout.write(JSON.stringify({ asked: waits.length, refused, p50Ms: at(waits, 0.5), p99Ms: at(waits, 0.99), mostMs: at(waits, 1), workP99Ms: at(works, 0.99), workMostMs: at(works, 1) }));
process.exit(0);
`;

interface Running {
  /** Ends the process; what it printed. */
  readonly end: () => Promise<string>;
}

function start(script: string, args: readonly unknown[]): Running {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.write(`${JSON.stringify(args)}\n`);
  const lines = createInterface({ input: child.stdout });
  const printed = new Promise<string>((resolve) => {
    lines.once("line", resolve);
    child.once("exit", () => resolve(""));
  });
  return {
    end: () => {
      child.stdin.end();
      return printed;
    },
  };
}

it("waits of /livez while one account floods", { timeout: 1_800_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-flood-"));
  const built = await buildScript(join(import.meta.dirname, "../../src/embedded-hub/http/yaml-thread.ts"), folder);
  const server = await startTestHub({ yamlThread: pathToFileURL(built) });
  const writer = hubWriter(server.hub.operations, "bench", "bench");
  await writer.create({
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", metadata: { name: "flooders" } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "flooders" }],
  });
  for (let index = 0; index < 10_000; index += 1) {
    const metadata = { name: `c-${index}`, namespace: "default" };
    await writer.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { filler: "x".repeat(300) } });
  }
  try {
    for (const [name, flood] of floods) {
      const flooding = start(flooder, [server.hub.url, server.tls, flood]);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const probing = start(prober, [server.hub.url, server.tls, process.pid]);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      const waits = await probing.end();
      const sent = await flooding.end();
      process.stdout.write(`${name}: ${waits} flooded=${sent}\n`);
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});
