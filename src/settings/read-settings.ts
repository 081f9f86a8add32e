import { refuseEmptyOptions } from "./empty-options.ts";
import { refuseOtherThanNames } from "./object-names.ts";
import type { CommandName } from "./option-entry.ts";
import { optionTable } from "./options.ts";
import type { Settings, SettingSources } from "./settings.ts";
import { settingsFrom } from "./settings.ts";

/**
 * The settings of a command, of the whole table of options.
 * @throws E_USAGE as {@link refuseEmptyOptions} and {@link settingsFrom}
 */
export function readSettings(command: CommandName, sources: SettingSources): Settings {
  refuseEmptyOptions(optionTable, command, sources);
  const settings = settingsFrom(optionTable, command, sources);
  refuseOtherThanNames(settings);
  return settings;
}
