import { AppError } from "../core/errors.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { CommandName, OptionEntry } from "./option-entry.ts";
import { environmentName, flagOf, settingName } from "./option-entry.ts";
import { readPath, readRepository } from "./read-path.ts";

/** Options with such a value name a file or folder of this machine. */
const placeValues: readonly string[] = ["file", "folder", "path"];

export type SettingValue = string | number | boolean | readonly string[];

/** The sources of settings; the first with a value counts, and the option's default after all of them. */
export interface SettingSources {
  /** What was given on the command line, by option name. */
  readonly given: Readonly<Record<string, unknown>>;
  /** A variable without a character counts as one that is not set. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The content of the file of --config, by the names of {@link settingName}. */
  readonly file?: Readonly<Record<string, unknown>>;
}

/** One option with its value, and where that comes from. */
export interface Setting {
  readonly option: OptionEntry;
  /** Undefined: no source has it, and it has no default. */
  readonly value: SettingValue | undefined;
  /** As a person would name it: `--repo`, `ROLLCALL_REPO`, `file`, `default`. */
  readonly origin: string;
}

/** The settings of one command. */
export class Settings {
  /** Every option of the command, in the order of the table. */
  readonly entries: readonly Setting[];
  readonly #values: ReadonlyMap<string, SettingValue | undefined>;

  constructor(entries: readonly Setting[]) {
    this.entries = entries;
    this.#values = new Map(entries.map(({ option, value }) => [option.name, value]));
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === "string" && value !== "" ? value : undefined;
  }

  /** True for a value of the command line; false for one of the environment, a file or the table. */
  isGiven(name: string): boolean {
    return this.entries.some(({ option, origin }) => option.name === name && origin === flagOf(option));
  }

  /** @throws E_USAGE when it was not given */
  requiredText(name: string): string {
    return this.text(name) ?? refuse(`--${name} is needed (or ${environmentName(name)})`);
  }

  count(name: string): number {
    const value = this.#values.get(name);
    return typeof value === "number" ? value : 0;
  }

  isOn(name: string): boolean {
    return this.#values.get(name) === true;
  }

  list(name: string): readonly string[] | undefined {
    const value = this.#values.get(name);
    return typeof value === "object" && value.length > 0 ? value : undefined;
  }
}

/**
 * Brings a command's settings together: command line, else environment, else file, else default. `table` has every option.
 * @throws E_USAGE for a value of the wrong form, and for a name in the file that no option has
 */
export function settingsFrom(
  table: readonly OptionEntry[],
  command: CommandName,
  { given, environment, file = {} }: SettingSources,
): Settings {
  refuseUnknownNames(table, file);
  return new Settings(
    table
      .filter(({ commands }) => commands.includes(command))
      .map((option) => readSetting(option, { given, environment, file })),
  );
}

function readSetting(option: OptionEntry, { given, environment, file }: Required<SettingSources>): Setting {
  const variable = environmentName(option.name);
  const key = settingName(option.name);
  const candidates: readonly (readonly [unknown, string, string])[] = [
    [given[option.name], flagOf(option), `--${option.name}`],
    // An empty variable is none: one that passes on another variable, which is not set, must not switch off what a file declares.
    [option.isFlagOnly ? undefined : environment[variable] || undefined, variable, variable],
    [option.isFlagOnly ? undefined : file[key], "file", `${key} in the file of --config`],
  ];
  for (const [raw, origin, place] of candidates) {
    if (raw !== undefined && raw !== null)
      return { option, value: readPlace(option, parseValue(option, raw, place), environment), origin };
  }
  return { option, value: option.default, origin: "default" };
}

/** One file may serve several commands: what another one of them has is not wrong. */
function refuseUnknownNames(table: readonly OptionEntry[], file: Readonly<Record<string, unknown>>): void {
  const configurable = table.filter(({ name }) => name === "config").flatMap(({ commands }) => commands);
  const known = table
    .filter(({ name, isFlagOnly }) => name !== "config" && !isFlagOnly)
    .filter(({ commands }) => commands.some((command) => configurable.includes(command)))
    .map(({ name }) => settingName(name));
  const other = Object.keys(file).find((name) => !known.includes(name));
  if (other !== undefined) refuse(`the file of --config has ${other}, which is no setting${hintOf(other, known)}`);
}

function refuse(message: string): never {
  throw new AppError("E_USAGE", message);
}

function hintOf(given: string, known: readonly string[]): string {
  const near = nearestName(given, known);
  return near ? ` (did you mean ${near}?)` : "";
}

function parseValue(option: OptionEntry, raw: unknown, place: string): SettingValue {
  const given = typeof raw === "string" ? raw : JSON.stringify(raw);
  switch (option.kind) {
    case "text":
      if (typeof raw !== "string") return refuse(`${place} is not text: write ${given} in quotes`);
      return given;
    case "list":
      return parseList(raw, place);
    case "count": {
      const largest = option.value === "port" ? 65_535 : 999_999_999;
      if (/^\d{1,9}$/u.test(given) && Number(given) <= largest) return Number(given);
      return refuse(`${place} is no whole number from 0 to ${largest}: ${given}`);
    }
    case "switch":
      if (raw === true || given === "true") return true;
      if (raw === false || given === "false") return false;
      return refuse(`${place} is neither true nor false: ${given}`);
    case "choice": {
      const choices = option.choices ?? [];
      if (choices.includes(given)) return given;
      return refuse(`${place} is ${given}; it can be ${choices.join(", ")}${hintOf(given, choices)}`);
    }
  }
}

/** What names a place of this machine, in one spelling. `-` is the standard input. */
function readPlace(
  { name, value: what }: OptionEntry,
  value: SettingValue,
  environment: SettingSources["environment"],
) {
  if (typeof value !== "string" || value === "" || value === "-") return value;
  if (name === "repo") return readRepository(value, environment);
  return what !== undefined && placeValues.includes(what) ? readPath(value, environment) : value;
}

function parseList(raw: unknown, place: string): readonly string[] {
  const items: readonly unknown[] = typeof raw === "string" ? raw.split(",") : Array.isArray(raw) ? raw : [undefined];
  const texts = items.flatMap((item) => (typeof item === "string" ? [item.trim()] : []));
  if (texts.length < items.length) return refuse(`${place} is not a list of texts`);
  const named = texts.filter((item) => item !== "");
  // Of variables of the shell that are not set, the commas are left: no list means everything for some options.
  if (named.length === 0 && items.join() !== "") return refuse(`${place} names nothing: ${JSON.stringify(raw)}`);
  return named;
}
