import { readFileSync } from "node:fs";

/** False also for a zombie: it has ended, and its parent has not taken its exit code. Process 1 of a container may take none. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // ESRCH: there is no such process
  }
  return stateOf(pid) !== "Z";
}

/** Linux only. Source: proc(5). */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat[stat.lastIndexOf(")") + 2];
  } catch {
    return undefined;
  }
}
