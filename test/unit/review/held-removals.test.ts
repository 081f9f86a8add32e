import { describe, expect, it } from "vitest";
import { createPlanWorld } from "./plan-world.ts";

const clusterOf = (name: string, spec = "{}"): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\nspec: ${spec}\n`;
const filesOf = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${name}.yaml`, clusterOf(name)]));
const all = filesOf("a", "b", "c");
const unidentified = "kind: [";

type Files = Readonly<Record<string, string>>;
/** The files of a commit, and its message where that matters. */
type Commit = Files | readonly [files: Files, message: string];

function isWithMessage(commit: Commit): commit is readonly [Files, string] {
  return Array.isArray(commit);
}

/** What the last of these commits removes and withholds after a run of the first. */
async function removalsAfter(commits: readonly Commit[]) {
  const world = createPlanWorld();
  for (const each of commits) {
    const [files, message] = isWithMessage(each) ? each : [each];
    world.commit(files, message);
    if (world.plans.length === 0) await world.run();
  }
  await world.run();
  const plan = world.plans.at(-1);
  return [
    ...(plan?.removals ?? []).map(({ cluster }) => cluster),
    ...(plan?.withheld ?? []).map(({ cluster, because }) => `${cluster} ${because}`),
  ];
}

describe("the removal of a cluster whose file is deleted", () => {
  const fewer = filesOf("b", "c");

  it.each<[string, readonly Commit[], string]>([
    [
      "waits beside a new file that cannot be identified",
      [all, { ...fewer, "new.yaml": unidentified }],
      "fleet/a held-by-bad-file",
    ],
    [
      "waits beside such a file that never was good",
      [
        { ...all, "old.yaml": unidentified },
        { ...fewer, "old.yaml": unidentified },
      ],
      "fleet/a held-by-bad-file",
    ],
    [
      "waits beside a file that was added, good at first, since the last commit on the hub",
      [all, { ...all, "new.yaml": clusterOf("n") }, { ...fewer, "new.yaml": unidentified }],
      "fleet/a held-by-bad-file",
    ],
    ["is carried out beside a file that was good", [all, { ...filesOf("b"), "c.yaml": unidentified }], "fleet/a"],
    [
      "is carried out beside a new file with an error whose object is known",
      [all, { ...fewer, "new.yaml": clusterOf("n", "{oops: 1}") }],
      "fleet/a",
    ],
    [
      "waits where its file had another cluster and is broken now",
      [all, { ...fewer, "a.yaml": clusterOf("n") }, { ...fewer, "a.yaml": unidentified }],
      "fleet/a held-by-bad-file",
    ],
    [
      "is carried out where its file had another cluster, beside a broken file that was good",
      [
        all,
        { ...fewer, "a.yaml": clusterOf("n") },
        { ...filesOf("b"), "a.yaml": clusterOf("n"), "c.yaml": unidentified },
      ],
      "fleet/a",
    ],
    ["waits where the files have no document any more", [all, { "a.yaml": "# nothing" }], "fleet/a empty-tree"],
    ["waits where no file declares anything any more", [all, { "README.md": "" }], "fleet/a empty-tree"],
    ["is carried out without any of that", [all, fewer], "fleet/a"],
  ])("%s", async (_what, commits, expected) => {
    const removals = await removalsAfter(commits);
    expect(removals.filter((text) => text.startsWith("fleet/a"))).toEqual([expected]);
  });
});

describe("the removals beyond the budget", () => {
  const approval = "Change\n\nRollcall-Allow-Deletions: 2\n";
  const none = ["fleet/a budget", "fleet/b budget"];

  it.each<[string, readonly Commit[], readonly string[]]>([
    ["wait", [all, filesOf("c")], none],
    ["are let through by the commit that asks for them", [all, [filesOf("c"), approval]], ["fleet/a", "fleet/b"]],
    [
      "are let through by a commit before, which asked for them, too",
      [all, [filesOf("c"), approval], { ...filesOf("c"), "README.md": "" }],
      ["fleet/a", "fleet/b"],
    ],
    [
      "are not let through by one before where a commit between did not ask for one of them",
      [all, [filesOf("c"), approval], filesOf("a", "c"), filesOf("c")],
      none,
    ],
    ["are not let through by one before that did not ask for them", [all, [all, approval], filesOf("c")], none],
    ["are not let through by one of a lower number", [all, [filesOf("c"), approval.replace("2", "1")]], none],
  ])("%s", async (_what, commits, expected) => {
    expect(await removalsAfter(commits)).toEqual(expected);
  });
});
