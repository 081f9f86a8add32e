import { describe, expect, it } from "vitest";
import type { BootstrapOptions } from "../../../src/bootstrap/bootstrap-options.ts";
import { ensureFirstCommit } from "../../../src/bootstrap/first-commit.ts";
import { AppError } from "../../../src/core/errors.ts";
import { headCommit, openSetup } from "./setup.ts";

function open(branches: Readonly<Record<string, readonly string[] | undefined>>) {
  const setup = openSetup();
  for (const [branch, paths] of Object.entries(branches)) setup.state.branches.set(branch, paths ?? []);
  const ensure = (more: Partial<BootstrapOptions> = {}, place: { isThere?: boolean; defaultBranch?: string } = {}) =>
    ensureFirstCommit({ ...setup.options, ...more }, { secret: {}, isThere: true, defaultBranch: undefined, ...place });
  return { ...setup, ensure };
}

const all = ["README.md", "clusters/README.md"];

describe("ensureFirstCommit", () => {
  it.each([
    { has: "no commit", branches: {}, parent: undefined, paths: all },
    {
      has: "only what a forge writes",
      branches: { main: ["readme.md", "LICENSE", "license.txt", "COPYING", ".gitignore", ".gitattributes"] },
      parent: headCommit,
      paths: all,
    },
    {
      has: "one of the files, from a forge",
      branches: { main: ["README.md", "LICENCE.md"] },
      parent: headCommit,
      paths: ["clusters/README.md"],
    },
  ])("commits what is missing to a branch that has $has", async ({ branches, parent, paths }) => {
    const { ensure, state, options } = open(branches);
    expect(await ensure()).toEqual({
      name: "commit",
      state: "created",
      message: `222222222222, ${paths.length === 1 ? "1 file" : "2 files"} on main`,
      details: paths,
    });
    const changes = new Map(paths.map((path) => [path, options.files.get(path)]));
    expect(state.commits).toEqual([{ branch: "main", parent, changes, committedAtMs: 7 }]);
    expect(state.openedGits).toBe(0);
  });

  it.each([
    { main: ["README.md", "clusters/a.yaml"] },
    { main: ["docs/README.md"] },
    { main: ["README.md.bak.old"] },
    { main: ["my-readme"] },
  ])("leaves a branch as it is that has files of its own: %j", async (branches) => {
    const { ensure, state } = open(branches);
    expect(await ensure()).toEqual({ name: "commit", state: "unchanged", message: "main stays at 111111111111" });
    expect([state.commits, state.openedGits]).toEqual([[], 0]);
  });

  it("has nothing to do for an empty branch without files", async () => {
    const { ensure } = open({});
    expect(await ensure({ files: new Map() })).toMatchObject({ state: "unchanged", message: "main stays" });
  });

  it.each([
    { isThere: true, branches: { main: ["README.md"] }, details: ["clusters/README.md"], message: "1 file on main" },
    { isThere: false, branches: {}, details: all, message: "2 files on main" },
  ])("plans what it would commit in a dry run, of a repository that is there: $isThere", async (row) => {
    const { ensure, state } = open(row.branches);
    const step = await ensure({ isDryRun: true }, { isThere: row.isThere });
    expect(step).toEqual({ name: "commit", state: "planned", message: row.message, details: row.details });
    expect([state.commits, state.openedGits]).toEqual([[], 0]);
  });

  it("starts no second history beside the default branch", async () => {
    const { ensure, state } = open({ trunk: ["a"] });
    await expect(ensure({}, { defaultBranch: "trunk" })).rejects.toMatchObject({
      code: "E_USAGE",
      message:
        "the repository has no branch main, and its default branch trunk has commits: " +
        "give --branch trunk, or push main first",
    });
    expect([state.commits, state.openedGits]).toEqual([[], 0]);
  });

  it.each(["main", "empty", undefined])("starts the history where the default branch is %s", async (defaultBranch) => {
    const { ensure } = open({ trunk: ["a"] });
    expect(await ensure({}, defaultBranch === undefined ? {} : { defaultBranch })).toMatchObject({ state: "created" });
  });

  const denied = new AppError("E_GIT_AUTH", "the key is refused");
  it.each([
    { of: "a git server that lacks the key", more: { host: undefined }, error: denied, hasRemedy: true },
    { of: "a forge, which got the key", more: {}, error: denied, hasRemedy: false },
    {
      of: "a git server by token",
      more: { host: undefined, access: { kind: "token", token: "t" } as const },
      error: denied,
      hasRemedy: false,
    },
    {
      of: "a git server that lost a race",
      more: { host: undefined },
      error: new AppError("E_GIT_PUSH_RACE", "another commit came"),
      hasRemedy: false,
    },
  ])("fails as $of does, and asks for the key: $hasRemedy", async ({ more, error, hasRemedy }) => {
    const { ensure, state } = open({});
    state.gitRefusal = error;
    const failed: unknown = await ensure(more).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: error.code, message: error.message });
    expect(failed === error).toBe(!hasRemedy);
    if (hasRemedy) expect(failed).toMatchObject({ remedy: expect.stringContaining("Add the deploy key") as string });
    expect(state.openedGits).toBe(0);
  });
});
