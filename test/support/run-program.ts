import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { longestWaitMs } from "./until.ts";

/** The built program as a child process, with the lines that it has printed. */
export interface RunningProgram {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves with the first line that the condition holds for; rejects when the program ends before, or after a minute. */
  untilLine(condition: (line: string) => boolean): Promise<string>;
  /** Sends the signal and resolves with the exit code when the process has ended. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const entry = resolve(import.meta.dirname, "../../bin/rollcall.js");

/**
 * Starts `rollcall` with these arguments and nothing of this process's environment but PATH. Where ROLLCALL_PROFILE_DIR names
 * a folder, what its processor did is written there when it ends.
 */
export function startProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): RunningProgram {
  const { ROLLCALL_PROFILE_DIR: profileDir } = process.env;
  const profiling = profileDir ? ["--cpu-prof", `--cpu-prof-dir=${profileDir}`] : [];
  const child = spawn(process.execPath, [...profiling, entry, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: "/nonexistent", ...environment },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const enqueue = (): void => {
    for (const look of [...waiting]) look();
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      enqueue();
    });
  }
  const state = { hasEnded: false };
  const ended = new Promise<number | null>((done) => {
    child.once("close", (code) => {
      state.hasEnded = true;
      done(code);
      enqueue();
    });
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    child,
    lines,
    untilLine: (condition) =>
      new Promise((found, reject) => {
        const stop = (): void => {
          clearTimeout(timeout);
          waiting.delete(look);
        };
        const fail = (why: string): void => {
          stop();
          reject(new Error(`rollcall ${args[0]} ${why}; it printed:\n${lines.slice(-30).join("\n")}`));
        };
        const look = (): void => {
          const line = lines.find(condition);
          if (line !== undefined) {
            stop();
            found(line);
          } else if (state.hasEnded) fail("has ended");
        };
        const timeout = setTimeout(() => fail(`did not print the line within ${longestWaitMs} ms`), longestWaitMs);
        waiting.add(look);
        look();
      }),
    end: async (signal = "SIGTERM") => {
      child.kill(signal);
      const code = await ended;
      process.off("exit", kill);
      return code;
    },
  };
}
