import { readdirSync, readFileSync } from "node:fs";

/** What Linux counts CPU time in, on every architecture that Node.js runs on. Source: proc(5), sysconf(_SC_CLK_TCK). */
const ticksPerSecond = 100;

/** Seconds of CPU that this process and its children have used so far. NaN where there is no /proc. */
export function cpuSecondsOfFamily(): number {
  const all = readProcesses();
  if (all === undefined) return NaN;
  const family = all.filter(({ pid, parent }) => pid === process.pid || parent === process.pid);
  return family.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** Seconds of CPU of each program that this process started, and of what those started, by its name. Empty without /proc. */
export function cpuSecondsByProgram(): ReadonlyMap<string, number> {
  const all = readProcesses() ?? [];
  const seconds = new Map<string, number>();
  const addChildrenOf = (parent: number): void => {
    for (const { pid, program, cpuSeconds } of all.filter((one) => one.parent === parent)) {
      seconds.set(program, (seconds.get(program) ?? 0) + cpuSeconds);
      addChildrenOf(pid);
    }
  };
  addChildrenOf(process.pid);
  return seconds;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly cpuSeconds: number;
}

/** Undefined where there is no /proc. */
function readProcesses(): readonly Process[] | undefined {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
    return pids.map((pid) => readStat(Number(pid))).filter((one) => one !== undefined);
  } catch {
    return undefined; // not Linux
  }
}

/** Undefined for a process that has ended meanwhile. */
function readStat(pid: number): Process | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // Behind the name, which may have spaces and brackets in it: state, parent, ..., time in user mode, time in the kernel.
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  return { pid, parent: Number(fields[1]), program: text.slice(text.indexOf("(") + 1, end), cpuSeconds };
}
