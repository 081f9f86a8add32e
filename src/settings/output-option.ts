import type { CommandName, OptionEntry } from "./option-entry.ts";
import { choice } from "./option-entry.ts";

/** The form of what is printed; the first one is the default. */
export function output(commands: readonly CommandName[], forms: readonly [string, ...string[]]): OptionEntry {
  return { ...choice("output", commands, forms, "Form of the answer.", forms[0]), short: "o" };
}
