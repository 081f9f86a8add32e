// filter: which clusters are shown, as text that people type: `env=prod state!=Ready region in (eu, us) version<1.33`.
// Read in linear time by read-tokens.ts and parse-filter.ts, applied by match-filter.ts; the page's links hold the text.
import type { ClusterRow, ClusterState } from "../generated/page-api.ts";

/** What one term asks of a cluster. */
export type FilterTest =
  | { readonly kind: "text"; readonly text: string; readonly isNegated: boolean }
  | { readonly kind: "among"; readonly key: FilterKey; readonly values: readonly string[]; readonly isNegated: boolean }
  | { readonly kind: "order"; readonly key: FilterKey; readonly operator: OrderOperator; readonly value: string };

export type OrderOperator = "<" | "<=" | ">" | ">=";

/** A field of every cluster, or one of its labels. */
export type FilterKey =
  | { readonly kind: "field"; readonly name: FilterField }
  | { readonly kind: "label"; readonly name: string };

/** A term and its position in the text. */
export interface FilterTerm {
  readonly test: FilterTest;
  readonly start: number;
  readonly end: number;
}

/** A part of the text that is not understood. */
export interface FilterProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  /** What to type instead. */
  readonly remedy: string;
}

export interface ParsedFilter {
  /** All must hold. */
  readonly terms: readonly FilterTerm[];
  readonly problems: readonly FilterProblem[];
}

interface FieldKind {
  /** What `<` compares; absent: the field has no order. */
  readonly order?: "version" | "number" | "age";
  /** The only values; absent: any. */
  readonly values?: readonly string[];
  readonly read: (row: ClusterRow) => readonly string[];
  /** Further values that match the cluster and are not offered. */
  readonly readMore?: (row: ClusterRow) => readonly string[];
}

const stateWords: Readonly<Record<ClusterState, string>> = {
  ready: "Ready",
  notReady: "NotReady",
  unknown: "Unknown",
  leaving: "Leaving",
};

/** The states of docs/cluster-states.md, and the one that follows that of a suspended cluster. */
const phaseWords = [
  ...["Declared", "Revoked", "Rejected", "Joining", "AwaitingReport", "Ready", "Unhealthy", "Unresponsive"],
  ...["Moving", "Leaving", "Suspended"],
];

const one = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value]);

/** The fields, in the order in which they are offered. */
export const filterFields = {
  state: {
    values: [...new Set([...phaseWords, ...Object.values(stateWords)])],
    read: ({ phase, state }) => phase?.split(",") ?? [stateWords[state]],
    readMore: ({ state }) => [stateWords[state]],
  },
  reason: { read: ({ reason }) => [reason] },
  workspace: { read: ({ workspace }) => [workspace] },
  group: { read: ({ groups = [] }) => groups },
  version: { order: "version", read: ({ kubernetesVersion }) => one(kubernetesVersion) },
  agent: { order: "version", read: ({ agentVersion }) => one(agentVersion) },
  protocol: { read: ({ protocol }) => [protocol] },
  name: { read: ({ name }) => [name] },
  nodes: { order: "number", read: ({ nodes }) => one(nodes?.toString()) },
  age: { order: "age", read: ({ since }) => one(since) },
} as const satisfies Readonly<Record<string, FieldKind>>;

export type FilterField = keyof typeof filterFields;

export function fieldKind(name: FilterField): FieldKind {
  return filterFields[name];
}

/** The values of a cluster for a key: none, one, or (of groups) several. */
export function valuesOf(row: ClusterRow, key: FilterKey): readonly string[] {
  if (key.kind === "field") return fieldKind(key.name).read(row);
  return Object.hasOwn(row.labels, key.name) ? one(row.labels[key.name]) : [];
}

/** The values of a cluster that a term may name. */
export function matchedValuesOf(row: ClusterRow, key: FilterKey): readonly string[] {
  const values = valuesOf(row, key);
  const more = key.kind === "field" ? fieldKind(key.name).readMore?.(row) : undefined;
  return more === undefined ? values : [...values, ...more];
}

/** A field's name means the field; `label:name` is the label of that name. */
export function readKey(text: string): FilterKey {
  const field = (Object.keys(filterFields) as FilterField[]).find((name) => name === text.toLowerCase());
  if (field !== undefined) return { kind: "field", name: field };
  return { kind: "label", name: text.startsWith("label:") ? text.slice("label:".length) : text };
}

/** A key as it is typed. */
export function keyText(key: FilterKey): string {
  const isHidden = key.kind === "label" && readKey(key.name).kind === "field";
  return isHidden ? `label:${key.name}` : key.name;
}
