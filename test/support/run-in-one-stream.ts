import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { giveInput } from "./give-input.ts";

export interface OneStreamRun {
  /** Null when it was killed. */
  readonly code: number | null;
  /** Output and errors, in the order in which they were written. */
  readonly output: string;
}

/**
 * Runs a program to its end. Its errors go into the stream of its output: of two streams it is a matter of chance which one is
 * read first.
 */
export async function runInOneStream(
  command: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string; readonly input?: string | undefined } = {},
): Promise<OneStreamRun> {
  const { env, cwd, input } = options;
  const child = spawn("sh", ["-c", 'exec "$0" "$@" 2>&1', command, ...args], {
    env,
    cwd,
    stdio: ["pipe", "pipe", "ignore"],
  });
  giveInput(child.stdin, input);
  const [output, ended] = await Promise.all([text(child.stdout), once(child, "close")]);
  const [code] = ended as [number | null];
  return { code, output };
}
