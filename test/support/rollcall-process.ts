import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { optimizeLate } from "./optimize-late.ts";
import { longestWaitMs } from "./until.ts";

const entry = join(import.meta.dirname, "../../bin/rollcall.js");

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real program as a child process. */
export interface RollcallProcess {
  readonly pid: number;
  /** All output so far. */
  readonly output: () => string;
  /** Resolves when the output matches; rejects when the program ends before, or after `timeoutMs` (default 100 s). */
  whenPrinted(pattern: RegExp, timeoutMs?: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
}

interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** Starts `rollcall ...args` wherever the program is. */
export type StartRollcall = (args: readonly string[], options?: ProcessOptions) => RollcallProcess;

/** Starts `rollcall ...args`; it ends with this process, since it has an IPC channel to it. */
export function startRollcall(args: readonly string[], options: ProcessOptions = {}): RollcallProcess {
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/", ...options.env };
  return followProcess(
    spawn(process.execPath, [...optimizeLate, entry, ...args], {
      cwd: options.cwd,
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    }),
  );
}

/** What a child prints, and its end. */
export function followProcess(child: ChildProcess): RollcallProcess {
  const parts = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      parts[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const finished = new Promise<Finished>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, ...parts }));
  });
  return {
    pid: pidOf(child),
    output: () => parts.stdout + parts.stderr,
    whenPrinted: async (pattern, timeoutMs = longestWaitMs) => {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => end(new Error(`not printed within ${timeoutMs} ms: ${pattern}\n${parts.stdout}${parts.stderr}`)),
          timeoutMs,
        );
        const look = (): void => {
          if (pattern.test(parts.stdout + parts.stderr)) end();
        };
        const end = (error?: Error): void => {
          clearTimeout(timer);
          listeners.delete(look);
          if (error) reject(error);
          else resolve();
        };
        listeners.add(look);
        void finished.then(({ code }) =>
          end(
            pattern.test(parts.stdout + parts.stderr)
              ? undefined
              : new Error(`the program ended with ${code}: ${parts.stdout}${parts.stderr}`),
          ),
        );
        look();
      });
    },
    kill: (signal) => child.kill(signal),
    finished,
  };
}

/** Runs `rollcall ...args` to its end. */
export async function runRollcall(args: readonly string[], options: ProcessOptions = {}): Promise<Finished> {
  return startRollcall(args, options).finished;
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("the program could not be started");
  return child.pid;
}
