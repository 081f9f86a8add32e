import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { SourceSnapshot } from "../../../src/review/read-source.ts";
import { filesInForce, readSource } from "../../../src/review/read-source.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

let folder: { path: string; remove: () => Promise<void> };
let repository: TestRepository;
let git: GitEngine;

beforeEach(async () => {
  folder = await makeTempFolder();
  repository = await createRepository(join(folder.path, "fleet.git"));
  const url = repository.path;
  git = await openLocalEngine(url, `${url}.cache`);
});
afterEach(async () => {
  await git.close();
  await folder.remove();
});

const path = "eu-1.yaml";

function cluster(displayName: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: eu-1, namespace: fleet}\nspec: {displayName: ${displayName}}\n`;
}

function namesInForce(snapshot: SourceSnapshot): unknown[] {
  return filesInForce(snapshot).flatMap(({ documents }) => documents.map(({ object }) => object["spec"]));
}

it("keeps the newest good version of a bad file, whether it remembers it or starts anew", async () => {
  const options = { git, ...sourceOptions(() => undefined) };
  const applied = await repository.commit({ files: { [path]: cluster("one") } });
  const good = await repository.commit({ files: { [path]: cluster("two"), "other.yaml": "kind: [" } });
  await repository.commit({ files: { [path]: "kind: [yaml" } });
  const head = await repository.commit({ files: { [path]: "kind: [still" } });
  const remembered = await readSource(head, await readSource(good, undefined, applied, options), applied, options);
  const anew = await readSource(head, undefined, applied, options);
  expect(namesInForce(anew)).toEqual([{ displayName: "two" }]);
  expect(namesInForce(remembered)).toEqual([{ displayName: "two" }]);
});

it("A16 reads nothing of a commit whose files are too large together, the same from memory and anew", async () => {
  const options = { git, ...sourceOptions(() => undefined) };
  const small = await repository.commit({ files: { [path]: cluster("one"), "bad.yaml": "kind: [" } });
  const names = Array.from({ length: 257 }, (_, index) => `large/${index}.yaml`);
  const content = `# ${"x".repeat(256 * 1024 - 2)}`;
  const head = await repository.commit({ files: Object.fromEntries(names.map((name) => [name, content])) });
  const before = await readSource(small, undefined, undefined, options);
  expect(before.parsed.size).toBe(2);
  for (const previous of [before, undefined]) {
    const snapshot = await readSource(head, previous, undefined, options);
    expect(snapshot.parsed.size).toBe(0);
    expect(snapshot.pathProblems.map(({ code, file }) => ({ code, file }))).toEqual([
      { code: "E_REPOSITORY_TOO_LARGE", file: "." },
    ]);
  }
});

it("has nothing to keep of a file that was deleted before it came back bad", async () => {
  const options = { git, ...sourceOptions(() => undefined) };
  const applied = await repository.commit({ files: { [path]: cluster("one"), "other.yaml": "a: 1" } });
  await repository.commit({ files: { [path]: null } });
  const head = await repository.commit({ files: { [path]: "kind: [yaml" } });
  expect(namesInForce(await readSource(head, undefined, applied, options))).toEqual([]);
});
