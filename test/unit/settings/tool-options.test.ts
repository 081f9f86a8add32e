import { describe, expect, it } from "vitest";
import type { OptionEntry } from "../../../src/settings/option-entry.ts";
import { environmentName } from "../../../src/settings/option-entry.ts";
import { settingsFrom } from "../../../src/settings/settings.ts";
import { toolOptions } from "../../../src/settings/tool-options.ts";

function someValue({ kind, choices = [] }: OptionEntry): string {
  if (kind === "switch") return "true";
  return kind === "count" ? "1" : (choices.at(-1) ?? "some");
}

describe("an option of a command that is no daemon", () => {
  const commands = [...new Set(toolOptions.flatMap((option) => option.commands))];
  const environment = Object.fromEntries(
    toolOptions.map((option) => [environmentName(option.name), someValue(option)]),
  );

  // A variable that is set for the daemon must not decide what a person removes, or whether a person is asked.
  it.each(commands)("is not read from the environment: %s", (command) => {
    const { entries } = settingsFrom(toolOptions, command, { given: {}, environment });
    const taken = entries.filter(({ origin }) => origin !== "default").map(({ option }) => option.name);
    expect(taken).toEqual([]);
  });
});
