import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { PageRecords } from "../../../../src/daemon/page/page-records.ts";
import type { Commit, GitEngine, PathChange, TreeFile } from "../../../../src/git/git.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const source = "a".repeat(40);

interface History {
  /** Commits of the status branch. */
  readonly count: number;
  readonly messageOf?: (number: number) => string;
  /** Paths that each commit changes. Default: the record of one cluster. */
  readonly pathsOf?: (number: number) => readonly string[];
  /** What each version of a record is. Default: a cluster of another Kubernetes version each time. */
  readonly recordOf?: (number: number, path: string) => string;
  /** What each record is. Default: a file. */
  readonly mode?: TreeFile["mode"];
  /** How long it takes to compare a commit. */
  readonly compareMs?: number;
  readonly repository?: object;
}

const clusterText = (number: number): string =>
  stringify({
    kind: "ClusterRecord",
    metadata: { namespace: "fleet", name: "a" },
    protocol: "rollcall",
    kubernetesVersion: `v1.${number}.0`,
    conditions: [{ type: "Ready", status: "True", reason: "Ready", message: "" }],
  });

/** The history of a status branch whose newest commit has the greatest number. */
function open(history: History) {
  const { count, pathsOf = () => ["clusters/fleet/a.yaml"], recordOf = clusterText, compareMs = 0 } = history;
  const clock = createManualClock();
  const read: string[] = [];
  const commitOf = (number: number): Commit => ({
    id: `c${number}`,
    parents: number === 1 ? [] : [`c${number - 1}`],
    treeId: "t",
    author: { name: "Rollcall", email: "r@example.org" },
    committedAtMs: number * 1000,
    message: history.messageOf?.(number) ?? `status: ${number} [skip ci]\n\nRollcall-Source-Commit: ${source}\n`,
  });
  const mode = history.mode ?? "file";
  const fileOf = (number: number, path: string) => ({ path, mode, blobId: `${number} ${path}` });
  const git = {
    fetchHead: async () => `c${count}`,
    readCommit: async (id: string) => commitOf(Number(id.slice(1))),
    listCommits: async ({ limit = 1000 }) =>
      Array.from({ length: Math.min(count, limit) }, (_, index) => commitOf(count - index)),
    changedPaths: async (from: string | undefined, to: string): Promise<PathChange[]> => {
      clock.range(compareMs);
      const [before, after] = [Number(from?.slice(1) ?? 0), Number(to.slice(1))];
      return pathsOf(after).map((path) => ({
        path,
        ...(before === 0 ? {} : { before: fileOf(before, path) }),
        after: fileOf(after, path),
      }));
    },
    listFiles: async (id: string, [path = ""]: readonly string[]) => [fileOf(Number(id.slice(1)), path)],
    readBlob: async (blobId: string) => {
      read.push(blobId);
      const [number = "", path = ""] = blobId.split(" ");
      return Buffer.from(recordOf(Number(number), path));
    },
  } as unknown as GitEngine;
  const records = new PageRecords({
    git,
    clock,
    repository: () => ({ spec: { url: "u" }, ...history.repository }) as unknown as Repository,
    readSource: async () => undefined,
  });
  return { records, read, clock };
}

describe("the history of a status branch, as the page reads it", () => {
  it.each([
    [499, 499, false],
    [500, 500, true],
    [700, 500, true],
  ])("of %s commits has %s, and reports whether it is cut: %s", async (count, shown, isCut) => {
    const { records } = open({ count });
    const list = await records.list();
    expect([list.commits.length, list.isCut]).toEqual([shown, isCut]);
  });

  it.each([
    ["status: 1 [skip ci]\n", "status: 1", undefined],
    ["status: [skip ci] it\n", "status: [skip ci] it", undefined],
    [`s\n\nRollcall-Source-Commit: ${source}\n`, "s", source],
    [`s\n\nRollcall-Source-Commit: ${"b".repeat(64)}\n`, "s", "b".repeat(64)],
    [`s\n\nsee Rollcall-Source-Commit: ${source}\n`, "s", undefined],
    [`s\n\nRollcall-Source-Commit: ${source}0\n`, "s", undefined],
    ["", undefined, undefined],
  ])("has of the message %j its subject and its source commit", async (message, subject, id) => {
    const { records } = open({ count: 1, messageOf: () => message });
    const [commit] = (await records.list()).commits;
    expect([commit?.subject || undefined, commit?.source?.id]).toEqual([subject, id]);
  });

  it("shows the newest sixty entries of a cluster, and reports that there are more", async () => {
    const { records } = open({ count: 61 });
    const { entries, isCut } = await records.timeline("fleet", "a");
    expect([entries.length, entries[0]?.commit?.id, entries.at(-1)?.commit?.id, isCut]).toEqual([
      60,
      "c61",
      "c2",
      true,
    ]);
    const few = await open({ count: 60 }).records.timeline("fleet", "a");
    expect([few.entries.length, few.isCut]).toEqual([60, false]);
  });

  it("reports that a timeline of as many commits as are read at most is cut", async () => {
    const quiet = { pathsOf: (number: number) => (number < 3 ? ["clusters/fleet/a.yaml"] : []) };
    expect((await open({ count: 499, ...quiet }).records.timeline("fleet", "a")).isCut).toBe(false);
    expect((await open({ count: 500, ...quiet }).records.timeline("fleet", "a")).isCut).toBe(true);
  });

  it("cuts an answer that takes four seconds", async () => {
    const { records } = open({ count: 50, compareMs: 500 });
    const { entries, isCut } = await records.timeline("fleet", "a");
    expect([entries.length, isCut]).toEqual([8, true]);
  });

  it.each([
    ["before a change", (number: number) => number === 2],
    ["after a change", (number: number) => number === 3],
  ])("shows no change where the record cannot be read %s", async (_, isBroken) => {
    const recordOf = (number: number): string => (isBroken(number) ? "- [not a record" : clusterText(number));
    const { records } = open({ count: 3, recordOf });
    const { entries } = await records.timeline("fleet", "a");
    expect(entries.map(({ commit }) => commit?.id)).not.toContain("c3");
  });

  it.each(["link", "submodule"] as const)("reads no record that is a %s", async (mode) => {
    const { records, read } = open({ count: 3, mode });
    expect([(await records.timeline("fleet", "a")).entries, read]).toEqual([[], []]);
  });

  describe("of a fleet at one commit", () => {
    const all = () => true;
    const clusters = (amount: number) => () =>
      Array.from({ length: amount }, (_, index) => `clusters/fleet/c${index}.yaml`);

    it("has two hundred changed clusters at most, and the number of all", async () => {
      const { records } = open({ count: 2, pathsOf: clusters(205) });
      const then = await records.fleetAt({ at: "c2", from: "c1" }, all);
      expect([then?.clusters.length, then?.clusterCount]).toEqual([200, 205]);
      expect([then?.at.id, then?.from?.id]).toEqual(["c2", "c1"]);
    });

    it("has no base where it is compared with the commit before", async () => {
      const { records } = open({ count: 2 });
      const then = await records.fleetAt({ at: "c2", from: undefined }, all);
      expect(then?.clusters).toHaveLength(1);
      expect(then).not.toHaveProperty("from");
    });

    it("counts files of clusters alone, and leaves out a cluster of which nothing to show changed", async () => {
      const pathsOf = () => [
        ...["clusters/fleet/a.yaml", "clusters/fleet/deep/a.yaml", "clusters/a.yaml", "clusters/fleet/a.yaml.bak"],
        ...["old/clusters/fleet/a.yaml", "summary.yaml"],
      ];
      const { records } = open({ count: 2, pathsOf, recordOf: () => clusterText(1) });
      const then = await records.fleetAt({ at: "c2", from: "c1" }, all);
      expect([then?.clusterCount, then?.clusters]).toEqual([1, []]);
    });

    it("has fifty states at most, and none where the summary counts none", async () => {
      const states = Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`S${index}`, index === 0 ? "many" : index]),
      );
      const summary = (counts: object) => (_: number, path: string) =>
        path === "summary.yaml" ? stringify({ counts }) : clusterText(1);
      const then = await open({ count: 2, recordOf: summary({ byState: states }) }).records.fleetAt(
        { at: "c2", from: "c1" },
        all,
      );
      expect(then?.states).toHaveLength(50);
      expect(then?.states?.find(({ phase }) => phase === "S0")?.count).toBe(0);
      const without = await open({ count: 2, recordOf: summary({}) }).records.fleetAt({ at: "c2", from: "c1" }, all);
      expect(without).not.toHaveProperty("states");
    });
  });

  it("reads a record once that several answers need, for those who ask at the same time too", async () => {
    const { records, read, clock } = open({ count: 3 });
    await Promise.all([records.timeline("fleet", "a"), records.timeline("fleet", "a")]);
    await clock.advance(6_000);
    await records.timeline("fleet", "a");
    expect(read).toHaveLength(3);
  });
});
