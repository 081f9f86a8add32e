import { appendAll } from "../../core/append-all.ts";
import pc from "picocolors";
import { printable } from "../../core/printable.ts";
import { shortCommit } from "../../core/short-commit.ts";
import { countOf } from "../../core/count-of.ts";
import type { ChangedField, ObjectChange, PlanReport } from "../../model/generated/plan-report.ts";
import type { Problem } from "../../model/problem.ts";
import type { FoldedChange } from "../../planning/plan-words.ts";
import {
  agentsByWave,
  countByKind,
  explainAgents,
  explainApproval,
  boundWaves,
  countOfKind,
  explainBudget,
  explainHold,
  explainRemoval,
  foldChanges,
  hasChanges,
  listNames,
  nameOfChange,
  nameWithPredecessor,
  summarizePlan,
} from "../../planning/plan-words.ts";
import { boundFields, showChange, showValue } from "../../planning/show-values.ts";
import { renderProblems } from "./render-problems.ts";

/** Labels and annotations of one object; all other fields are shown. */
const mostFields = 12;
/** Entries of one section; what is removed is always named. */
const mostEntries = 100;
/** With more new objects than this, each Cluster is one line. What a new token admits is always shown. */
const mostWithFields = 10;

type Colours = ReturnType<typeof pc.createColors>;

/** A plan as text for a terminal: removals first and loud, then what waits, what is made and what changes. */
export function renderPlan(report: PlanReport, { isColour }: { readonly isColour: boolean }): string {
  const colours = pc.createColors(isColour);
  const { changes, notes, problems } = report;
  const of = (...actions: ObjectChange["action"][]): ObjectChange[] =>
    changes.filter(({ action }) => actions.includes(action));
  const sections = [
    notes.map((note) => colours.yellow(`note: ${printable(note)}`)).join("\n"),
    renderRemovals(of("Leave", "Delete"), colours),
    renderWithheld(report, colours),
    renderWaiting(report),
    renderSection("Moves", of("Move"), { mark: colours.cyan("→"), colours }),
    renderSection("Creates", of("Create"), { mark: colours.green("+"), colours }),
    renderSection("Changes", of("Update"), { mark: colours.yellow("~"), colours }),
    renderSelectors(report, colours),
    renderAgents(report, colours),
    problems.length === 0 ? "" : renderProblems(problems as readonly Problem[], { isColour }).trimEnd(),
    renderSummary(report, colours),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function renderRemovals(removals: readonly ObjectChange[], colours: Colours): string {
  if (removals.length === 0) return "";
  const banner = ` REMOVES ${countByKind(removals)} `;
  const lines = [`${colours.red("!!!")} ${colours.bold(colours.bgRed(colours.white(banner)))} ${colours.red("!!!")}`];
  for (const change of removals) {
    const { kind, reason = "", effects } = change;
    lines.push(colours.red(`  - ${kind} ${printable(nameOfChange(change))}: ${printable(reason)}`));
    appendAll(
      lines,
      effects.map((effect) => colours.red(`      ${printable(effect)}`)),
    );
  }
  return lines.join("\n");
}

function renderWithheld(report: PlanReport, colours: Colours): string {
  const { withheld, budget } = report;
  const result = explainBudget(report);
  if (withheld.length === 0) return result === undefined || report.waitingOnBase ? "" : `Deletion budget: ${result}.`;
  const lines = [colours.yellow(colours.bold(`WITHHELD ${withheld.length}: these will not happen`))];
  for (const removal of withheld) {
    const what = `${removal.kind} ${nameOfChange(removal)} ${explainRemoval(removal)} (${removal.reason})`;
    lines.push(colours.yellow(`  ! ${printable(what)}: ${explainHold(removal.because)}`));
  }
  if (result !== undefined) lines.push(`  Deletion budget: ${result}.`);
  if (budget.trailer !== undefined) {
    lines.push(`  ${explainApproval(report, { isPlanned: true })}:`, `    ${budget.trailer}`);
  }
  return lines.join("\n");
}

function renderWaiting({ waitingOnBase = [] }: PlanReport): string {
  if (waitingOnBase.length === 0) return "";
  const names = waitingOnBase.map((removal) => printable(nameOfChange(removal)));
  return `Removals that wait on the base: ${waitingOnBase.length}\n  ${listNames(names)}`;
}

interface SectionStyle {
  readonly mark: string;
  readonly colours: Colours;
}

function renderSection(title: string, changes: readonly ObjectChange[], style: SectionStyle): string {
  if (changes.length === 0) return "";
  const folded = foldChanges(changes);
  const isBrief = folded.length > mostWithFields && changes.every(({ action }) => action === "Create");
  const lines = [style.colours.bold(`${title} ${countByKind(changes)}`)];
  for (const fold of folded.slice(0, mostEntries)) appendAll(lines, renderFold(fold, isBrief, style));
  if (folded.length > mostEntries) lines.push(`  and ${folded.length - mostEntries} more; --output json has all`);
  return lines.join("\n");
}

function renderFold(
  { changes, effects, fields }: FoldedChange,
  isBrief: boolean,
  { mark, colours }: SectionStyle,
): string[] {
  const [first] = changes;
  if (first === undefined) return [];
  const names = changes.map((change) => nameWithPredecessor(change, "->"));
  const what =
    changes.length === 1
      ? `${first.kind} ${names[0]}`
      : `${countOfKind(first.kind, changes.length)}: ${listNames(names)}`;
  const place = changes.length === 1 && first.file !== undefined ? `  (${first.file}:${first.line ?? 1})` : "";
  const lines = [`  ${mark} ${printable(what)}${colours.dim(printable(place))}`];
  if (isBrief && first.kind === "Cluster") return lines;
  appendAll(
    lines,
    effects.map((effect) => `      ${printable(effect)}`),
  );
  const { shown, left } = boundFields(fields, mostFields);
  appendAll(
    lines,
    shown.map((field) => `      ${printable(describeField(field, first.action === "Create"))}`),
  );
  if (left > 0) lines.push(`      and ${countOf(left, "more field")}`);
  return lines;
}

function describeField({ path, from, to, isHidden }: ChangedField, isNew: boolean): string {
  if (from === undefined && to === undefined) return `${path}: changes (secret)`;
  if (isNew) return `${path}: ${showValue(to)}`;
  if (from === to) return `${path}: ${showValue(to)} (reverted: another writer changed it)`;
  const shown = showChange({ from, to });
  return `${path}: ${shown.from ?? "unset"} -> ${shown.to ?? "unset"}${isHidden === true ? " (and a secret)" : ""}`;
}

function renderSelectors({ selectors }: PlanReport, colours: Colours): string {
  if (selectors.length === 0) return "";
  const lines = [colours.bold("Groups and rules that select other clusters")];
  for (const selector of selectors.slice(0, mostEntries)) {
    const { kind, before, after, gains, loses } = selector;
    lines.push(`  ${kind} ${printable(nameOfChange(selector))}: ${before} -> ${countOf(after, "cluster")}`);
    if (gains.length > 0) lines.push(colours.green(`      gains ${gains.length}: ${printable(listNames(gains))}`));
    if (loses.length > 0) lines.push(colours.red(`      loses ${loses.length}: ${printable(listNames(loses))}`));
  }
  if (selectors.length > mostEntries) lines.push(`  and ${selectors.length - mostEntries} more; --output json has all`);
  return lines.join("\n");
}

function renderAgents({ agents }: PlanReport, colours: Colours): string {
  if (agents.length === 0) return "";
  const lines = [colours.bold(explainAgents(agents))];
  const waves = agentsByWave(agents);
  for (const [wave, list] of waves) {
    const names = list.map(({ cluster, from, to }) =>
      from === to ? cluster : `${cluster} (${from ?? "unset"} -> ${to ?? "unset"})`,
    );
    lines.push(`  ${wave === undefined || waves.size === 1 ? "" : `wave ${wave}: `}${printable(listNames(names))}`);
  }
  return boundWaves(lines, mostEntries).join("\n");
}

function renderSummary(report: PlanReport, colours: Colours): string {
  const { base, commit, basis } = report;
  const from = base === undefined ? "no commit yet" : shortCommit(base);
  const range = `${from} to ${commit === undefined ? "the work tree" : shortCommit(commit)}`;
  const source =
    basis.source === "Hub"
      ? "against the hub"
      : basis.time === undefined
        ? "by files alone"
        : `against the status branch of ${basis.time}`;
  const summary = `Plan (${range}, ${source}): ${summarizePlan(report)}.`;
  const isRemoving = report.changes.some(({ action }) => action === "Leave" || action === "Delete");
  return isRemoving ? colours.red(colours.bold(summary)) : hasChanges(report) ? colours.bold(summary) : summary;
}
