// npm run simulate -- [--seed N] [--hours H] [--clusters C] ...: bundles the simulator and runs it as a process of its own,
// since it replaces the clock, timers and random numbers of the process that it runs in. docs/simulation.md has the options.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "tsdown";

const root = resolve(import.meta.dirname, "..");
const outDir = await mkdtemp(join(root, "node_modules", ".simulation-"));
const [entry = "main", ...args] = process.argv.slice(2);
await build({
  cwd: root,
  entry: { script: `test/simulation/${entry}.ts` },
  outDir,
  format: "esm",
  platform: "node",
  target: "node20",
  dts: false,
  sourcemap: "inline",
  // A part that is read from disk while a world runs would come in no certain order.
  outputOptions: { codeSplitting: false },
  config: false,
  logLevel: "silent",
});
const child = spawn(process.execPath, ["--enable-source-maps", join(outDir, "script.mjs"), ...args], {
  stdio: "inherit",
});
child.on("exit", async (code) => {
  await rm(outDir, { recursive: true, force: true });
  process.exit(code ?? 1);
});
