// npm run simulate -- [--seed N] [--hours H] [--clusters C] ...: bundles the simulator and runs it as a process of its own,
// since it replaces the clock, timers and random numbers of the process that it runs in. docs/simulation.md has the options.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { withSimulator } from "./simulate-build.mjs";

process.exitCode = await withSimulator(async (script) => {
  // Each stack of an error costs a look into the source map: only who reads a trace wants that.
  const options = process.argv.includes("--trace") ? ["--enable-source-maps"] : [];
  const child = spawn(process.execPath, [...options, script, ...process.argv.slice(2)], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code ?? 1;
});
