import pc from "picocolors";
import { countOf, oneOrMany } from "../../core/count-of.ts";
import { formatAge } from "../../core/duration.ts";
import { printable } from "../../core/printable.ts";
import { shellWord } from "../../core/shell-word.ts";
import { shortCommit } from "../../core/short-commit.ts";
import { compareNames } from "../../core/compare-names.ts";
import type {
  ClusterDetail,
  ClusterRow,
  ConditionView,
  RepositorySummary,
  RequestView,
} from "../../model/generated/page-api.ts";
import { countProblems } from "../../model/problem.ts";
import type { HubObject } from "../../planning/hub-objects.ts";
import { renderTable } from "./render-table.ts";

/** Objects that are on the hub and not in git; a person reads no more at once. */
const shownHubObjects = 20;

const noCredential = { state: "NotIssued" } as const;

type Colours = ReturnType<typeof pc.createColors>;

/** The fleet in a table, below the state of git. */
export function renderFleet(
  repositories: readonly RepositorySummary[],
  rows: readonly ClusterRow[],
  isColour: boolean,
): string {
  return repositories.map(describeRepository).join("") + renderClusters(rows, isColour);
}

function describeRepository(repository: RepositorySummary): string {
  const { url, branch, state, message, applied, settled, observed, waiting, writeBackFailure, problems } = repository;
  // Where nothing waits, everything up to the applied commit is settled.
  const isAhead = waiting !== undefined && settled !== undefined && settled.id !== applied?.id;
  const lines = [
    `Repository ${printable(url)} (${printable(branch)})`,
    `  applied ${applied ? printable(shortCommit(applied.id)) : "nothing yet"}, last seen ${observed ? printable(shortCommit(observed.id)) : "none"}`,
    ...(isAhead
      ? [`  settled ${printable(shortCommit(settled.id))}: everything up to it is applied, but what waits below`]
      : []),
    ...(state === "stalled" && !namesFirst(message, problems) ? [`  ${printable(message)}`] : []),
    ...(writeBackFailure === undefined ? [] : [`  the status branch is not written: ${printable(writeBackFailure)}`]),
    ...describeProblems(repository),
    ...(waiting === undefined ? [] : describeWaiting(waiting)),
  ];
  return `${lines.join("\n")}\n\n`;
}

/** Whether a message is that of the first problem, which is in the list of all. */
function namesFirst(message: string, [first]: RepositorySummary["problems"]): boolean {
  return first !== undefined && message.startsWith(`${first.file}:${first.line}:`);
}

/** What is wrong in files, with the place of each. */
function describeProblems({
  errors,
  warnings,
  problems,
}: Pick<RepositorySummary, "errors" | "warnings" | "problems">): string[] {
  if (problems.length === 0) return [];
  const more = errors + warnings - problems.length;
  return [
    `  ${countProblems(errors, warnings)} in files:`,
    ...problems.map(
      ({ file, line, code, severity, message }) =>
        `    ${printable(`${file}:${line}`)} ${severity === "warning" ? "warning " : ""}${printable(`${code} ${message}`)}`,
    ),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

/** Which files are not applied, why, and since which commit. */
function describeWaiting({ count, items }: NonNullable<RepositorySummary["waiting"]>): string[] {
  const more = count - items.length;
  return [
    `  ${countOf(count, "file")} ${oneOrMany(count, "waits", "wait")}:`,
    ...items.map(
      ({ file, message, since }) =>
        `    ${printable(file)}${since === undefined ? "" : ` since ${shortCommit(printable(since.id))}`}: ${printable(message)}`,
    ),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

/**
 * What is on the hub and in no file, with what to do about it. Empty text: nothing. `count`: how many there are, where
 * `objects` are only the first.
 */
export function renderHubObjects(
  objects: readonly Pick<HubObject, "object" | "message">[],
  count: number = objects.length,
): string {
  if (objects.length === 0) return "";
  const shown = objects.slice(0, shownHubObjects);
  const more = count > shown.length ? [`  and ${count - shown.length} more`] : [];
  const lines = shown.map(({ object, message }) => `  ${printable(object)}: ${printable(message)}`);
  return `\n${["On the hub, not in git:", ...lines, ...more].join("\n")}\n`;
}

function renderClusters(rows: readonly ClusterRow[], isColour: boolean): string {
  if (rows.length === 0) return "No clusters.\n";
  const colours = pc.createColors(isColour);
  const cells = rows
    .map((row) => [
      printable(`${row.workspace}/${row.name}`),
      paintState(row, colours),
      printable(row.kubernetesVersion ?? ""),
      printable(row.agentVersion ?? ""),
      row.ready === "True" ? "" : printable(row.reason),
    ])
    .sort(([a = ""], [b = ""]) => compareNames(a, b));
  return renderTable([["CLUSTER", "STATE", "VERSION", "AGENT", "REASON"], ...cells]);
}

/** One cluster explained on one screen. */
export function renderClusterDetail(
  detail: ClusterDetail,
  { isColour, nowMs }: { readonly isColour: boolean; readonly nowMs: number },
): string {
  const colours = pc.createColors(isColour);
  const { cluster, conditions, source, join, beats, nodes, agent, credential } = detail;
  const ago = (time: string): string => `${formatAge(nowMs - Date.parse(time))} ago`;
  const title = cluster.displayName === undefined ? "" : ` (${printable(cluster.displayName)})`;
  const facts: readonly (readonly [string, string])[] = [
    ["declared in", source ? `${source.file}:${source.line}` : "no file"],
    ["joined", join?.time === undefined ? "not yet" : `${ago(join.time)}, ${describeJoin(join)}`],
    ["heartbeat", beats.last === undefined ? "none seen" : ago(beats.last)],
    ["kubernetes", cluster.kubernetesVersion ?? "not reported"],
    ["nodes", nodes ? `${nodes.ready} of ${nodes.total} ready` : "not reported"],
    ["agent", agent?.version ?? "not reported"],
    ["credential", describeCredential(credential)],
  ];
  const lines = [
    `Cluster ${printable(`${cluster.workspace}/${cluster.name}`)}${title}: ${paintState(cluster, colours)}`,
    "",
    ...describeHolds(detail, ago),
    ...(detail.requests ?? []).flatMap((request) => describeRequest(request, ago)),
    ...(conditions.length === 0 ? [`  ${printable(cluster.message ?? "")}`] : []),
    ...conditions.flatMap((condition) => describeCondition(condition, { nowMs, colours })),
    "",
    ...facts.map(([name, text]) => `  ${name.padEnd(12)} ${printable(text)}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** What was asked for, so that no condition reports it. */
function describeHolds({ cluster, settings, leave }: ClusterDetail, ago: (time: string) => string): string[] {
  const key = shellWord(printable(`${cluster.workspace}/${cluster.name}`));
  const since = leave?.since === undefined ? "" : `, since ${ago(leave.since)}`;
  const lines = [
    ...(settings.isSuspended
      ? [`  Suspended: its file and its agent are not followed. What to do: rollcall resume ${key}`]
      : []),
    ...(settings.isPaused
      ? ["  Paused by its file (spec.paused): its agent is not changed; labels and health are still followed."]
      : []),
    ...(leave?.phase === undefined
      ? []
      : [
          `  Offboarding${since}: ${printable(leave.phase)}, as of commit ${printable(shortCommit(leave.commit ?? "unknown"))}`,
        ]),
  ];
  return lines.length === 0 ? [] : [...lines, ""];
}

function describeRequest(
  { decision, reason, message, time, name }: RequestView,
  ago: (time: string) => string,
): string[] {
  const when = time === undefined ? "" : ` ${ago(time)}`;
  const became = decision === "Refused" ? "was refused" : "waits for its file to be merged";
  return [
    `  An agent asked to be it and ${became}${when}: ${printable(reason)} (ClusterRegistration ${printable(name)})`,
    `    ${printable(message)}`,
    "",
  ];
}

function describeJoin({ token, mode }: NonNullable<ClusterDetail["join"]>): string {
  if (token !== undefined) return `by token ${token}`;
  return mode === "HubInitiated" ? "installed by the hub" : "without a token";
}

function describeCredential({
  state,
  number,
  expires,
}: NonNullable<ClusterDetail["credential"]> = noCredential): string {
  if (state === "NotIssued") return "none yet";
  if (state === "Revoked") return "revoked";
  const name = number === undefined ? "" : `number ${number}, `;
  if (expires !== undefined) return `${name}until ${expires}`;
  return `${name}${state === "Valid" ? "valid, no end" : state === "Invalid" ? "not valid" : "unknown to the hub"}`;
}

function describeCondition(
  { type, status, reason, message, next, since }: ConditionView,
  { nowMs, colours }: { readonly nowMs: number; readonly colours: Colours },
): string[] {
  const age = formatAge(nowMs - Date.parse(since));
  return [
    `  ${printable(type).padEnd(17)}${paint(status, colours)} for ${age}: ${printable(reason)}`,
    `    ${printable(message)}`,
    ...(next === undefined ? [] : [`    ${colours.bold("What to do:")} ${printable(next)}`]),
  ];
}

function paint(status: string, colours: Colours): string {
  return status === "True" ? colours.green(status) : status === "False" ? colours.red(status) : colours.yellow(status);
}

/** A state, named as in docs/cluster-states.md. */
function paintState({ phase = "", state }: ClusterRow, colours: Colours): string {
  const text = printable(phase);
  return state === "ready" ? colours.green(text) : state === "notReady" ? colours.red(text) : colours.yellow(text);
}
