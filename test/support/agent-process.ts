import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";

/** An agent of another project that runs, unmodified, as a process of this machine. */
export interface AgentProcess {
  /** What it printed. */
  readonly lines: readonly string[];
  /** kill -9; resolves when the process and its folder are gone. */
  readonly stop: () => Promise<void>;
}

/** Starts the program with this environment and no other. `folder` is its own, and goes with it. */
export function startAgentProcess(
  program: string,
  {
    folder,
    args = [],
    env,
  }: { readonly folder: string; readonly args?: readonly string[]; readonly env: NodeJS.ProcessEnv },
): AgentProcess {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => lines.push(...text.split("\n")));
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    lines,
    stop: async () => {
      kill();
      await ended;
      process.off("exit", kill);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
