import type { OptionEntry } from "./option-entry.ts";
import { choice } from "./option-entry.ts";

/** The options of `rollcall agent`, which loads no others: what an agent loads decides its memory. */
export const agentOptions: readonly OptionEntry[] = [
  choice(
    "log-level",
    ["up", "run", "check", "hub", "agent"],
    ["debug", "info", "warn", "error"],
    "Least important log lines that are printed.",
    "info",
  ),
  choice(
    "log-format",
    ["run", "check", "hub"],
    ["auto", "json", "text"],
    "Form of log lines: text for people, one JSON object a line for programs. auto: text on a terminal, JSON elsewhere.",
    "auto",
  ),
];
