import type { CommandName } from "../../settings/option-entry.ts";
import type { Settings } from "../../settings/settings.ts";

/** A command as help and completion show it. */
export interface CommandSummary {
  /** One word, or two: `add cluster`. */
  readonly name: CommandName;
  readonly summary: string;
  /** The values that its first argument may have, where it may have no other. */
  readonly choices?: readonly string[];
  readonly isHidden?: boolean;
}

/** What every command gets. */
export interface CommandContext {
  readonly settings: Settings;
  /** Positional arguments. */
  readonly args: readonly string[];
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The whole standard input; for commands with an option that reads it. */
  readonly readStdin: () => Promise<string>;
  /** The next line of the standard input, for questions. Empty when there is none. */
  readonly readLine: () => Promise<string>;
  /** Every command of the program. */
  readonly commands: readonly CommandSummary[];
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}

/** What a command needs that prints text and nothing else. */
export interface PlainContext extends Omit<CommandContext, "stdout" | "stderr"> {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
}
