import { ownValue } from "../core/own-value.ts";
import { canonicalJson } from "../core/json.ts";
import { countOf, nameSome, oneOrMany } from "../core/count-of.ts";
import { shortCommit } from "../core/short-commit.ts";
import type {
  AgentRoll,
  ChangedField,
  ObjectChange,
  PlanReport,
  WithheldChange,
} from "../model/generated/plan-report.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";

/** `2 clusters`, `1 token`. */
export function countOfKind(kind: string, count: number): string {
  return countOf(count, ownValue(nouns, kind) ?? kind, ownValue(plurals, kind));
}

const nouns: Readonly<Record<string, string>> = {
  Cluster: "cluster",
  ClusterRegistrationToken: "token",
  ClusterGroup: "group",
};

const plurals: Readonly<Record<string, string>> = { Repository: "Repositories" };

/** `2 clusters and 1 token`, in the order of the changes. */
export function countByKind(changes: readonly ObjectChange[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of changes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return joinWords([...counts].map(([kind, count]) => countOfKind(kind, count)));
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** The one sentence that sums up a plan, for a last line, a heading or a commit status. Removals come first. */
export function summarizePlan({ changes, counts, withheld }: PlanReport): string {
  const of = (...actions: ObjectChange["action"][]): ObjectChange[] =>
    changes.filter(({ action }) => actions.includes(action));
  const parts = [
    ["removes", of("Leave", "Delete")],
    ["moves", of("Move")],
    ["creates", of("Create")],
    ["changes", of("Update")],
  ] as const;
  const words = parts.filter(([, list]) => list.length > 0).map(([verb, list]) => `${verb} ${countByKind(list)}`);
  const held = withheld.length === 0 ? [] : [`withholds ${countOf(withheld.length, "removal")}`];
  const wrong = counts.errors === 0 ? [] : [`${countOf(counts.errors, "error")} in files`];
  const all = [...words, ...held, ...wrong];
  return all.length === 0 ? "nothing changes" : all.join("; ");
}

/** Whether anything would be written, or waits to be. */
export function hasChanges({ changes, withheld }: PlanReport): boolean {
  return changes.length > 0 || withheld.length > 0;
}

/** Objects to which the same happens. */
export interface FoldedChange {
  readonly changes: readonly ObjectChange[];
  readonly effects: readonly string[];
  readonly fields: readonly ChangedField[];
}

/**
 * Brings together what is the same for several objects of a kind, so that a rule's change for a thousand clusters is read
 * once.
 */
export function foldChanges(changes: readonly ObjectChange[]): FoldedChange[] {
  const folds = new Map<string, ObjectChange[]>();
  for (const whole of changes) {
    const change = { ...whole, fields: whole.fields.filter(({ path }) => !bookkeeping.has(path)) };
    const { kind, fields, effects } = change;
    const key = canonicalJson([kind, change.action, effects, fields.map((field) => anonymous(field, change))]);
    const known = folds.get(key);
    if (known) known.push(change);
    else folds.set(key, [change]);
  }
  return [...folds.values()].map((list) => ({
    changes: list,
    effects: list[0]?.effects ?? [],
    fields: list.length > 1 ? sharedFields(list) : (list[0]?.fields ?? []),
  }));
}

/** Fields that follow from others, and would be in every list. */
const bookkeeping: ReadonlySet<string> = new Set([
  `metadata.labels[${labelKeys.repository}]`,
  `metadata.annotations[${annotationKeys.labelRules}]`,
]);

/** The field as it is the same for several objects: the own name of each is a placeholder. */
function anonymous(field: ChangedField, { namespace, name }: Pick<ObjectChange, "namespace" | "name">): ChangedField {
  if (field.to === JSON.stringify(name)) return { ...field, to: '"<name>"' };
  return field.to === JSON.stringify(`${namespace}/${name}`) ? { ...field, to: '"<namespace>/<name>"' } : field;
}

function sharedFields([first]: readonly ObjectChange[]): readonly ChangedField[] {
  return first?.fields.map((field) => anonymous(field, first)) ?? [];
}

/** What holds a removal back, as text. */
export function explainHold(because: string): string {
  return Object.hasOwn(holds, because) ? (holds[because] ?? because) : because;
}

const holds: Readonly<Record<string, string>> = {
  budget: "more removals than the deletion budget allows",
  "held-by-bad-file": "a file with errors may still declare it",
  "not-synced": "the hub could not be listed whole",
  "empty-tree": "the commit has no readable document of a fleet, and without one nothing is removed",
  "not-applied-before": "this repository was never applied before",
  "foreign-history": "the repository's address or branch changed, and its history is another",
  protected: "deletionProtection is set on the hub: an applied commit must take it away first",
  suspended: "the cluster is suspended: it leaves after rollcall resume",
};

/** `Leave` as `leaves the fleet`, for a removal that waits. */
export function explainRemoval({ action }: WithheldChange): string {
  return Object.hasOwn(removals, action) ? (removals[action] ?? action) : action;
}

const removals: Readonly<Record<string, string>> = {
  Leave: "would leave the fleet",
  Move: "would move",
  ProtocolChange: "would change its protocol",
  LabelRemoval: "would lose labels",
  Delete: "would be deleted",
};

/** Agents by wave; those whose wave is not known come last, under undefined. */
export function agentsByWave(agents: readonly AgentRoll[]): ReadonlyMap<number | undefined, readonly AgentRoll[]> {
  const waves = new Map<number | undefined, AgentRoll[]>();
  const sorted = [...agents].sort((a, b) => (a.wave ?? Infinity) - (b.wave ?? Infinity));
  for (const agent of sorted) waves.set(agent.wave, [...(waves.get(agent.wave) ?? []), agent]);
  return waves;
}

/** `5 agents are rolled out anew, 2 at the same time`. */
export function explainAgents(agents: readonly AgentRoll[]): string {
  const first = agents.filter(({ wave }) => wave === 1).length;
  const turns = first > 0 && first < agents.length ? `, ${first} at the same time` : "";
  return `${countOf(agents.length, "agent")} ${oneOrMany(agents.length, "is", "are")} rolled out anew${turns}`;
}

/** The lines of the first waves and of the last one; between them, how many are left out. */
export function boundWaves(lines: readonly string[], most: number): string[] {
  const left = lines.length - most;
  if (left <= 0) return [...lines];
  return [...lines.slice(0, most - 1), `  and ${countOf(left, "more wave")}`, ...lines.slice(-1)];
}

/** `namespace/name`, for people; of a cluster that moves, both names with an arrow between them. */
export function nameWithPredecessor(
  change: Pick<ObjectChange, "namespace" | "name" | "former">,
  arrow: "->" | "→",
): string {
  const name = nameOfChange(change);
  return change.former === undefined ? name : `${change.former} ${arrow} ${name}`;
}

/** `kind namespace/name`, for people. */
export function nameOfChange({ namespace, name }: Pick<ObjectChange, "namespace" | "name">): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/**
 * Where the line that approves belongs, and what to type instead of it. The line follows. `isPlanned`: the daemon may not have
 * read the commit yet, and the command would be refused until then.
 */
export function explainApproval(
  { budget, commit }: Pick<PlanReport, "budget" | "commit">,
  { isCommandNamed = true, isPlanned = false } = {},
): string {
  if (budget.needsDocument === true)
    return "If they are meant, keep one file of the fleet, such as a Policy, and put this line into the message of that commit";
  const command = `rollcall approve-deletions ${commit === undefined ? "<commit>" : shortCommit(commit)} ${budget.approvable ?? budget.wanted}`;
  const signed = budget.needsSignature === true ? " that a listed key signs" : "";
  return `If they are meant, put this line into the message of a commit${signed}${isCommandNamed ? `, or run \`${command}\`${isPlanned ? " after the daemon has read this commit" : ""}` : ""}`;
}

/** How much of a budget is used, in a sentence; undefined when nothing is removed. */
export function explainBudget({ budget, waitingOnBase = [] }: PlanReport): string | undefined {
  const { wanted, recent, limit, approved, isExceeded } = budget;
  if (wanted === 0) return undefined;
  const waiting = waitingOnBase.filter(({ because }) => because === "budget").length;
  const ofBase = waiting > 0 ? ` (${waiting} of ${oneOrMany(wanted, "it", "them")} on the base already)` : "";
  const wish = `${countOf(wanted, "removal")}${ofBase}${recent > 0 ? ` and ${recent} of the last 24 hours` : ""}`;
  if (isExceeded) {
    const tooFew =
      approved === undefined ? "" : ` (${approved} approved, which ${oneOrMany(approved, "is", "are")} not enough)`;
    return `${wish} ${oneOrMany(wanted + recent, "is", "are")} more than the deletion budget of ${limit}${tooFew}: none of them happens, everything else does`;
  }
  if (wanted + recent > limit)
    return `${wish}: over the deletion budget of ${limit}, but approved for ${approved ?? 0}`;
  return `${wish}: within the deletion budget of ${limit}`;
}

/** Names that are listed in one line. */
const mostNames = 20;

/** `a, b and 3 more`: a line of a plan has a bound, since a comment that is too long is cut at the end of a line. */
export function listNames(names: readonly string[]): string {
  return nameSome(names, mostNames);
}
