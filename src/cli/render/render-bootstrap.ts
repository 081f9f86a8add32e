import pc from "picocolors";
import { printable } from "../../core/printable.ts";
import type { BootstrapStep } from "../../bootstrap/bootstrap-options.ts";

const words = { created: "created", unchanged: "unchanged", planned: "would add" } as const;

/** A step in one line, and its details below. */
export function renderBootstrapStep({ name, state, message, details = [] }: BootstrapStep, isColour: boolean): string {
  const colours = pc.createColors(isColour);
  const paint = { created: colours.green, unchanged: colours.dim, planned: colours.yellow }[state];
  const lines = [
    `${paint(words[state].padEnd(9))}  ${name.padEnd(10)}  ${printable(message)}`,
    ...details.map((line) => `${" ".repeat(23)}${printable(line)}`),
  ];
  return `${lines.join("\n")}\n`;
}
