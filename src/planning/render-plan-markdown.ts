import { appendAll } from "../core/append-all.ts";
import { escapeMarkdown, markdownCode } from "../core/escape-markdown.ts";
import { shortCommit } from "../core/short-commit.ts";
import { countOf, oneOrMany } from "../core/count-of.ts";
import { countProblems } from "../model/problem.ts";
import type { ChangedField, ObjectChange, PlanReport, SelectorChange } from "../model/generated/plan-report.ts";
import type { FoldedChange } from "./plan-words.ts";
import {
  agentsByWave,
  boundWaves,
  countByKind,
  countOfKind,
  explainAgents,
  explainApproval,
  explainBudget,
  explainHold,
  explainRemoval,
  foldChanges,
  nameOfChange,
  nameWithPredecessor,
  summarizePlan,
} from "./plan-words.ts";
import { boundFields, showChange, showValue } from "./show-values.ts";

/** What is removed is named up to this many; the rest is counted. */
const mostRemovals = 200;
const mostNames = 20;
/** Labels and annotations of one object; all other fields are shown. */
const mostFields = 12;
const mostProblems = 50;
const mostWaves = 50;
/** A section with more entries than this is folded. Removals never are. */
const mostOpen = 10;

/**
 * A plan as the comment of a pull request: removals first, in a box that is never folded, since what is too long is cut at its
 * end; the rest by section, long ones folded. Every text from files is made harmless. The caller cuts it to what the forge takes.
 */
export function renderPlanMarkdown(report: PlanReport): string {
  const { changes, notes } = report;
  const sections = [
    `## Rollcall plan: ${escapeMarkdown(summarizePlan(report))}`,
    renderRemovals(changes.filter(({ action }) => action === "Leave" || action === "Delete")),
    renderWithheld(report),
    notes.map((note) => `> ${escapeMarkdown(note)}`).join("\n>\n"),
    renderWaiting(report),
    renderProblems(report),
    renderChanges(
      "Moves",
      changes.filter(({ action }) => action === "Move"),
    ),
    renderChanges(
      "Creates",
      changes.filter(({ action }) => action === "Create"),
    ),
    renderChanges(
      "Changes",
      changes.filter(({ action }) => action === "Update"),
    ),
    renderSelectors(report.selectors),
    renderAgents(report),
    renderFooter(report),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

function renderRemovals(removals: readonly ObjectChange[]): string {
  if (removals.length === 0) return "";
  const lines = [
    "> [!CAUTION]",
    `> **🛑 This removes ${escapeMarkdown(countByKind(removals))}:**`,
    ">",
    ...removals.slice(0, mostRemovals).map((change) => `> - ${removalLine(change)}`),
    ...more(removals.length - mostRemovals, "> - "),
  ];
  return lines.join("\n");
}

function removalLine(change: ObjectChange): string {
  const { kind, reason = "", effects } = change;
  const words = [reason, ...effects].filter((text) => text !== "").map(escapeMarkdown);
  return `**${escapeMarkdown(kind)}** ${markdownCode(nameOfChange(change))}: ${words.join("; ")}`;
}

function renderWithheld(report: PlanReport): string {
  const { withheld, budget } = report;
  const result = explainBudget(report);
  if (withheld.length === 0)
    return result === undefined || report.waitingOnBase ? "" : `Deletion budget: ${escapeMarkdown(result)}.`;
  const lines = [
    "> [!WARNING]",
    `> **✋ ${countOf(withheld.length, "removal")} ${oneOrMany(withheld.length, "is", "are")} withheld, and will not happen:**`,
    ">",
    ...withheld.slice(0, mostRemovals).map((removal) => {
      const what = `${explainRemoval(removal)} (${removal.reason})`;
      return `> - **${escapeMarkdown(removal.kind)}** ${markdownCode(nameOfChange(removal))} ${escapeMarkdown(what)}: ${escapeMarkdown(explainHold(removal.because))}`;
    }),
    ...more(withheld.length - mostRemovals, "> - "),
  ];
  if (result !== undefined) lines.push(">", `> Deletion budget: ${escapeMarkdown(result)}.`);
  if (budget.trailer !== undefined) {
    lines.push(
      `> ${explainApproval(report, { isCommandNamed: false })}:`,
      ">",
      "> ```",
      `> ${budget.trailer}`,
      "> ```",
    );
  }
  return lines.join("\n");
}

function renderWaiting({ waitingOnBase = [] }: PlanReport): string {
  if (waitingOnBase.length === 0) return "";
  const names = namesOf(waitingOnBase.map(nameOfChange));
  return section(`Removals that wait on the base: ${waitingOnBase.length}`, names, waitingOnBase.length > mostOpen);
}

function renderProblems({ problems }: PlanReport): string {
  if (problems.length === 0) return "";
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const rows = problems.slice(0, mostProblems).map(({ file, line, code, severity, message, fix }) => {
    const advice = fix === undefined ? "" : `<br>${escapeMarkdown(fix)}`;
    return `| ${severity === "error" ? "❌" : "⚠️"} | ${markdownCode(`${file}:${line}`)} | ${escapeMarkdown(code)} | ${escapeMarkdown(message)}${advice} |`;
  });
  return [
    `### ${countProblems(errors, problems.length - errors)} in files`,
    "",
    ...(errors > 0 ? ["What a file with errors declared before stays as it is.", ""] : []),
    "|   | where | code | what |",
    "|---|---|---|---|",
    ...rows,
    ...more(problems.length - mostProblems, "\n"),
  ].join("\n");
}

function renderChanges(title: string, changes: readonly ObjectChange[]): string {
  if (changes.length === 0) return "";
  const folded = foldChanges(changes);
  const body = folded.map(renderFold).join("\n");
  return section(`${title} ${countByKind(changes)}`, body, folded.length > mostOpen);
}

function renderFold({ changes, effects, fields }: FoldedChange): string {
  const [first] = changes;
  if (first === undefined) return "";
  const lines =
    changes.length === 1
      ? [`- **${escapeMarkdown(first.kind)}** ${markdownCode(nameWithPredecessor(first, "→"))}${placeOf(first)}`]
      : [
          `- **${escapeMarkdown(countOfKind(first.kind, changes.length))}**: ${namesOf(changes.map((change) => nameWithPredecessor(change, "→")))}`,
        ];
  for (const effect of effects) lines.push(`  - ${escapeMarkdown(effect)}`);
  const { shown, left } = boundFields(fields, mostFields);
  for (const field of shown) lines.push(`  - ${fieldLine(field, first.action === "Create")}`);
  appendAll(lines, more(left, "  - ", "field"));
  return lines.join("\n");
}

function fieldLine({ path, from, to, isHidden }: ChangedField, isNew: boolean): string {
  if (from === undefined && to === undefined) return `${markdownCode(path)}: changes (secret)`;
  if (isNew) return `${markdownCode(path)}: ${markdownCode(showValue(to))}`;
  if (from === to) return `${markdownCode(path)}: ${markdownCode(showValue(to))} (reverted: another writer changed it)`;
  const shown = showChange({ from, to });
  const rest = isHidden === true ? " (and a secret)" : "";
  return `${markdownCode(path)}: ${codeOrUnset(shown.from)} → ${codeOrUnset(shown.to)}${rest}`;
}

function codeOrUnset(value: string | undefined): string {
  return value === undefined ? "*unset*" : markdownCode(value);
}

function renderSelectors(selectors: readonly SelectorChange[]): string {
  if (selectors.length === 0) return "";
  const rows = selectors.map((selector) => {
    const { kind, before, after, gains, loses } = selector;
    return `| ${escapeMarkdown(kind)} ${markdownCode(nameOfChange(selector))} | ${before} → ${after} | ${namesOf(gains)} | ${loses.length === 0 ? "" : `**${loses.length}:** ${namesOf(loses)}`} |`;
  });
  const table = ["| selector | clusters | gains | loses |", "|---|---|---|---|", ...rows].join("\n");
  return section("Groups and rules that select other clusters", table, selectors.length > mostOpen);
}

function renderAgents({ agents }: PlanReport): string {
  if (agents.length === 0) return "";
  const waves = agentsByWave(agents);
  const lines = [...waves].map(([wave, list]) => {
    const names = list.map(({ cluster, from, to }) =>
      from === to ? cluster : `${cluster} (${from ?? "unset"} → ${to ?? "unset"})`,
    );
    return `- ${wave === undefined || waves.size === 1 ? "" : `wave ${wave}: `}${namesOf(names)}`;
  });
  return section(explainAgents(agents), boundWaves(lines, mostWaves).join("\n"), lines.length > mostOpen);
}

function renderFooter({ commit, base, basis }: PlanReport): string {
  const range = `${base === undefined ? "no commit yet" : shortCommit(base)} to ${commit === undefined ? "the work tree" : shortCommit(commit)}`;
  const source =
    basis.source === "Hub"
      ? `compared with the hub${basis.dryRun === true ? ", which was asked to check each object" : ""}`
      : basis.time === undefined
        ? "compared with the files of that commit"
        : `compared with what the status branch recorded at ${basis.time}`;
  return `<sub>${escapeMarkdown(`From ${range}; ${source}.`)}</sub>`;
}

function section(title: string, body: string, isFolded: boolean): string {
  if (!isFolded) return `### ${escapeMarkdown(title)}\n\n${body}`;
  return `<details><summary><b>${escapeMarkdown(title)}</b></summary>\n\n${body}\n\n</details>`;
}

function namesOf(names: readonly string[]): string {
  const shownNames = names.slice(0, mostNames).map(markdownCode);
  return [...shownNames, ...more(names.length - mostNames, "")].join(", ");
}

function more(count: number, prefix: string, noun = ""): string[] {
  if (count <= 0) return [];
  return [`${prefix}and ${noun === "" ? `${count} more` : countOf(count, `more ${noun}`)}`];
}

function placeOf({ file, line }: ObjectChange): string {
  return file === undefined ? "" : ` (${markdownCode(`${file}:${line ?? 1}`)})`;
}
