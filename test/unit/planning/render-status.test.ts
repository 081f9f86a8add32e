import { describe, expect, it } from "vitest";
import { Chunks } from "../../../src/core/chunks.ts";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import { clusterRecordPath, clusterRow, renderFleetFiles, toFile } from "../../../src/planning/render-status.ts";
import type { FleetRecords } from "../../../src/planning/status-records.ts";

function readmeOf(summary: object = {}, rest: object = {}): string {
  const records = {
    clusters: [],
    tokens: [],
    problems: { problems: [] },
    ...rest,
    summary: { counts: { clusters: 0 }, ...summary },
  } as unknown as FleetRecords;
  return String(renderFleetFiles(records, new Chunks([Buffer.from("| row |\n")])).get("README.md")?.content);
}

function row(record: Partial<ClusterRecord>): string {
  return clusterRow({ metadata: { name: "a", namespace: "fleet" }, protocol: "rollcall", ...record } as ClusterRecord);
}

const ready = (status: "True" | "False", reason: string) => ({
  conditions: [{ type: "Ready", status, reason, message: "", lastTransitionTime: "t" }],
});

describe("the row of a cluster", () => {
  it.each<[Partial<ClusterRecord>, RegExp]>([
    [{}, /^\| fleet\/a \| \S+ \| Waiting \| {2}\| {2}\| rollcall \|\n$/u],
    [{ ...ready("False", "HeartbeatMissed"), protocol: "fleet" }, /\| HeartbeatMissed \| {2}\| {2}\| fleet \|\n$/u],
    [
      { ...ready("True", "Ready"), kubernetesVersion: "v1.35.0", agent: { version: "v1.0.0" } },
      /\| {2}\| v1\.35\.0 \| v1\.0\.0 \| rollcall \|\n$/u,
    ],
  ])("of %j", (record, text) => {
    expect(row(record)).toMatch(text);
  });
});

describe("the README of the status branch", () => {
  it("counts what is there, and reports that nothing was applied yet", () => {
    const text = readmeOf();
    expect(text).toContain(
      "| clusters | Ready | tokens | errors | warnings |\n|---|---|---|---|---|\n| 0 | 0 | 0 | 0 | 0 |",
    );
    expect(text).toContain("Applied commit: none yet. Last seen commit: none yet.");
    expect(text).toMatch(/\|---\|---\|---\|---\|---\|---\|\n\| row \|\n$/u);
    expect(text).not.toMatch(/withheld|wait|## (?:Tokens|Left|Problems|On)/u);
  });

  it("names where the branch begins, and where the commits before it are", () => {
    const after = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    expect(readmeOf({ history: { since: "2026-01-31T00:00:00Z", after, branch: "rollcall/status-past" } })).toContain(
      "This branch begins at 2026-01-31T00:00:00Z: older commits are squashed. Those up to 4b825dc642cb stay on the branch rollcall/status-past until it begins anew.",
    );
    expect(readmeOf()).not.toContain("begins");
  });

  it("counts by state", () => {
    const counts = { clusters: 3, byState: { Ready: 2, Leaving: 1 }, tokens: 4, errors: 5, warnings: 6 };
    const text = readmeOf({ counts, appliedCommit: "aaa", observedCommit: "bbb" });
    expect(text).toContain(
      "| clusters | Ready | Leaving | tokens | errors | warnings |\n|---|---|---|---|---|---|\n| 3 | 2 | 1 | 4 | 5 | 6 |",
    );
    expect(text).toContain("Applied commit: aaa. Last seen commit: bbb.");
  });

  it.each([
    [{ count: 0 }, undefined],
    [{ count: 1, reason: "budget" }, "**1 removal is withheld** (budget)."],
    [{ count: 2 }, "**2 removals are withheld** (see summary.yaml)."],
  ])("reports of %j: %s", (withheld, line) => {
    const text = readmeOf({ withheld });
    expect(line === undefined ? !text.includes("withheld") : text.includes(line)).toBe(true);
  });

  it.each([
    { count: 2, more: false },
    { count: 5, more: true },
  ])("names files that wait, of $count", ({ count, more }) => {
    const first = [
      { file: "a|b.yaml", reason: "Errors", since: "c".repeat(40) },
      { file: "c.yaml", reason: "Withheld" },
    ];
    const text = readmeOf({ waiting: { count, first } });
    expect(text).toContain("| a\\|b.yaml | it has errors; what it declared before stays | cccccccccccc |");
    expect(text).toContain("| c.yaml | its removal is withheld | not recorded |");
    expect(text.includes("| and 3 more |  |  |")).toBe(more);
    expect(text.includes("more")).toBe(more);
  });

  it.each([
    { count: 1, more: false },
    { count: 4, more: true },
  ])("names objects that no file has, of $count", ({ count, more }) => {
    const text = readmeOf({ hubObjects: { count, first: [{ object: "Cluster/fleet/x", reason: "NotInGit" }] } });
    expect(text).toContain("| Cluster/fleet/x | no file declares it, so nothing serves it |");
    expect(text.includes("| and 3 more |  |")).toBe(more);
    expect(text.includes("more |")).toBe(more);
  });

  it("lists tokens, what was left behind and problems", () => {
    const metadata = { name: "t", namespace: "fleet" };
    const open = { type: "Ready", status: "True", reason: "Open" };
    const tokens = [
      { metadata, conditions: [{ ...open, type: "Stalled", reason: "x" }, open], expires: "2027", uses: 2 },
      { metadata: { ...metadata, name: "u" } },
    ];
    const problems = Array.from({ length: 101 }, (_, line) => ({
      file: "a.yaml",
      line,
      code: "E_X",
      message: `m${line}`,
    }));
    const leftBehind = [{ cluster: "fleet/a", time: "2027", remains: "its agent" }, { cluster: "fleet/b" }];
    const text = readmeOf({ leftBehind }, { tokens, problems: { problems } });
    expect(text).toContain("\n\n## Tokens\n\n| token | state | expires | uses |\n|---|---|---|---|\n");
    expect(text).toContain("| fleet/t | Open | 2027 | 2 |\n| fleet/u | Preparing | never | 0 |\n");
    expect(text).toContain("| fleet/a | 2027 | its agent |\n| fleet/b |  |  |\n");
    expect(text).toContain("| a.yaml:99 | E_X | m99 |\n");
    expect(text).not.toContain("m100");
  });
});

describe("the files of the status branch", () => {
  it("have a record for each token, beside summary and problems", () => {
    const tokens = [{ metadata: { name: "t", namespace: "fleet" }, uses: 1 }];
    const records = { clusters: [], tokens, problems: { problems: [] }, summary: { counts: { clusters: 0 } } };
    const files = renderFleetFiles(records as unknown as FleetRecords, new Chunks([]));
    expect([...files.keys()]).toEqual(["README.md", "summary.yaml", "problems.yaml", "tokens/fleet/t.yaml"]);
    expect(files.get("tokens/fleet/t.yaml")).toEqual(toFile("metadata:\n  name: t\n  namespace: fleet\nuses: 1\n"));
    expect(clusterRecordPath("fleet/a")).toBe("clusters/fleet/a.yaml");
  });
});
