import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { TestCommit } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";

const commits: readonly TestCommit[] = [
  { files: { "a/b/c": "1", "a-b": "1", "a.b": "1", ab: "1", "ünï çode": "1", become: "1" } },
  { files: { "a/b/c": null, "a/b/d": "2", become: null, "become/x": "1", "not/there": null }, message: "two\n\nlines" },
  { files: { a: "a file", run: { content: "x", mode: "100755" }, link: { content: "run", mode: "120000" } } },
  { files: { sub: { content: "aa".repeat(20), mode: "160000" }, "ab/c": "1" }, committedAtSeconds: 1_700_000_000 },
  { branch: "deep/side", files: { alone: "1" }, from: null },
  { files: { a: null, "a-b": null, "a.b": null, ab: null, "ünï çode": null, "become/x": null } },
];

it("commits of tests are to the byte what git makes of them", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const ours = await createRepository(join(folder.path, "ours"), { isBare: false });
  const packed = await createRepository(join(folder.path, "packed.git"));
  await packed.commit({ files: { first: "1" } });
  await ours.commit({ files: { first: "1" } });
  for (const commit of commits) {
    // Over packed objects git does the work.
    await packed.git("repack", "-adq");
    expect(await ours.commit(commit)).toBe(await packed.commit(commit));
  }
  const merge = { files: { b: "1" }, merge: [(await ours.head("deep/side")) ?? ""] };
  await packed.git("repack", "-adq");
  expect(await ours.commit(merge)).toBe(await packed.commit(merge));
  expect(await ours.head()).toBe(await packed.head());
  expect((await ours.git("count-objects", "-v")).includes("packs: 0")).toBe(true);
  await ours.assertSound();
  await packed.assertSound();
});
