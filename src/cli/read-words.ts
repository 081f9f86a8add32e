import type { Command } from "commander";
import { CommanderError } from "commander";
import { nearestName } from "../core/nearest-name.ts";
import { printable } from "../core/printable.ts";

/**
 * The words of a command line, with `help add token` rewritten to `add token --help`: commander's own help takes one word, and
 * prints the page of the program for an unknown command.
 * @throws CommanderError (commander.unknownCommand) for a command that there is not, also where only its help is asked for
 */
export function readWords(program: Command, argv: readonly string[]): readonly string[] {
  let command = program;
  for (const [index, word] of argv.entries()) {
    if (command.commands.length === 0 || word.startsWith("-")) return argv;
    if (word === "help") {
      const others = argv.filter((_other, at) => at !== index);
      return readWords(program, [...others, "--help"]);
    }
    command = command.commands.find((candidate) => candidate.name() === word) ?? refuse(command, word);
  }
  return argv;
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
