// Clients that come back at once: a hub is killed and started again, and each client opens a connection with TLS, logs in
// with a token of its own and reads its Lease. How long until all are served, and how long /livez waits meanwhile.
// ROLLCALL_BENCH_CLIENTS: how many (10000). `npm run build` first.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Pool } from "undici";
import { it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { startProgram } from "../support/run-program.ts";

const count = Number(process.env["ROLLCALL_BENCH_CLIENTS"] ?? "10000");
const namespace = "default";
const written = { fieldManager: "bench" };

/** A process that is all clients: it prints a line with the times when each has its answer. Who is refused tries again. */
const clients = `
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
const { port, ca, tokens } = JSON.parse(readFileSync(process.argv[1], "utf8"));
const startMs = performance.now();
const times = [];
let tries = 0;
const come = (index) => {
  tries += 1;
  const socket = connect({ host: "127.0.0.1", port, ca, localAddress: "127.0.0." + (2 + (index % 100)) });
  let isServed = false;
  socket.once("secureConnect", () => {
    const path = "/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/agent-" + index;
    socket.write("GET " + path + " HTTP/1.1\\r\\nHost: 127.0.0.1:" + port + "\\r\\nAuthorization: Bearer " + tokens[index] + "\\r\\n\\r\\n");
  });
  socket.on("data", (bytes) => {
    if (isServed || !bytes.toString("latin1").startsWith("HTTP/1.1 200")) return;
    isServed = true;
    times.push(performance.now() - startMs);
    if (times.length === tokens.length) {
      times.sort((a, b) => a - b);
      const at = (share) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))]);
      process.stdout.write(JSON.stringify({ medianMs: at(0.5), p99Ms: at(0.99), lastMs: at(1), tries, cpuS: process.cpuUsage() }) + "\\n");
    }
  });
  socket.on("error", () => {});
  socket.on("close", () => { if (!isServed) setTimeout(come, 500 + Math.random() * 1000, index); });
};
for (let index = 0; index < tokens.length; index += 1) come(index);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
`;

it(`${count} clients come back at once`, { timeout: 1_800_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
  const dir = join(folder, "hub");
  let hub = await startHub(dir, 0);
  try {
    const kubeconfig = await readFile(join(dir, "hub.kubeconfig"), "utf8");
    const connection = readKubeconfig(kubeconfig);
    const api = apiOf(connection);
    const tokens = await makeClients(api);
    const { caPem: ca = "", certPem: cert, keyPem: key } = await connection.getTls();
    const port = Number(new URL(api.server).port);
    await api.close();
    await writeFile(join(folder, "clients.json"), JSON.stringify({ port, ca, tokens }));
    await hub.end("SIGKILL");
    hub = await startHub(dir, port);
    const prober = new Pool(`https://127.0.0.1:${port}`, { connections: 1, connect: { ca, cert, key } });
    await ask(prober);
    const cpuBefore = await cpuSeconds(hub.child.pid);
    const all = spawn(process.execPath, ["--input-type=module", "--eval", clients, join(folder, "clients.json")]);
    try {
      let result: string | undefined;
      createInterface({ input: all.stdout }).once("line", (line) => (result = line));
      const waits: number[] = [];
      while (result === undefined && all.exitCode === null) {
        waits.push(await ask(prober));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      waits.sort((a, b) => a - b);
      const at = (share: number): number => Math.round(waits[Math.floor(waits.length * share)] ?? 0);
      console.log(result, { hubCpuS: (await cpuSeconds(hub.child.pid)) - cpuBefore });
      console.log({
        livez: waits.length,
        medianMs: at(0.5),
        p99Ms: at(0.99),
        longestMs: Math.round(waits.at(-1) ?? 0),
      });
    } finally {
      all.kill("SIGKILL");
      await prober.destroy();
    }
  } finally {
    await hub.end("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
});

async function startHub(dir: string, port: number): Promise<ReturnType<typeof startProgram>> {
  const hub = startProgram(["hub", "--dir", dir, "--port", String(port)]);
  await hub.untilLine((line) => line.includes("The hub is ready"));
  return hub;
}

/** An account with a token and a Lease for each client. */
async function makeClients(api: KubeApi): Promise<readonly string[]> {
  const rbac = "rbac.authorization.k8s.io";
  const rules = [{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get"] }];
  const role = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: "bench" }, rules };
  const subjects = [{ kind: "Group", name: "system:serviceaccounts", apiGroup: rbac }];
  const roleRef = { apiGroup: rbac, kind: "ClusterRole", name: "bench" };
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "bench" },
    subjects,
    roleRef,
  };
  await api.create(role, written);
  await api.create(binding, written);
  const tokens = Array.from({ length: count }, () => "");
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const metadata = { name: `agent-${index}`, namespace };
      await api.create({ apiVersion: "v1", kind: "ServiceAccount", metadata }, written);
      await api.create({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata }, written);
      const { token } = await api.requestToken({ namespace, serviceAccount: metadata.name, expirationSeconds: 3600 });
      tokens[index] = token;
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return tokens;
}

/** Asks for /livez; the milliseconds until it is answered. */
async function ask(prober: Pool): Promise<number> {
  const startMs = performance.now();
  const { body } = await prober.request({ path: "/livez", method: "GET", headersTimeout: 120_000 });
  await body.dump();
  return performance.now() - startMs;
}

async function cpuSeconds(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [user = "0", system = "0"] = stat
    .slice(stat.lastIndexOf(") ") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}
