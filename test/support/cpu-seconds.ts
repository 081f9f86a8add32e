import { readdirSync, readFileSync } from "node:fs";

/** What Linux counts CPU time in, on every architecture that Node.js runs on. Source: proc(5), sysconf(_SC_CLK_TCK). */
const ticksPerSecond = 100;

/** Seconds of CPU that this process and its children have used so far. NaN where there is no /proc. */
export function cpuSecondsOfFamily(): number {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
    return pids.reduce((sum, pid) => sum + secondsOf(pid), 0);
  } catch {
    return NaN; // not Linux: there is nothing to read
  }
}

function secondsOf(pid: string): number {
  const text = readStat(pid);
  // Behind the name, which may have spaces and brackets in it: state, parent, ..., time in user mode, time in the kernel.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const isFamily = Number(pid) === process.pid || Number(fields[1]) === process.pid;
  return isFamily ? (Number(fields[11]) + Number(fields[12])) / ticksPerSecond : 0;
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return ""; // it ended meanwhile
  }
}
