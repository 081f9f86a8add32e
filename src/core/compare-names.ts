import { compareText } from "./compare-text.ts";

const collator = new Intl.Collator("en", { numeric: true });

/** Sorts as people read: `c2` before `c10`. For order that is stored or hashed, use compareText. */
export function compareNames(a: string, b: string): number {
  return collator.compare(a, b) || compareText(a, b);
}
