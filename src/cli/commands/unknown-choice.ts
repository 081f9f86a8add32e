import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { printable } from "../../core/printable.ts";

/** E_USAGE of an argument that is none of its choices, with the same text as for an option. */
export function unknownChoice(argument: string, given: string, choices: readonly string[]): AppError {
  const near = nearestName(given, choices);
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  return new AppError("E_USAGE", `${argument} is ${printable(given)}; it can be ${choices.join(", ")}${hint}`);
}
