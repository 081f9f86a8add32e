import { isGlob, matchesGlob } from "../../core/name-glob.ts";
import type { ClusterRow } from "../generated/page-api.ts";
import { compareNumbers, parseNumbers } from "./compare-numbers.ts";
import type { FilterKey, FilterTest, OrderOperator, ParsedFilter } from "./filter.ts";
import { fieldKind, matchedValuesOf, valuesOf } from "./filter.ts";
import { parseAge } from "./parse-age.ts";

/** Whether a cluster is meant; `nowMs` is the clock that ages are measured by. */
export type ClusterMatcher = (row: ClusterRow, nowMs: number) => boolean;

/** A filter, made ready to be applied to many clusters. Without terms it means each. */
export function createMatcher({ terms }: Pick<ParsedFilter, "terms">): ClusterMatcher {
  const matchers = terms.map(({ test }) => matcherOf(test));
  return (row, nowMs) => matchers.every((matches) => matches(row, nowMs));
}

function matcherOf(test: FilterTest): ClusterMatcher {
  switch (test.kind) {
    case "text":
      return (row) => hasText(row, test.text.toLowerCase()) !== test.isNegated;
    case "among":
      return amongMatcher(test);
    case "order":
      return orderMatcher(test);
  }
}

/** Text is found in names, the display name, the reason and labels. */
function hasText(row: ClusterRow, text: string): boolean {
  const texts = [`${row.workspace}/${row.name}`, row.displayName ?? "", row.reason];
  if (texts.some((candidate) => candidate.toLowerCase().includes(text))) return true;
  return Object.entries(row.labels).some(([key, value]) => `${key}=${value}`.toLowerCase().includes(text));
}

/** As in Kubernetes, `!=` and `notin` hold where the key is absent. Fields ignore case, labels do not. */
function amongMatcher({ key, values, isNegated }: Extract<FilterTest, { kind: "among" }>): ClusterMatcher {
  const fold = (text: string): string => (key.kind === "field" ? text.toLowerCase() : text);
  const wanted = values.map(fold);
  const exact = new Set(wanted);
  const globs = wanted.filter(isGlob);
  // `1.33` means each 1.33.x; a version with its `v` means itself.
  const versions = isVersion(key) ? wanted.filter((value) => !value.startsWith("v")).map(wholeNumbers) : [];
  const isWanted = (value: string): boolean => {
    if (exact.has(value) || globs.some((glob) => matchesGlob(glob, value))) return true;
    const numbers = versions.length === 0 ? undefined : parseNumbers(value);
    return numbers !== undefined && versions.some((version) => version && compareNumbers(numbers, version) === 0);
  };
  return (row) => matchedValuesOf(row, key).some((value) => isWanted(fold(value))) !== isNegated;
}

function isVersion(key: FilterKey): boolean {
  return key.kind === "field" && fieldKind(key.name).order === "version";
}

function wholeNumbers(text: string): readonly number[] | undefined {
  return /^[\d.]+$/u.test(text) ? parseNumbers(text) : undefined;
}

function orderMatcher({ key, operator, value }: Extract<FilterTest, { kind: "order" }>): ClusterMatcher {
  if (key.kind === "field" && fieldKind(key.name).order === "age") {
    const wantedMs = parseAge(value) ?? 0;
    return (row, nowMs) => valuesOf(row, key).some((since) => holds(nowMs - Date.parse(since) - wantedMs, operator));
  }
  const wanted = parseNumbers(value) ?? [];
  return (row) =>
    valuesOf(row, key).some((found) => {
      const numbers = parseNumbers(found);
      return numbers !== undefined && holds(compareNumbers(numbers, wanted), operator);
    });
}

function holds(difference: number, operator: OrderOperator): boolean {
  switch (operator) {
    case "<":
      return difference < 0;
    case "<=":
      return difference <= 0;
    case ">":
      return difference > 0;
    case ">=":
      return difference >= 0;
  }
}
