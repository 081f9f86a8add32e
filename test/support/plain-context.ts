import type { PlainContext } from "../../src/cli/commands/command-context.ts";
import type { CommandName } from "../../src/settings/option-entry.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import { neverAborted } from "./never-aborted.ts";

export interface RunCommandOptions {
  readonly args?: readonly string[];
  readonly options?: Readonly<Record<string, string | boolean | undefined>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The answer to its question. Default: the first line of `stdin`. */
  readonly readLine?: () => Promise<string>;
  /** Stops it, as SIGTERM would. */
  readonly signal?: AbortSignal;
  /** It prints to a terminal. Default false. */
  readonly isTerminal?: boolean;
  /** Called with what it prints, as it does. */
  readonly onText?: (part: string) => void;
}

/** Runs one command in this process, as the program would, and resolves with what it printed. Rejects as it does. */
export async function runCommand(
  name: CommandName,
  run: (context: PlainContext) => Promise<number>,
  { args = [], options = {}, environment = {}, stdin = "", ...io }: RunCommandOptions = {},
): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const code = await run({
    settings: readSettings(name, { given: options, environment }),
    args,
    stdout: {
      isTTY: io.isTerminal ?? false,
      write: (part) => {
        text += part;
        io.onText?.(part);
      },
    },
    environment,
    readStdin: () => Promise.resolve(stdin),
    readLine: io.readLine ?? (() => Promise.resolve(stdin.split("\n")[0] ?? "")),
    commands: [],
    signal: io.signal ?? neverAborted(),
  });
  return { code, text };
}
