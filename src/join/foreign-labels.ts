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

/** Source: Kubernetes API concepts, labels. */
function isLabel(key: string, value: string): boolean {
  const part = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u;
  const [first = "", second, ...more] = key.split("/");
  const isKey = second === undefined ? part.test(first) : more.length === 0 && first.length <= 253 && part.test(second);
  return isKey && (value === "" || part.test(value));
}
