import type { Command } from "commander";
import { CommanderError } from "commander";
import { nearestName } from "../core/nearest-name.ts";
import { printable } from "../core/printable.ts";
import { isOptionOf } from "./add-options.ts";

/**
 * The words of a command line, with `help add token` rewritten to `add token --help`: commander's own help takes one word, and
 * prints the page of the program for an unknown command.
 * @throws CommanderError (commander.unknownCommand) for a command that there is not, also where only its help is asked for;
 *   (commander.unknownOption) for an option of a command that is written before it
 */
export function readWords(program: Command, argv: readonly string[]): readonly string[] {
  let command = program;
  for (const [index, word] of argv.entries()) {
    if (command.commands.length === 0) return argv;
    if (word.startsWith("-")) {
      refuseEarlyOption(command, word);
      return argv;
    }
    if (word === "help") {
      const others = argv.filter((_other, at) => at !== index);
      return readWords(program, [...others, "--help"]);
    }
    command = command.commands.find((candidate) => candidate.name() === word) ?? refuse(command, word);
  }
  return argv;
}

function refuseEarlyOption(command: Command, word: string): void {
  const [name = ""] = word.split("=", 1);
  if (isOptionOf(command, name)) return;
  const commands = command.commands.flatMap((inner) => [inner, ...inner.commands]);
  if (!commands.some((inner) => isOptionOf(inner, name))) return;
  const message = `unknown option '${printable(name)}': write it after the command`;
  throw new CommanderError(1, "commander.unknownOption", message);
}

function refuse(command: Command, word: string): never {
  const names = command.createHelp().visibleCommands(command);
  const near = nearestName(
    word,
    names.map((candidate) => candidate.name()),
  );
  const hint = near === undefined ? "" : `, did you mean ${near}?`;
  throw new CommanderError(1, "commander.unknownCommand", `unknown command '${printable(word)}'${hint}`);
}
