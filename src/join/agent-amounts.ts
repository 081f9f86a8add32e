import { objectAt } from "../core/read-json.ts";

const mostAmounts = 64;

/**
 * Amounts of resources (`cpu: "4"`) that an agent reports below `path`: at most 64 that are names and quantities in the
 * Kubernetes format. All other values are dropped, because people and other programs read the result.
 */
export function readAmounts(object: unknown, ...path: readonly string[]): Record<string, string> {
  const kept = Object.entries(objectAt(object, ...path) ?? {}).flatMap(([name, amount]): [string, string][] => {
    const text = typeof amount === "number" ? String(amount) : amount;
    if (typeof text !== "string") return [];
    return isQualifiedName(name) &&
      /^\d+(\.\d+)?([numkMGTPE]|[KMGTPE]i|[eE][-+]?\d+)?$/u.test(text) &&
      text.length <= 40
      ? [[name, text]]
      : [];
  });
  return Object.fromEntries(kept.slice(0, mostAmounts));
}

/** True for a name with an optional domain before a slash, as of labels. Source: Kubernetes, IsQualifiedName. */
export function isQualifiedName(name: string): boolean {
  return (
    name.length <= 317 &&
    /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u.test(name)
  );
}
