import { describe, expect, it } from "vitest";
import type { GitEngine, PathChange, TreeFile } from "../../../src/git/git.ts";
import { selectFiles as chooseFiles } from "../../../src/manifests/select-files.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import type { MergeInputs } from "../../../src/review/plan-merge.ts";
import { newProblems, planMerge } from "../../../src/review/plan-merge.ts";
import { readSource } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import type { CommitPlace, MemoryGit } from "../reconcile/removals/memory-git.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";
import { createMemoryHub } from "../reconcile/removals/memory-hub.ts";

const clusterOf = (name: string, label = "x"): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet, labels: {env: ${label}}}\n`;
type Files = Readonly<Record<string, string>>;
const filesOf = (...names: readonly string[]): Files =>
  Object.fromEntries(names.map((name) => [`${name}.yaml`, clusterOf(name)]));

/** Plans a merge of `head` into the branch, on a hub that has nothing. */
async function merge(git: MemoryGit, head: string, fields: Partial<MergeInputs> = {}) {
  const source = { ...sourceOptions(() => undefined), ...fields.source };
  const engine = fields.git ?? git;
  const main = await readSource((await git.fetchHead("main")) ?? "", undefined, undefined, { git: engine, ...source });
  const merged = await planMerge({
    git: engine,
    repository: {
      ...{ apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata: { name: "fleet", namespace: "system" } },
      spec: { url: "memory" },
    },
    checkFleet: fleetChecker("system"),
    observed: createMemoryHub().openView(),
    rememberedLabels: () => undefined,
    nowMs: 0,
    ...{ main, head, ...fields, source },
  });
  const { plan, conflicts, changed, commit } = merged;
  return {
    merged,
    created: plan.changes.map(({ ref }) => ref.name),
    problems: plan.problems.map(({ code, file }) => `${code} ${file}`),
    ...{ conflicts, changed: [...changed], commit: commit.id },
  };
}

function open(files: Files) {
  const git = createMemoryGit();
  const start = git.commit(files, "Start\n");
  const beside = (texts: Files, place: CommitPlace = {}): string =>
    git.commit(texts, "Branch\n", { isBeside: true, ...place });
  return { git, start, beside };
}

describe("the files of a merge", () => {
  it("are those of both sides, and the branch is compared with where it began", async () => {
    const { git, beside } = open(filesOf("a", "b"));
    const head = beside(filesOf("a", "b", "c"));
    git.commit(filesOf("a", "b", "d"), "Main\n");
    const { created, changed, conflicts, commit } = await merge(git, head);
    expect([created, changed, conflicts, commit]).toEqual([["a", "b", "c", "d"], ["c.yaml"], [], head]);
  });

  it("are compared with what of the main branch was last merged into the branch", async () => {
    const { git, beside } = open(filesOf("a"));
    const branch = beside(filesOf("a", "b"));
    const main = git.commit(filesOf("a", "c"), "Main\n");
    const head = beside(filesOf("a", "b", "c"), { parents: [branch, main] });
    const { created, changed } = await merge(git, head);
    expect([created, changed]).toEqual([["a", "b", "c"], ["b.yaml"]]);
  });

  it("are those of the main branch where it has the branch already", async () => {
    const { git, start } = open(filesOf("a"));
    git.commit(filesOf("a", "b"), "Main\n");
    const { created, changed, conflicts } = await merge(git, start);
    expect([created, changed, conflicts]).toEqual([["a", "b"], [], []]);
  });

  it("are all of the branch over those of the main branch where they have no history in common", async () => {
    const { git, beside } = open({ ...filesOf("a"), "b.yaml": clusterOf("b", "main") });
    const ranges: unknown[] = [];
    const evaluate: MergeInputs["evaluate"] = (range) => {
      ranges.push(range);
      return Promise.resolve([]);
    };
    const head = beside(filesOf("b", "c"), { parents: [] });
    const { created, changed, conflicts } = await merge(git, head, { evaluate });
    expect([created, changed, conflicts]).toEqual([["a", "b", "c"], ["b.yaml", "c.yaml"], ["b.yaml"]]);
    expect(ranges).toEqual([{ head }]);
  });

  it("have the problems that are found of the branch's commits, from where it began", async () => {
    const { git, start, beside } = open(filesOf("a"));
    const problem: Problem = {
      code: "E_UNVERIFIED",
      severity: "error",
      file: "b.yaml",
      line: 1,
      column: 1,
      message: "no",
    };
    const ranges: unknown[] = [];
    const head = beside(filesOf("a", "b"));
    git.commit(filesOf("a", "c"), "Main\n");
    const evaluate: MergeInputs["evaluate"] = (range) => {
      ranges.push(range);
      return Promise.resolve([problem]);
    };
    const { problems, merged } = await merge(git, head, { evaluate });
    expect([problems, ranges]).toEqual([["E_UNVERIFIED b.yaml"], [{ base: start, head }]]);
    expect(newProblems(merged, [])).toEqual([problem]);
    expect(newProblems({ ...merged, changed: new Set() }, [problem])).toEqual([]);
  });

  it("are in conflict where one side made a file executable", async () => {
    const { git, beside } = open({ ...filesOf("a"), "run.sh": "1", "same.sh": "1" });
    const head = beside({ ...filesOf("a"), "run.sh": "2", "same.sh": "2" });
    const main = git.commit({ ...filesOf("a"), "run.sh": "2", "same.sh": "2" }, "Main\n");
    const asExecutable = (file: TreeFile | undefined): Pick<PathChange, "after"> =>
      file === undefined ? {} : { after: { ...file, mode: "executable" } };
    const engine: GitEngine = {
      ...git,
      changedPaths: async (from, to) =>
        (await git.changedPaths(from, to)).map((change) =>
          to === main && change.path === "run.sh" ? { ...change, ...asExecutable(change.after) } : change,
        ),
    };
    expect((await merge(git, head, { git: engine })).conflicts).toEqual(["run.sh"]);
  });

  it("keep the problems of paths that either side has, and lose those that the branch mends", async () => {
    const { git, beside } = open({ ...filesOf("a"), "main.yaml": "-> a.yaml", "mended.yaml": "-> a.yaml" });
    const head = beside({
      ...filesOf("a"),
      "main.yaml": "-> a.yaml",
      "mended.yaml": clusterOf("m"),
      "new.yaml": "-> a",
    });
    const { problems, created } = await merge(git, head);
    expect([problems, created]).toEqual([
      ["E_SYMLINK main.yaml", "E_SYMLINK new.yaml"],
      ["a", "m"],
    ]);
  });

  it("are those of both sides where the branch has a link, and not read", async () => {
    const { git, beside } = open(filesOf("a"));
    const head = beside({ ...filesOf("a"), "link.yaml": "-> a.yaml" });
    git.commit(filesOf("a", "b"), "Main\n");
    expect(await merge(git, head)).toMatchObject({ created: ["a", "b"], problems: ["E_SYMLINK link.yaml"] });
  });

  it("are as the main branch has them where the branch ignores them no more", async () => {
    const { git, beside } = open({ "a.yaml": clusterOf("a", "old"), ".rollcallignore": "*.yaml\n" });
    const head = beside({ "a.yaml": clusterOf("a", "old") });
    git.commit({ "a.yaml": clusterOf("a", "new"), ".rollcallignore": "*.yaml\n" }, "Main\n");
    const { merged } = await merge(git, head);
    expect(merged.fleet.clusters.map(({ object }) => object.metadata.labels)).toEqual([{ env: "new" }]);
  });

  it("are all of both sides where the list of ignored files costs too much for those of the branch", async () => {
    const list = { ".rollcallignore": "b.yaml\n?.yml\n" };
    const { git, beside } = open({ ...filesOf("a", "b"), ...list });
    const head = beside({ ...filesOf("a", "b", "d", "e"), ...list });
    git.commit({ ...filesOf("a", "b", "c"), ...list }, "Main\n");
    const ordinary = sourceOptions(() => undefined);
    const ignoreText = list[".rollcallignore"];
    // Enough for three files, and not for four.
    const selectFiles: typeof ordinary.selectFiles = (files) => Promise.resolve(chooseFiles(files, { ignoreText }, 32));
    const { created, problems } = await merge(git, head, { source: { ...ordinary, selectFiles } });
    expect(created).toEqual(["a", "b", "c", "d", "e"]);
    expect(problems).toEqual(["E_FILE_TOO_LARGE .rollcallignore"]);
  });

  it("are none where the branch has more than are read", async () => {
    const { git, beside } = open(filesOf("a"));
    const ordinary = sourceOptions(() => undefined);
    const tooMany: Problem = {
      ...{ code: "E_TOO_MANY_FILES", severity: "error", file: ".", line: 1, column: 1, message: "too many" },
    };
    const selectFiles: typeof ordinary.selectFiles = async (files, readText) =>
      files.length > 2 ? { files: [], problems: [tooMany], refused: [] } : ordinary.selectFiles(files, readText);
    const head = beside(filesOf("a", "b", "c"));
    const { problems, created } = await merge(git, head, { source: { ...ordinary, selectFiles } });
    expect([problems, created]).toEqual([["E_TOO_MANY_FILES ."], []]);
  });

  it("keep what a broken file was when it was good, on either side", async () => {
    const { git, beside } = open(filesOf("a", "b"));
    const head = beside({ ...filesOf("b"), "a.yaml": "kind: [" });
    git.commit({ ...filesOf("a"), "b.yaml": "kind: {" }, "Main\n");
    const { problems, merged } = await merge(git, head);
    expect(problems).toEqual(["E_YAML a.yaml", "E_YAML b.yaml"]);
    expect(merged.fleet.clusters.map(({ object }) => object.metadata.name)).toEqual(["a", "b"]);
  });

  it.each([
    ["the branch", filesOf("a"), filesOf("a", "b", "c")],
    ["the main branch", filesOf("a", "b", "c"), filesOf("a")],
  ])("are none, or only those that fit, where %s has too many", async (_side, first, second) => {
    const { git, beside } = open(first);
    const most = (await readSource(git.ids[0] ?? "", undefined, undefined, { git, ...sourceOptions(() => undefined) }))
      .size?.bytes;
    const limit = Math.round(((most ?? 0) * 2) / Object.keys(first).length);
    const source = { ...sourceOptions(() => undefined), fits: ({ bytes }: { bytes: number }) => bytes <= limit };
    const { problems, created } = await merge(git, beside(second), { source });
    const isBranch = Object.keys(second).length > 1;
    expect([problems, created]).toEqual(isBranch ? [["E_REPOSITORY_TOO_LARGE ."], []] : [[], ["a"]]);
  });
});
