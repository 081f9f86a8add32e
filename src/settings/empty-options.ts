import { AppError } from "../core/errors.ts";
import { ownValue } from "../core/own-value.ts";
import type { CommandName, OptionEntry } from "./option-entry.ts";
import { environmentName, flagOf, settingName } from "./option-entry.ts";
import type { SettingSources } from "./settings.ts";

/**
 * Refuses an empty option of the command line, unless it takes back what the environment or the file of --config sets: where a
 * variable of the shell is not set, the default would be chosen, such as another hub.
 * @throws E_USAGE
 */
export function refuseEmptyOptions(
  table: readonly OptionEntry[],
  command: CommandName,
  { given, environment, file = {} }: SettingSources,
): void {
  const isSetElsewhere = ({ name, isFlagOnly }: OptionEntry): boolean =>
    isFlagOnly !== true &&
    ((environment[environmentName(name)] ?? "") !== "" || (ownValue(file, settingName(name)) ?? null) !== null);
  const empty = table.find(
    (option) => option.commands.includes(command) && isEmpty(given[option.name]) && !isSetElsewhere(option),
  );
  if (empty === undefined) return;
  throw new AppError("E_USAGE", `${flagOf(empty)} is empty: give it a value, or leave the option out`);
}

function isEmpty(raw: unknown): boolean {
  return raw === "" || (Array.isArray(raw) && raw.length > 0 && raw.every((item) => item === ""));
}
