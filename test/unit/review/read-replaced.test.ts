import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { GitEngine, TreeFile } from "../../../src/git/git.ts";
import { readReplaced } from "../../../src/review/read-replaced.ts";
import { readSource } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const good = (name: string, label: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: { name: ${name}, labels: { env: ${label} } }\nspec: {}\n`;
const files = { "a.yaml": good("a", "x"), "b.yaml": good("b", "x"), "notes.txt": "one", ".rollcallignore": "old/\n" };

async function open(first: Readonly<Record<string, string>> = files) {
  const git = createMemoryGit();
  const options = (engine: GitEngine = git) => ({ ...sourceOptions(() => undefined), git: engine });
  const previous = await readSource(git.commit(first, "First\n"), undefined, undefined, options());
  return { git, options, previous };
}

describe("readReplaced", () => {
  it("reads what a read of all files gives, and parses only what changed", async () => {
    const { git, options, previous } = await open();
    const id = git.commit({ ...files, "b.yaml": good("b", "longer"), "notes.txt": "two" }, "Second\n");
    const changed = await readReplaced(id, previous, options());
    const whole = await readSource(id, undefined, undefined, options());
    expect([...(changed?.parsed ?? [])]).toEqual([...whole.parsed]);
    expect([...(changed?.files ?? [])]).toEqual([...whole.files]);
    expect(changed).toMatchObject({ size: whole.size, parsedCount: 1, commit: whole.commit });
    expect(changed?.replaced?.files.map(({ after }) => after.path)).toEqual(["b.yaml"]);
    expect(changed?.parsed.get("a.yaml")).toBe(previous.parsed.get("a.yaml"));
  });

  it.each([
    { reason: "a file is added", second: { ...files, "c.yaml": good("c", "x") } },
    { reason: "a file is removed", second: { "a.yaml": files["a.yaml"], "notes.txt": "one" } },
    { reason: "a file is broken now", second: { ...files, "b.yaml": "kind: [\n" } },
    { reason: "other files are ignored", second: { ...files, ".rollcallignore": "b.yaml\n" } },
  ])("leaves the commit to a read of all files when $reason", async ({ second }) => {
    const { git, options, previous } = await open();
    expect(await readReplaced(git.commit(second, "Second\n"), previous, options())).toBeUndefined();
  });

  it("leaves it to that when a file was broken before", async () => {
    const { git, options, previous } = await open({ ...files, "b.yaml": "kind: [\n" });
    expect(await readReplaced(git.commit(files, "Second\n"), previous, options())).toBeUndefined();
  });

  it("leaves it to that when the branch was not at the commit before", async () => {
    const { git, options, previous } = await open();
    const id = git.commit({ ...files, "b.yaml": good("b", "y") }, "Other\n", { parents: [] });
    expect(await readReplaced(id, previous, options())).toBeUndefined();
  });

  it("leaves it to that when a file becomes a link", async () => {
    const { git, options, previous } = await open();
    const id = git.commit({ ...files, "b.yaml": "a.yaml" }, "Second\n");
    const asLink = (file: TreeFile | undefined): TreeFile | undefined => file && { ...file, mode: "link" };
    const engine: GitEngine = {
      ...git,
      changedPaths: async (from, to) =>
        (await git.changedPaths(from, to)).map((change) => {
          const after = asLink(change.after);
          return { ...change, ...(after ? { after } : {}) };
        }),
    };
    expect(await readReplaced(id, previous, options(engine))).toBeUndefined();
  });

  it.each([
    { reason: "is a link before", before: { mode: "link" as const } },
    { reason: "has an unsafe name before", before: { isUnsafe: true } },
    { reason: "has an unsafe name now", after: { isUnsafe: true } },
  ])("leaves it to that when a file $reason", async ({ before, after }) => {
    const { git, options, previous } = await open();
    const id = git.commit({ ...files, "b.yaml": good("b", "y") }, "Second\n");
    const engine: GitEngine = {
      ...git,
      changedPaths: async (from, to) =>
        (await git.changedPaths(from, to)).map((change) => ({
          ...change,
          ...(change.before ? { before: { ...change.before, ...before } } : {}),
          ...(change.after ? { after: { ...change.after, ...after } } : {}),
        })),
    };
    expect(await readReplaced(id, previous, options())).toBeDefined();
    expect(await readReplaced(id, previous, options(engine))).toBeUndefined();
  });

  it.each([
    { count: 1000, isRead: true },
    { count: 1001, isRead: false },
  ])("reads a commit that changes $count files on top of the one before: $isRead", async ({ count, isRead }) => {
    const texts = (text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`notes-${index}.txt`, text]));
    const { git, options, previous } = await open({ ...files, ...texts("one") });
    const id = git.commit({ ...files, ...texts("two") }, "Second\n");
    expect((await readReplaced(id, previous, options())) !== undefined).toBe(isRead);
  });

  it.each([
    { count: 99, isRead: true },
    { count: 100, isRead: false },
  ])("follows $count commits that came between two reads: $isRead", async ({ count, isRead }) => {
    const { git, options, previous } = await open();
    for (let index = 0; index < count; index++) git.commit(files, "Between\n");
    const id = git.commit({ ...files, "b.yaml": good("b", "y") }, "Last\n");
    expect((await readReplaced(id, previous, options())) !== undefined).toBe(isRead);
  });

  it.each([
    { code: "E_GIT_OBJECT" as const, isRefused: false },
    { code: "E_GIT_CORRUPT" as const, isRefused: true },
  ])(
    "leaves a clone that ends early to a read of all files, and fails otherwise: $code",
    async ({ code, isRefused }) => {
      const { git, options, previous } = await open();
      const between = git.commit(files, "Between\n");
      const id = git.commit({ ...files, "b.yaml": good("b", "y") }, "Last\n");
      const engine: GitEngine = {
        ...git,
        readCommit: (wanted) =>
          wanted === between ? Promise.reject(new AppError(code, "read a commit")) : git.readCommit(wanted),
      };
      const read = readReplaced(id, previous, options(engine));
      await (isRefused ? expect(read).rejects.toMatchObject({ code }) : expect(read).resolves.toBeUndefined());
    },
  );

  it("leaves to that the commit itself, other chosen files, and a commit whose size was not counted", async () => {
    const { git, options, previous } = await open();
    const { size: _size, ...unsized } = previous;
    expect(await readReplaced(previous.commit.id, previous, options())).toBeUndefined();
    const id = git.commit({ ...files, "b.yaml": good("b", "y") }, "Second\n");
    expect(await readReplaced(id, unsized, options())).toBeUndefined();
    expect(await readReplaced(id, previous, { ...options(), selection: () => "other" })).toBeUndefined();
    const { selection: _selection, ...unnamed } = options();
    expect(await readReplaced(id, { ...previous, selection: "" }, unnamed)).toBeDefined();
  });

  it("leaves it to that when a JSON file cannot be read any more", async () => {
    const text = JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "j" } });
    const { git, options, previous } = await open({ ...files, "j.json": text });
    const id = git.commit({ ...files, "j.json": "{" }, "Second\n");
    expect(await readReplaced(id, previous, options())).toBeUndefined();
  });

  it("leaves it to that when the files are too large together", async () => {
    const { git, options, previous } = await open();
    const id = git.commit({ ...files, "b.yaml": good("b", "y") }, "Second\n");
    expect(await readReplaced(id, previous, { ...options(), fits: () => false })).toBeUndefined();
  });

  it.each([
    { reason: "was deleted, and came back broken", between: { "a.yaml": files["a.yaml"], "notes.txt": "one" } },
    { reason: "was good, and broke again", between: { ...files, "b.yaml": good("b", "mended") } },
  ])("reads history where a broken file $reason between two reads", async ({ between }) => {
    const { git, options } = await open();
    const broken = { ...files, "b.yaml": "kind: [\n" };
    const previous = await readSource(git.commit(broken, "Break\n"), undefined, undefined, options());
    git.commit(between, "Between\n");
    const id = git.commit({ ...broken, "a.yaml": good("a", "y") }, "Break again\n");
    const fresh = await readSource(id, undefined, undefined, options());
    const running =
      (await readReplaced(id, previous, options())) ?? (await readSource(id, previous, undefined, options()));
    expect([...running.lastGood]).toEqual([...fresh.lastGood]);
  });

  it("reads only what changed beside a broken file where no commit is between", async () => {
    const { git, options } = await open();
    const broken = { ...files, "b.yaml": "kind: [\n" };
    const previous = await readSource(git.commit(broken, "Break\n"), undefined, undefined, options());
    const id = git.commit({ ...broken, "a.yaml": good("a", "y") }, "Edit\n");
    expect(await readReplaced(id, previous, options())).toMatchObject({ parsedCount: 1, lastGood: previous.lastGood });
  });
});
