import { readFile } from "node:fs/promises";
import { errorCodeOf } from "../../core/errors.ts";
import { parseJson } from "../../core/parse-json.ts";

/** The owner of a lock: enough to detect, after a crash, that its process has ended. */
export interface ProcessOwner {
  readonly pid: number;
  /** Start time of the process, in the kernel's ticks; distinguishes two processes with the same number. Linux only. */
  readonly startTicks?: string;
  /** Which run of the machine. Linux only. */
  readonly bootId?: string;
  /** Distinguishes two locks of one process. */
  readonly nonce?: string;
}

let own: Promise<ProcessOwner> | undefined;

/** This process as an owner. */
export function describeProcess(): Promise<ProcessOwner> {
  return (own ??= readOwner());
}

async function readOwner(): Promise<ProcessOwner> {
  const startTicks = (await readStat(process.pid))?.[startTicksAt];
  const bootId = await readBootId();
  return { pid: process.pid, ...(startTicks ? { startTicks } : {}), ...(bootId ? { bootId } : {}) };
}

/** A lock file's content. */
export function formatOwner(owner: ProcessOwner): string {
  return `rollcall ${JSON.stringify(owner)}\n`;
}

/** The owner that a lock file names; undefined when it was not written by this program. */
export function parseOwner(text: string): ProcessOwner | undefined {
  if (!text.startsWith("rollcall {")) return undefined;
  const value = parseJson(text.slice("rollcall ".length));
  if (typeof value !== "object" || value === null || !("pid" in value) || typeof value.pid !== "number")
    return undefined;
  const startTicks = "startTicks" in value && typeof value.startTicks === "string" ? value.startTicks : undefined;
  const bootId = "bootId" in value && typeof value.bootId === "string" ? value.bootId : undefined;
  return { pid: value.pid, ...(startTicks ? { startTicks } : {}), ...(bootId ? { bootId } : {}) };
}

/**
 * True when the owner may still run. The number of a process in another container is unknown here: it counts as ended,
 * so the locked resource must tolerate two owners for a moment.
 */
export async function isOwnerAlive(owner: ProcessOwner): Promise<boolean> {
  const bootId = await readBootId();
  if (owner.bootId !== undefined && bootId !== undefined && owner.bootId !== bootId) return false;
  if (!isRunning(owner.pid)) return false;
  const stat = await readStat(owner.pid);
  // A zombie: it has ended, and its parent has not taken its exit code.
  if (stat?.[0] === "Z") return false;
  const startTicks = stat?.[startTicksAt];
  return owner.startTicks === undefined || startTicks === undefined || owner.startTicks === startTicks;
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and belongs to another user.
    return errorCodeOf(error) === "EPERM";
  }
}

/** Field 22 of /proc/<pid>/stat, among those that {@link readStat} reads. */
const startTicksAt = 19;

/** The fields of /proc/<pid>/stat from the third one on, the state. Source: Linux, proc(5). */
async function readStat(pid: number): Promise<string[] | undefined> {
  const text = await readText(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

async function readBootId(): Promise<string | undefined> {
  return (await readText("/proc/sys/kernel/random/boot_id"))?.trim();
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // No such file: the system is not Linux, or the process has ended. Both mean "unknown".
    return undefined;
  }
}
