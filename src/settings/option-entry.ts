/** Commands a user sees; `agent` is hidden from the first help page. */
export type CommandName =
  | "up"
  | "run"
  | "check"
  | "plan"
  | "diff"
  | "validate"
  | "schema"
  | "explain"
  | "status"
  | "get"
  | "describe"
  | "events"
  | "wait"
  | "top"
  | "logs"
  | "suspend"
  | "resume"
  | "reconcile"
  | "revoke"
  | "approve-deletions"
  | "backup"
  | "trust replace"
  | "join"
  | "init"
  | "bootstrap"
  | "add token"
  | "add cluster"
  | "remove cluster"
  | "remove token"
  | "import"
  | "uninstall"
  | "completion"
  | "version"
  | "hub"
  | "agent";

export interface OptionEntry {
  /** Long name without dashes; the environment variable is `ROLLCALL_` and the name in capitals. */
  readonly name: string;
  readonly commands: readonly CommandName[];
  readonly kind: "text" | "count" | "switch" | "list" | "choice";
  /** The value's name in help, for kinds that take one. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly default?: string | number | boolean | readonly string[];
  readonly description: string;
  /** One letter, as kubectl has it. */
  readonly short?: string;
  /** Not read from the environment (it makes no sense there). */
  readonly isFlagOnly?: boolean;
}

export function text(
  name: string,
  commands: readonly CommandName[],
  value: string,
  ...rest: [string, string?]
): OptionEntry {
  const [description, defaultValue] = rest;
  return {
    name,
    commands,
    kind: "text",
    value,
    description,
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}

export function list(name: string, commands: readonly CommandName[], value: string, description: string): OptionEntry {
  return { name, commands, kind: "list", value, description };
}

export function count(
  name: string,
  commands: readonly CommandName[],
  value: string,
  ...rest: [string, number]
): OptionEntry {
  const [description, defaultValue] = rest;
  return { name, commands, kind: "count", value, description, default: defaultValue };
}

export function flag(
  name: string,
  commands: readonly CommandName[],
  description: string,
  defaultValue = false,
): OptionEntry {
  return { name, commands, kind: "switch", description, default: defaultValue };
}

export function choice(
  name: string,
  commands: readonly CommandName[],
  choices: readonly string[],
  ...rest: [string, string]
): OptionEntry {
  const [description, defaultValue] = rest;
  return { name, commands, kind: "choice", value: choices.join("|"), choices, description, default: defaultValue };
}

/** How an option is written: switches that are on by default are there to be switched off. */
export function flagOf({ kind, name, default: value }: OptionEntry): string {
  return kind === "switch" && value === true ? `--no-${name}` : `--${name}`;
}

/** Name of the environment variable of an option. */
export function environmentName(optionName: string): string {
  return `ROLLCALL_${optionName.replaceAll("-", "_").toUpperCase()}`;
}

/** Name of an option in a file of settings, and among the values of the chart: `hubUrl` of `hub-url`. */
export function settingName(optionName: string): string {
  return optionName.replace(/-([a-z])/gu, (_match, letter: string) => letter.toUpperCase());
}
