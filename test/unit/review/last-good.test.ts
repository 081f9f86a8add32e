import { expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { readSource } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

function cluster(name: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: { name: ${name}, namespace: fleet }\n`;
}

/** Questions to git for a head with so many files that have had errors for so many commits. */
async function countQuestions(badFiles: number, commits: number): Promise<number> {
  const git = createMemoryGit();
  const names = Array.from({ length: badFiles }, (_, index) => `c${index}`);
  git.commit(Object.fromEntries(names.map((name) => [`${name}.yaml`, cluster(name)])), "Good\n");
  const bad = Object.fromEntries(names.map((name) => [`${name}.yaml`, "kind: ["]));
  for (let count = 0; count < commits; count++) git.commit({ ...bad, "other.txt": `${count}` }, "Bad\n");
  let questions = 0;
  const counting = new Proxy<GitEngine>(git, {
    get: (engine, key): unknown => {
      if (key === "listFiles" || key === "changedPaths" || key === "readCommit") questions += 1;
      return Reflect.get(engine, key);
    },
  });
  const head = git.ids.at(-1) ?? "";
  const { lastGood } = await readSource(head, undefined, undefined, {
    ...sourceOptions(() => undefined),
    git: counting,
  });
  expect(lastGood.size).toBe(badFiles);
  return questions;
}

it("walks history once for all files with errors, however many there are", async () => {
  const commits = 50;
  expect(await countQuestions(40, commits)).toBe(await countQuestions(20, commits));
  expect(await countQuestions(20, commits)).toBeLessThanOrEqual(2 * commits + 10);
});

it("asks git nothing about history where no file has errors", async () => {
  expect(await countQuestions(0, 50)).toBe(await countQuestions(0, 1));
});

it("asks git nothing about history where the commit before was read", async () => {
  const git = createMemoryGit();
  const options = sourceOptions(() => undefined);
  git.commit({ "c0.yaml": cluster("c0") }, "Good\n");
  const broken = git.commit({ "c0.yaml": "kind: [" }, "Bad\n");
  const previous = await readSource(broken, undefined, undefined, { ...options, git });
  const head = git.commit({ "c0.yaml": "kind: [", "c1.yaml": cluster("c1") }, "Another\n");
  const looks: string[] = [];
  const watched: GitEngine = {
    ...git,
    readCommit: (id) => {
      looks.push(id);
      return git.readCommit(id);
    },
    changedPaths: (from, to) => {
      looks.push(from ?? "nothing");
      return git.changedPaths(from, to);
    },
  };
  const { lastGood } = await readSource(head, previous, undefined, { ...options, git: watched });
  expect([...lastGood.keys()]).toEqual(["c0.yaml"]);
  expect(looks).toEqual([head]);
});
