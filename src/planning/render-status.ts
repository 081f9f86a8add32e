import { appendAll } from "../core/append-all.ts";
import { Chunks, digestOfChunks } from "../core/chunks.ts";
import { sha256Hex } from "../core/digest.ts";
import { escapeMarkdown } from "../core/escape-markdown.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import { shortCommit } from "../core/short-commit.ts";
import { countOf, oneOrMany } from "../core/count-of.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { Condition } from "../model/kubernetes.ts";
import { recordedState } from "./cluster-phase.ts";
import { findCondition } from "./conditions.ts";
import type { FleetRecords } from "./status-records.ts";
import { writeYaml } from "./write-yaml.ts";

export interface StatusFile<Content extends string | Chunks = string | Chunks> {
  /** In parts where it lists the whole fleet: no text of it is made. */
  readonly content: Content;
  /** SHA-256, in hex. */
  readonly digest: string;
}

/**
 * The files of the status branch but those of clusters, checksums and signature, by path. README.md is what a person reads.
 * `rows`: their rows of the README, in the order of compareNames.
 */
export function renderFleetFiles(records: FleetRecords, rows: Chunks): Map<string, StatusFile> {
  const files = new Map<string, StatusFile>([
    ["README.md", toFile(renderReadme(records, rows))],
    ["summary.yaml", toYamlFile(records.summary)],
    ["problems.yaml", toYamlFile(records.problems)],
  ]);
  for (const record of records.tokens) {
    files.set(`tokens/${record.metadata.namespace}/${record.metadata.name}.yaml`, toYamlFile(record));
  }
  return files;
}

/** The path of the record of a cluster (`workspace/name`). */
export function clusterRecordPath(key: string): string {
  return `clusters/${key}.yaml`;
}

/** A record as a file. */
export const toYamlFile = memoizeWeak((record: object): StatusFile<string> => toFile(writeYaml(record)));

export function toFile<Content extends string | Chunks>(content: Content): StatusFile<Content> {
  return { content, digest: content instanceof Chunks ? digestOfChunks(content) : sha256Hex(content) };
}

const waitReasons = {
  Errors: "it has errors; what it declared before stays",
  Withheld: "its removal is withheld",
  WriteFailed: "the hub refused a write",
} as const;

const hubObjectReasons = {
  NotInGit: "no file declares it, so nothing serves it",
  EditedOnHub: "a person set labels or fields that no file has; they have no effect",
} as const;

function renderReadme({ tokens, summary, problems }: FleetRecords, rows: Chunks): Chunks {
  const { counts } = summary;
  const states = Object.entries(counts.byState ?? { Ready: 0 });
  const lines = [
    "# Fleet status",
    "",
    "Written by Rollcall; do not edit, every commit replaces it. The source branch declares what is wanted.",
    "",
    `| clusters | ${states.map(([state]) => state).join(" | ")} | tokens | errors | warnings |`,
    `|---|${"---|".repeat(states.length)}---|---|---|`,
    `| ${[counts.clusters, ...states.map(([, count]) => count), counts.tokens ?? 0, counts.errors ?? 0, counts.warnings ?? 0].join(" | ")} |`,
    "",
    `Applied commit: ${summary.appliedCommit ?? "none yet"}. Last seen commit: ${summary.observedCommit ?? "none yet"}.`,
    "",
  ];
  if (summary.history) {
    const { since, after, branch } = summary.history;
    lines.push(
      `This branch begins at ${since}: older commits are squashed. Those up to ${shortCommit(after)} stay on the branch ${escapeMarkdown(branch)} until it begins anew.`,
      "",
    );
  }
  if (summary.withheld && summary.withheld.count > 0) {
    lines.push(
      `**${countOf(summary.withheld.count, "removal")} ${oneOrMany(summary.withheld.count, "is", "are")} withheld** (${summary.withheld.reason ?? "see summary.yaml"}).`,
      "",
    );
  }
  if (summary.waiting) {
    const { count, first } = summary.waiting;
    lines.push("## Files that wait", "", "| file | why | since |", "|---|---|---|");
    for (const { file, reason, since } of first)
      lines.push(
        `| ${escapeMarkdown(file)} | ${waitReasons[reason]} | ${since === undefined ? "not recorded" : shortCommit(since)} |`,
      );
    appendAll(lines, [...(count > first.length ? [`| and ${count - first.length} more |  |  |`] : []), ""]);
  }
  if (summary.hubObjects) appendAll(lines, [...hubObjectRows(summary.hubObjects), ""]);
  lines.push("## Clusters", "", "| cluster | state | why | version | agent | protocol |", "|---|---|---|---|---|---|");
  const head = `${lines.join("\n")}\n`;
  const tail = tailLines({ tokens, summary, problems }).map((line) => `${line}\n`);
  return new Chunks([Buffer.from(head), ...rows.parts, Buffer.from(tail.join(""))]);
}

/** The lines below the clusters. */
function tailLines({ tokens, summary, problems }: FleetRecords): string[] {
  const lines: string[] = [];
  if (tokens.length > 0) {
    lines.push("", "## Tokens", "", "| token | state | expires | uses |", "|---|---|---|---|");
    for (const { metadata, conditions, expires, uses } of tokens) {
      const state = conditions?.find(({ type }) => type === "Ready")?.reason ?? "Preparing";
      const cells = [`${metadata.namespace}/${metadata.name}`, state, expires ?? "never"].map(escapeMarkdown);
      lines.push(`| ${cells.join(" | ")} | ${uses ?? 0} |`);
    }
  }
  if (summary.leftBehind !== undefined) {
    lines.push("", "## Left behind", "", "| cluster | given up at | what is left there |", "|---|---|---|");
    for (const { cluster, time, remains } of summary.leftBehind)
      lines.push(`| ${[cluster, time ?? "", remains ?? ""].map(escapeMarkdown).join(" | ")} |`);
  }
  if (problems.problems.length > 0) {
    lines.push("", "## Problems", "", "| where | code | what |", "|---|---|---|");
    for (const { file, line, code, message } of problems.problems.slice(0, 100)) {
      lines.push(`| ${escapeMarkdown(`${file}:${line}`)} | ${code} | ${escapeMarkdown(message)} |`);
    }
  }
  return lines;
}

function hubObjectRows({ count, first }: NonNullable<FleetRecords["summary"]["hubObjects"]>): string[] {
  const rows = first.map(({ object, reason }) => `| ${escapeMarkdown(object)} | ${hubObjectReasons[reason]} |`);
  const more = count > first.length ? [`| and ${count - first.length} more |  |`] : [];
  return ["## On the hub, not in git", "", "| object | why |", "|---|---|", ...rows, ...more];
}

/** The row of a cluster in the README, with its line break. */
export function clusterRow(record: ClusterRecord): string {
  const ready: Condition | undefined = findCondition(record.conditions, "Ready");
  return `| ${[
    `${record.metadata.namespace}/${record.metadata.name}`,
    recordedState(record),
    ready?.status === "True" ? "" : (ready?.reason ?? "Waiting"),
    record.kubernetesVersion ?? "",
    record.agent?.version ?? "",
    record.protocol,
  ]
    .map(escapeMarkdown)
    .join(" | ")} |\n`;
}
