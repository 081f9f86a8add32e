import type { Command } from "commander";
import { CommanderError, Option } from "commander";
import type { CommandName, OptionEntry } from "../settings/option-entry.ts";
import { flagOf } from "../settings/option-entry.ts";
import { optionTable } from "../settings/options.ts";
import { removedOptionsOf } from "../settings/removed-options.ts";

/** Adds the options that the table has for a command. An option in the place of a value is refused: the value is missing. */
export function addOptions(command: Command, name: CommandName): void {
  for (const entry of optionTable.filter(({ commands }) => commands.includes(name))) {
    const isValued = entry.kind !== "switch";
    const short = entry.short === undefined ? "" : `-${entry.short}, `;
    const option = new Option(`${short}${flagOf(entry)}${isValued ? ` <${entry.value}>` : ""}`, describe(entry));
    if (isValued) {
      option.argParser((value: string, before: unknown) => {
        if (isOptionOf(command, value)) {
          const message = `option '${option.flags}' argument missing`;
          throw new CommanderError(1, "commander.optionMissingArgument", message);
        }
        // A list may be given at once, with commas, or piece by piece.
        return entry.kind === "list" && typeof before === "string" ? `${before},${value}` : value;
      });
    }
    command.addOption(option);
  }
  for (const removed of removedOptionsOf(name)) command.addOption(new Option(`--${removed.name} <value>`).hideHelp());
}

/** Whether the word is an option of this command as it is written. */
export function isOptionOf(command: Command, word: string): boolean {
  const { options } = command;
  return word === "--help" || word === "-h" || options.some(({ long, short }) => word === long || word === short);
}

function describe({ description, default: value, kind }: OptionEntry): string {
  if (value === undefined || kind === "switch") return description;
  return `${description} (default: ${String(value)})`;
}
