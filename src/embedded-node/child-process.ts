import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import type { Readable } from "node:stream";
import type { ProcessRecords } from "./process-records.ts";
import { killGroup, killLeftovers } from "./process-records.ts";

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly records: ProcessRecords;
}

export interface ChildExit {
  /** As in a shell: 128 and the signal's number for a process that a signal ended. */
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
}

/** A running process of a container. */
export interface Child {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it ended and its output is read. */
  readonly exited: Promise<ChildExit>;
  kill(signal: NodeJS.Signals): void;
}

const signalNumbers: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 };

/**
 * Starts a program in a process group of its own, with an IPC channel to this process. When this process ends, however
 * it ends, the channel closes: a program run by this node must end on `process.on("disconnect")` (as `rollcall agent`
 * does). Rejects when the program cannot be started, or recorded: then nothing of it runs.
 */
export async function startChild({ command, args, env, cwd, records }: ChildOptions): Promise<Child> {
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // A group of its own: Ctrl-C at the terminal reaches us alone, and a kill reaches what the program started.
    detached: true,
  });
  // Node discards the output of a child that ends before it is read, and ours is read only once it is recorded.
  const [stdout, stderr] = [keptOutput(child.stdout), keptOutput(child.stderr)];
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} has no process`);
  const recorded = records.add(pid);
  // Processes that the program started are ended too, or their open output would keep the container alive.
  child.once("exit", () => killLeftovers(pid));
  const exited = new Promise<ChildExit>((resolve) => {
    child.once("close", (code, signal) => {
      // A record that cannot be removed is checked, and found to be outdated, at the next start.
      const forgotten = recorded
        .catch(() => undefined)
        .then(() => records.remove(pid))
        .catch(() => undefined);
      void forgotten.then(() => resolve(exitOf(code, signal)));
    });
  });
  child.on("error", () => undefined); // A message that could not be sent: none are.
  try {
    await recorded;
  } catch (error) {
    // Its caller has nothing to end it by, and starts another one.
    killGroup(pid, "SIGKILL");
    for (const output of [stdout, stderr]) output.resume();
    await exited;
    throw error;
  }
  return { pid, stdout, stderr, exited, kill: (signal) => killGroup(pid, signal) };
}

function keptOutput(output: Readable | null): Readable {
  if (output === null) throw new TypeError("output is piped");
  return output.pipe(new PassThrough());
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): ChildExit {
  if (signal === null) return { exitCode: code ?? 0 };
  return { exitCode: 128 + (signalNumbers[signal] ?? 0), signal };
}
