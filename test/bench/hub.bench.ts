// The embedded hub beside kube-apiserver and etcd: the same work on the same machine, one after the other. Needs
// KUBEBUILDER_ASSETS for the second half; `npm run build` first.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { setMaxListeners } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Pool } from "undici";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";
import { until } from "../support/until.ts";

const objectCount = Number(process.env["ROLLCALL_BENCH_OBJECTS"] ?? "10000");
const watcherCount = Number(process.env["ROLLCALL_BENCH_WATCHERS"] ?? "1000");
const callCount = 3000;
const concurrency = 16;
const watchedWrites = 20;

interface Server {
  readonly kubeconfig: string;
  /** Resident memory of all that makes up the server, in MB. */
  readonly memoryMB: () => number;
  /** Ends it by force and starts it on the same state; resolves with the milliseconds until it is ready. */
  readonly restart: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
}

it("costs what it costs, beside kube-apiserver and etcd", async () => {
  const embedded = await measure(await startEmbedded());
  const real = hasControlPlane() ? await measure(await startReal()) : [];
  for (const [index, { name, unit, value }] of embedded.entries()) {
    const other = real[index]?.value;
    const beside =
      other === undefined ? "" : `${other.toFixed(1).padStart(10)} ${(value / other).toFixed(2).padStart(6)}`;
    console.log(`${name.padEnd(44)} ${value.toFixed(1).padStart(10)} ${beside} ${unit}`);
  }
  expect(embedded.length).toBeGreaterThan(0);
}, 1_800_000);

async function measure(server: Server): Promise<readonly Row[]> {
  const client = openClient(server.kubeconfig);
  const rows: Row[] = [];
  const add = (name: string, unit: string, value: number): number => rows.push({ name, unit, value });
  const path = "/api/v1/namespaces/default/configmaps";
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const filler = "x".repeat(600);
  const run = async (name: string, count: number, call: (index: number) => Promise<unknown>): Promise<void> => {
    const { perSecond, p50, p99 } = await runAll(count, call);
    add(`${name}, ${concurrency} at a time`, "calls/s", perSecond);
    add(`${name}, median`, "ms", p50);
    add(`${name}, 99th percentile`, "ms", p99);
  };
  try {
    await run(`create ${objectCount} ConfigMaps`, objectCount, (index) =>
      client.call("POST", path, { metadata: { name: `c-${index}`, labels: { n: `${index % 10}` } }, data: { filler } }),
    );
    add(`memory with ${objectCount} objects`, "MB", server.memoryMB());
    await run("server-side apply of a ConfigMap", callCount, (index) =>
      client.call(
        "PATCH",
        `${path}/a-${index % 100}?fieldManager=bench&force=true`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `a-${index % 100}` }, data: { at: `${index}` } },
        "application/apply-patch+yaml",
      ),
    );
    for (let index = 0; index < 100; index += 1) {
      await client.call("POST", leases, { metadata: { name: `l-${index}` }, spec: { holderIdentity: "b" } });
    }
    await run("renewal of a Lease (merge patch)", callCount, (index) =>
      client.call(
        "PATCH",
        `${leases}/l-${index % 100}`,
        { spec: { renewTime: new Date(1.6e12 + index * 1000).toISOString().replace("Z", "000Z") } },
        "application/merge-patch+json",
      ),
    );
    await run("get of a ConfigMap", callCount, (index) => client.call("GET", `${path}/c-${index % objectCount}`));
    await run(`list of ${objectCount} ConfigMaps`, 40, () => client.read(path));
    add("memory after these lists", "MB", server.memoryMB());
    add(`${watchedWrites} writes to ${watcherCount} watches`, "events/s", await fanOut(client, path));
    add("start to ready, with all of that", "ms", await server.restart());
  } finally {
    await client.close();
    await server.stop();
  }
  return rows;
}

async function runAll(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<{ readonly perSecond: number; readonly p50: number; readonly p99: number }> {
  const times: number[] = [];
  let next = 0;
  const startMs = performance.now();
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const sentMs = performance.now();
      await call(index);
      times.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const perSecond = (count * 1000) / (performance.now() - startMs);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { perSecond, p50: at(0.5), p99: at(0.99) };
}

/** Events that arrive in a second while all watch one kind and a few objects change. */
async function fanOut(client: Client, path: string): Promise<number> {
  // As an informer does: it has listed, and continues from there.
  const { metadata } = JSON.parse(await client.call("GET", `${path}?limit=1`)) as List;
  const query = `watch=true&resourceVersion=${metadata.resourceVersion}&labelSelector=watched%3Dyes`;
  let seen = 0;
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  let open = 0;
  for (let index = 0; index < watcherCount; index += 1) {
    await client.watch(`${path}?${query}`, ended.signal, (lines) => (seen += lines));
    open += 1;
  }
  const startMs = performance.now();
  for (let index = 0; index < watchedWrites; index += 1) {
    await client.call("POST", path, { metadata: { name: `w-${index}`, labels: { watched: "yes" } } });
  }
  const wanted = watchedWrites * open;
  await until(
    () => Promise.resolve(seen),
    (count) => count >= wanted,
    120_000,
  );
  const perSecond = (wanted * 1000) / (performance.now() - startMs);
  ended.abort();
  return perSecond;
}

interface Client {
  readonly call: (method: "GET" | "POST" | "PATCH", path: string, body?: object, type?: string) => Promise<string>;
  /** Reads an answer to its end and keeps nothing of it: 16 lists of 100,000 objects are 1.6 GB. */
  readonly read: (path: string) => Promise<void>;
  /** Resolves when the watch is open; counts its lines. */
  readonly watch: (path: string, signal: AbortSignal, onLines: (count: number) => void) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
}

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; "certificate-authority-data": string } }];
  readonly users: readonly [{ user: { "client-certificate-data": string; "client-key-data": string } }];
}

function openClient(kubeconfig: string): Client {
  const config = parse(kubeconfig) as Kubeconfig;
  const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
  const user = config.users[0].user;
  const pem = (text: string): string => Buffer.from(text, "base64").toString("utf8");
  const connect = { ca: pem(ca), cert: pem(user["client-certificate-data"]), key: pem(user["client-key-data"]) };
  const calls = new Pool(server, { connections: concurrency, connect });
  const watches = new Pool(server, { connections: watcherCount, pipelining: 1, connect, bodyTimeout: 0 });
  return {
    call: async (method, path, body, type = "application/json") => {
      const answer = await calls.request({
        method,
        path,
        headers: { "content-type": type },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
      return text;
    },
    read: async (path) => {
      const { body, statusCode } = await calls.request({ method: "GET", path });
      let sizeBytes = 0;
      for await (const chunk of body) sizeBytes += (chunk as Buffer).length;
      if (statusCode !== 200 || sizeBytes === 0) throw new Error(`GET ${path}: ${statusCode}`);
    },
    watch: async (path, signal, onLines) => {
      const { body } = await watches.request({ method: "GET", path, signal });
      body.on("data", (chunk: Buffer) => onLines(chunk.toString("utf8").split("\n").length - 1));
      body.on("error", () => undefined); // ended by the signal
    },
    close: async () => {
      await Promise.all([calls.destroy(), watches.destroy()]);
    },
  };
}

async function startEmbedded(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), "rollcall-bench-hub-"));
  const program = join(import.meta.dirname, "../../bin/rollcall.js");
  let port = 0;
  const start = async (): Promise<ChildProcess> => {
    const args = [program, "hub", "--dir", dir, "--port", String(port), "--log-level", "error"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    const isReady = new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        if (text.includes("The hub is ready")) resolve();
      });
      child.once("exit", (code) => reject(new Error(`the hub ended with ${code}`)));
    });
    await isReady;
    return child;
  };
  const end = (child: ChildProcess): Promise<void> =>
    new Promise((resolve) => {
      child.removeAllListeners("exit").once("exit", () => resolve());
      child.kill("SIGKILL");
    });
  let child = await start();
  const kubeconfig = readFileSync(join(dir, "hub.kubeconfig"), "utf8");
  port = Number(/:(\d+)$/mu.exec(kubeconfig)?.[1] ?? "0");
  return {
    kubeconfig,
    memoryMB: () => residentMB(child.pid ?? 0),
    restart: async () => {
      await end(child);
      const startMs = performance.now();
      child = await start();
      return performance.now() - startMs;
    },
    stop: async () => {
      await end(child);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function startReal(): Promise<Server> {
  const plane = await startControlPlane({ isDurable: true });
  return {
    kubeconfig: plane.kubeconfig,
    memoryMB: () =>
      ["etcd", "kube-apiserver"].flatMap((name) => childrenNamed(name)).reduce((sum, pid) => sum + residentMB(pid), 0),
    restart: async () => {
      await plane.killApiServer();
      const startMs = performance.now();
      await plane.startApiServer();
      return performance.now() - startMs;
    },
    stop: () => plane.stop(),
  };
}

function childrenNamed(name: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/u.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        return stat.includes(`(${name})`) && stat.split(") ")[1]?.split(" ")[1] === String(process.pid);
      } catch {
        return false; // it ended meanwhile
      }
    });
}

/** Of anonymous memory: what is mapped from files is shared and can be dropped. */
function residentMB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+)/mu.exec(status)?.[1] ?? "0") / 1024;
}
