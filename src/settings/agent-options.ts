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
];
