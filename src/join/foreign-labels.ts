import { checkLabelValue, checkQualifiedName } from "../core/formats/kube-names.ts";
import { isReservedLabelKey } from "../model/well-known.ts";

export interface ForeignLabelRules {
  /** Keys that the token lets an agent propose. Undefined: all that are not reserved, as the other project does it. */
  readonly allowedKeys: readonly string[] | undefined;
  /** Keys that no agent may have. Default: those with a reserved prefix. */
  readonly isReserved?: (key: string) => boolean;
}

/** Of the labels that another project's agent proposes for a new cluster, those that it may have; and why the others not. */
export function allowedForeignLabels(
  proposed: Readonly<Record<string, string>>,
  { allowedKeys, isReserved = isReservedLabelKey }: ForeignLabelRules,
): { readonly labels: Record<string, string>; readonly notes: readonly string[] } {
  const labels: Record<string, string> = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(proposed).slice(0, 64)) {
    const isKept = isReserved(key);
    const isAllowed = !isKept && isLabel(key, value);
    if (isAllowed && (allowedKeys === undefined || allowedKeys.includes(key))) labels[key] = value;
    else
      notes.push(
        `label ${JSON.stringify(key)} is left out: ${isKept ? "its prefix is reserved" : "the token does not allow it"}`,
      );
  }
  return { labels, notes };
}

/** A domain, a slash and a name. */
const longestKey = 253 + 1 + 63;

/**
 * Whether an API server accepts the label that an agent proposes. With another one the Cluster of the agent could never be
 * made, while its name and the use of its token were taken.
 */
export function isLabel(key: string, value: string): boolean {
  return key.length <= longestKey && checkQualifiedName(key).length === 0 && checkLabelValue(value).length === 0;
}
