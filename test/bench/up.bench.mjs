// `rollcall up` from an empty folder to three Ready clusters, and once more on the same folder; with the memory of the
// daemon's process (hub, clusters and daemon in one) and of its agents.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const entry = join(import.meta.dirname, "../../bin/rollcall.js");
const runs = Number(process.env.ROLLCALL_BENCH_RUNS ?? "3");

for (let run = 1; run <= runs; run++) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  try {
    const first = await upOnce(join(folder, "demo"));
    const again = await upOnce(join(folder, "demo"));
    console.log(
      `run ${run}: ${seconds(first.ms)} s to 3 Ready from nothing, ${seconds(again.ms)} s again; ` +
        `daemon ${first.daemonMB} MB, agents ${first.agentMB.join(", ")} MB`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function upOnce(dir) {
  const startMs = performance.now();
  const child = spawn(process.execPath, [entry, "up", "--dir", dir], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  let output = "";
  await new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (output.includes("Every cluster is Ready")) resolve();
    });
    child.on("exit", (code) => reject(new Error(`up ended with ${code}:\n${output}`)));
  });
  const ms = performance.now() - startMs;
  const daemonMB = residentMB(child.pid);
  const agentMB = childrenOf(child.pid).map(residentMB);
  child.removeAllListeners("exit");
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
  return { ms, daemonMB, agentMB };
}

function childrenOf(pid) {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/u.test(entry))
    .filter((entry) => {
      try {
        return readFileSync(`/proc/${entry}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(pid);
      } catch {
        return false; // it ended meanwhile
      }
    })
    .map(Number);
}

function residentMB(pid) {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return Math.round((pages * 4096) / 2 ** 20);
}

function seconds(ms) {
  return (ms / 1000).toFixed(1);
}
