// npm run simulate -- [--seed N] [--hours H] [--clusters C] ...: bundles the simulator and runs it as a process of its own,
// since it replaces the clock, timers and random numbers of the process that it runs in. docs/simulation.md has the options.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { simulatorFlags, withSimulator } from "./simulate-build.mjs";

const isTraced = process.argv.includes("--trace");
process.exitCode = await withSimulator(
  async (script) => {
    const flags = simulatorFlags({ isTraced });
    const child = spawn(process.execPath, [...flags, script, ...process.argv.slice(2)], { stdio: "inherit" });
    const [code] = await once(child, "exit");
    return code ?? 1;
  },
  { isTraced },
);
