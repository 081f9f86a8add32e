import { execFile } from "node:child_process";
import { readFile, rename, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "../core/clock.ts";
import { isJsonObject } from "../core/json.ts";
import { numberAt, objectsAt, textAt } from "../core/read-json.ts";
import type { Log } from "../core/log.ts";
import { parseJson } from "../core/parse-json.ts";

const run = promisify(execFile);

/** A process that this node started: pid and start time together name it for ever. */
export interface ProcessRecord {
  readonly pid: number;
  readonly startedAt: string;
}

/**
 * The processes of this node, on disk, so that a node that was killed can end them when it starts again. Between a
 * start and its record a crash leaves none behind: a child ends by itself when its channel to the parent closes.
 */
export interface ProcessRecords {
  add(pid: number): Promise<void>;
  remove(pid: number): Promise<void>;
  /** Ends the remains of a previous run; call before anything is started. */
  reap(): Promise<void>;
}

export function createProcessRecords(path: string, clock: Clock, log: Log): ProcessRecords {
  const records = new Map<number, ProcessRecord>();
  let lastWrite = Promise.resolve();

  const save = () => {
    const write = async () => {
      const text = JSON.stringify({ processes: [...records.values()] });
      await writeFile(`${path}.new`, text, { mode: 0o600 });
      await rename(`${path}.new`, path);
    };
    lastWrite = lastWrite.then(write, write);
    return lastWrite;
  };

  return {
    add: async (pid) => {
      const startedAt = await processStart(pid);
      if (startedAt === undefined) return;
      records.set(pid, { pid, startedAt });
      await save();
    },
    remove: async (pid) => {
      if (records.delete(pid)) await save();
    },
    reap: async () => {
      for (const { pid, startedAt } of await readRecords(path)) {
        if ((await processStart(pid)) !== startedAt) continue;
        log.warn("ending a process of a former run", { pid });
        killGroup(pid, "SIGKILL");
        while ((await processStart(pid)) === startedAt) await clock.sleep(20);
      }
    },
  };
}

/** Signals a process that is there and those it started. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  if (!signalProcess(-pid, signal)) signalProcess(pid, signal);
}

/** Ends the remains of an ended process in its group; its number alone may belong to another process by now. */
export function killLeftovers(pid: number): void {
  signalProcess(-pid, "SIGKILL");
}

/** False when there is nothing to signal. */
function signalProcess(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false; // No such process or group.
  }
}

/** Distinguishes this process from a later one with the same pid; undefined when there is no such process. */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined); // no such process
    // The name in parentheses may hold anything; fields are counted after it: state is the first, start time the 20th.
    const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields === undefined || fields[0] === "Z") return undefined;
    // The kernel counts the start from its own: after a reboot another process may have both numbers.
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
    return `${boot.trim()} ${fields[19]}`;
  }
  const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => ({ stdout: "" })); // none
  return stdout.trim() === "" ? undefined : stdout.trim();
}

async function readRecords(path: string): Promise<readonly ProcessRecord[]> {
  const text = await readFile(path, "utf8").catch(() => "{}"); // the first run
  const parsed = parseJson(text);
  // Half a file cannot be: it is written aside and renamed. A foreign file holds nothing of ours.
  if (!isJsonObject(parsed)) return [];
  return objectsAt(parsed, "processes").flatMap((entry) => {
    const pid = numberAt(entry, "pid");
    const startedAt = textAt(entry, "startedAt");
    return pid === undefined || startedAt === undefined || pid <= 1 ? [] : [{ pid, startedAt }];
  });
}
