import { isReservedLabelKey } from "../../../model/well-known.ts";
import { isLabel } from "../../foreign-labels.ts";

export interface ProposedLabels {
  readonly labels: Readonly<Record<string, string>>;
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

/** Of the labels that an agent proposes, those that the token's rule lets it propose. Reserved prefixes never. */
export function allowedAgentLabels(
  proposed: Readonly<Record<string, string>>,
  allowedKeys: readonly string[],
): ProposedLabels {
  const labels: Record<string, string> = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(proposed)) {
    if (isReservedLabelKey(key)) notes.push(`label ${key} has a reserved prefix`);
    else if (!allowedKeys.includes(key)) notes.push(`label ${key} is not among the token's agentLabels`);
    else if (!isLabel(key, value)) notes.push(`label ${key} is malformed`);
    else labels[key] = value;
  }
  return { labels, notes };
}
