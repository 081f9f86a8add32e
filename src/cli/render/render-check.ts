import pc from "picocolors";
import { printable } from "../../core/printable.ts";
import type { CheckResult } from "../../daemon/check/check-result.ts";

/** A check in one line; below it what is missing, and what to do. */
export function renderCheck({ name, state, message, details = [], remedy }: CheckResult, isColour: boolean): string {
  const colours = pc.createColors(isColour);
  const paint = { ok: colours.green, failed: colours.red, skipped: colours.yellow }[state];
  const lines = [
    `${paint(state.padEnd(7))}  ${name.padEnd(11)}  ${printable(message)}`,
    ...details.map((line) => `           ${printable(line)}`),
    ...(remedy === undefined ? [] : [`         ${colours.bold("What to do:")} ${remedy}`]),
  ];
  return `${lines.join("\n")}\n`;
}
