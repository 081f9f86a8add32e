import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectIdOf } from "../../../src/git/objects/git-object.ts";
import { maxFileBytes } from "../../../src/manifests/decode-text.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import { maxIgnoreBytes } from "../../../src/manifests/select-files.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import { readBaseFiles, resolveBase } from "../../../src/work-tree/changed-since.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";

const parseFile = createFileParser();
const bytesOf = (text: string) => new TextEncoder().encode(text);
const group = (name: string) =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterGroup\nmetadata: {name: ${name}, namespace: fleet}\nspec: {selector: {}}\n`;

/** A file of the work tree, as it is parsed today. */
function fileNow(path: string, text: string): ParsedFile {
  const bytes = bytesOf(text);
  return parseFile({ path, blobId: objectIdOf("blob", bytes, "sha1"), bytes });
}

describe("readBaseFiles", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let parsed: string[];
  beforeAll(async () => {
    folder = await makeTempFolder();
    repository = await createRepository(`${folder.path}/fleet`, { isBare: false });
    const files = { "same.yaml": group("same"), "edited.yaml": group("before"), "removed.yaml": group("removed") };
    await repository.commit({ files });
    const ignored = {
      "large.yaml": "#".repeat(maxFileBytes + 1),
      "old/a.yaml": group("a"),
      ".rollcallignore": "old/\n",
    };
    await repository.commit({ branch: "ignoring", from: null, files: ignored });
    const overlong = { "a.yaml": group("a"), ".rollcallignore": `a.yaml\n${"#".repeat(maxIgnoreBytes)}` };
    await repository.commit({ branch: "overlong", from: null, files: overlong });
  });
  afterAll(() => folder.remove());

  const read = (revision: string, now: readonly ParsedFile[] = []) => {
    parsed = [];
    const counted: typeof parseFile = (file, ...rest) => {
      parsed.push(file.path);
      return parseFile(file, ...rest);
    };
    return readBaseFiles(repository.path, revision, { now, parseFile: counted });
  };

  it("parses what differs from the work tree, and takes the rest as it is there", async () => {
    const same = fileNow("same.yaml", group("same"));
    const now = [same, fileNow("edited.yaml", group("after")), fileNow("new.yaml", group("new"))];
    const { files, changed } = await read("main", now);
    expect([...changed]).toEqual(["edited.yaml", "new.yaml"]);
    expect(files.find(({ path }) => path === "same.yaml")).toBe(same);
    expect(files.map(({ path, documents }) => [path, documents[0]?.object.metadata.name])).toEqual(
      expect.arrayContaining([
        ["edited.yaml", "before"],
        ["removed.yaml", "removed"],
        ["same.yaml", "same"],
      ]),
    );
    expect([files.length, parsed.sort()]).toEqual([3, ["edited.yaml", "removed.yaml"]]);
  });

  it("takes a file without an id for one that changed: it is too large to be read", async () => {
    const { changed } = await read("main", [{ ...fileNow("same.yaml", group("same")), blobId: "" }]);
    expect([...changed]).toEqual(["same.yaml"]);
    expect(parsed).toContain("same.yaml");
  });

  it("ignores what the commit's own ignore file lists, and reports a file that is too large there", async () => {
    const { files } = await read("ignoring");
    expect(files.map(({ path, problems }) => [path, problems[0]?.code])).toEqual([["large.yaml", "E_FILE_TOO_LARGE"]]);
    expect(parsed).toEqual([]);
  });

  it("ignores nothing by an ignore file that is too large", async () => {
    expect((await read("overlong")).files.map(({ path }) => path)).toEqual(["a.yaml"]);
  });

  it("fails for a commit that is not there, and so does the check before", async () => {
    const missing = { code: "E_GIT_BRANCH_MISSING" };
    await expect(read("none")).rejects.toMatchObject(missing);
    await expect(resolveBase(repository.path, "none")).rejects.toMatchObject(missing);
    await expect(resolveBase(folder.path, "main")).rejects.toMatchObject({ code: "E_GIT_FOLDER" });
  });

  it("reads a clone with ids by SHA-256, also a linked work tree of it, and leaves nothing behind", async () => {
    const path = `${folder.path}/sha256`;
    const other = await createRepository(path, { isBare: false, objectFormat: "sha256" });
    await other.commit({ files: { "a.yaml": group("a") } });
    await other.commit({ files: { "a.yaml": group("b") } });
    await other.git("branch", "beside", "main~1");
    const linked = `${folder.path}/linked`;
    await other.git("worktree", "add", "-q", "--no-checkout", linked, "beside");
    const before = (await readdir(`${path}/.git`)).sort();
    for (const [dir, revision] of [
      [path, "main~1"],
      [linked, "beside"],
    ] as const) {
      await resolveBase(dir, revision);
      const { files } = await readBaseFiles(dir, revision, { now: [], parseFile });
      expect(files.map(({ documents }) => documents[0]?.object.metadata.name)).toEqual(["a"]);
    }
    expect((await readdir(`${path}/.git`)).sort()).toEqual(before);
  });
});
