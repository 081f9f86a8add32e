import { quoteText } from "../../core/formats/go-text.ts";

export interface Indexes {
  readonly total: number;
  /** First and last of each, in their order. */
  readonly intervals: readonly (readonly [number, number])[];
}

/** Indexes of a Job as text (`1,3-5`), or what is wrong with it. Source: Kubernetes, pkg/apis/batch/validation. */
export function readIndexes(text: string, completions: number): Indexes | string {
  if (text === "") return { total: 0, intervals: [] };
  const intervals: (readonly [number, number])[] = [];
  let total = 0;
  let last = -1;
  for (const part of text.split(",")) {
    const limits = part.split("-");
    if (limits.length > 2) {
      const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
      return `the fragment ${quoteText(part)} ${rule}`;
    }
    const [first = 0, end = first] = limits.map(Number);
    for (const limit of limits) {
      if (!/^[-+]?\d+$/u.test(limit)) return `cannot convert string to integer for index: ${quoteText(limit)}`;
      if (Number(limit) >= completions) return `too large index: ${quoteText(limit)}`;
    }
    if (limits.length === 2 && first >= end) return `non-increasing order, previous: ${first}, current: ${end}`;
    if (last >= first) return `non-increasing order, previous: ${last}, current: ${first}`;
    total += end - first + 1;
    last = end;
    intervals.push([first, end]);
  }
  return { total, intervals };
}

/** An index that both have. */
export function sharedIndex({ intervals }: Indexes, { intervals: others }: Indexes): number | undefined {
  let at = 0;
  for (const [first, last] of intervals) {
    while ((others[at]?.[1] ?? Infinity) < first) at += 1;
    const [otherFirst = Infinity] = others[at] ?? [];
    if (otherFirst <= last) return Math.max(first, otherFirst);
  }
  return undefined;
}
