// What one agent of `rollcall up` takes of memory and of CPU, by the flags that it sets for V8. A row is a copy of the built package
// with other flags; the figures are of the middle one of three agents, so many seconds after every cluster is Ready.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const root = resolve(import.meta.dirname, "../..");
const seconds = Number(process.env.ROLLCALL_BENCH_SECONDS ?? "60");
const flagsInCode = /\[\s*"--no-opt",[^\]]*\]/u;
const rows = [
  { name: "as it is" },
  { name: "none", flags: [] },
  { name: "--no-opt", flags: ["--no-opt"] },
  { name: "--jitless", flags: ["--jitless"] },
  { name: "--optimize-for-size", flags: ["--optimize-for-size"] },
  { name: "--single-threaded", flags: ["--single-threaded"] },
];

console.log("| flags | resident | anonymous | of files | CPU |\n| --- | --- | --- | --- | --- |");
for (const row of rows) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  try {
    console.log(`| ${row.name} | ${(await measure(copyWith(row.flags, folder), join(folder, "demo"))).join(" | ")} |`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The package with other flags in its entry. Returns the program. */
function copyWith(flags, folder) {
  const copy = join(folder, "package");
  for (const part of ["bin", "dist", "schemas", "deploy", "examples-repo", "package.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const entry = join(copy, "dist/main.js");
  const code = readFileSync(entry, "utf8");
  if (!flagsInCode.test(code)) throw new Error("dist/main.js has no flags: run npm run build");
  if (flags !== undefined) writeFileSync(entry, code.replace(flagsInCode, JSON.stringify(flags)));
  return join(copy, "bin/rollcall.js");
}

async function measure(program, dir) {
  const child = spawn(process.execPath, [program, "up", "--dir", dir], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  await new Promise((ready, failed) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (output.includes("Every cluster is Ready")) ready();
    });
    child.on("exit", (code) => failed(new Error(`up ended with ${code}:\n${output}`)));
  });
  await pause(seconds * 1000);
  const agents = childrenOf(child.pid).map(figuresOf);
  const middle = agents.sort((a, b) => a.resident - b.resident)[1];
  child.removeAllListeners("exit");
  const ended = new Promise((end) => child.once("exit", end));
  child.kill("SIGTERM");
  await ended;
  const { resident, anonymous, ofFiles, cpu } = middle;
  return [...[resident, anonymous, ofFiles].map((mebibytes) => `${mebibytes.toFixed(1)} MB`), `${cpu.toFixed(2)} s`];
}

function childrenOf(pid) {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/u.test(entry))
    .map(Number)
    .filter((entry) => statOf(entry)?.[1] === String(pid));
}

/** Fields of /proc/PID/stat from the state on; undefined when the process has ended. */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ");
  } catch {
    return undefined;
  }
}

function figuresOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebibytes = (key) => Number(new RegExp(`${key}:\\s+(\\d+)`, "u").exec(status)?.[1]) / 1024;
  const stat = statOf(pid) ?? [];
  return {
    resident: mebibytes("VmRSS"),
    anonymous: mebibytes("RssAnon"),
    ofFiles: mebibytes("RssFile"),
    cpu: (Number(stat[11]) + Number(stat[12])) / 100,
  };
}
