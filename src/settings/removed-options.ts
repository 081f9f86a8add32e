import { AppError } from "../core/errors.ts";
import type { CommandName } from "./option-entry.ts";

/** An option that a command had, and what to type instead. */
export interface RemovedOption {
  readonly commands: readonly CommandName[];
  readonly name: string;
  readonly instead: string;
}

/** They are refused by name, so that none is taken for another meaning. */
export const removedOptions: readonly RemovedOption[] = [
  {
    commands: ["get", "describe", "events", "wait", "top"],
    name: "namespace",
    instead: "use --workspace (-n) for the workspace of the objects; --namespace is the daemon's namespace",
  },
  {
    commands: ["join"],
    name: "namespace",
    instead: "use --agent-namespace for the namespace of the agent; --namespace is the daemon's namespace",
  },
];

/** The options that a command had once, for its parser to know them. */
export function removedOptionsOf(command: CommandName): readonly RemovedOption[] {
  return removedOptions.filter(({ commands }) => commands.includes(command));
}

/** @throws E_USAGE when an option is given that the command has no more */
export function refuseRemovedOptions(command: CommandName, given: Readonly<Record<string, unknown>>): void {
  const former = removedOptionsOf(command).find(({ name }) => Object.hasOwn(given, name));
  if (former) throw new AppError("E_USAGE", `${command} has no option --${former.name}: ${former.instead}`);
}
