import { chmodSync, mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { objectIdOf } from "../../../src/git/objects/git-object.ts";
import { maxProblems } from "../../../src/manifests/bound-problems.ts";
import { maxFileBytes } from "../../../src/manifests/decode-text.ts";
import { maxLocatedLength } from "../../../src/manifests/locate-value.ts";
import type { FileParser } from "../../../src/manifests/parse-file.ts";
import { maxIgnoreBytes } from "../../../src/manifests/select-files.ts";
import { suppressionMark } from "../../../src/manifests/suppressions.ts";
import type { Problem } from "../../../src/model/problem.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import type { KnownFiles } from "../../../src/work-tree/read-folder.ts";
import { openBlobsOfCopy, openKnownBlobs, openKnownFiles, readFolder } from "../../../src/work-tree/read-folder.ts";
import { listWorkTree, readWorkTreeFile } from "../../../src/work-tree/read-work-tree.ts";
import { asOtherUser } from "../../support/as-other-user.ts";
import { createRepository } from "../../support/git-repositories.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "rollcall-folder-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

const idOf = (text: string) => objectIdOf("blob", new TextEncoder().encode(text), "sha1");

/** A parser that finds so many problems in a file as its text asks for, and what it was asked for. */
function openParser() {
  const asked: string[] = [];
  const parseFile: FileParser = ({ path, blobId, bytes }, options) => {
    asked.push(`${path} ${options?.places}`);
    const text = new TextDecoder().decode(bytes);
    const [, severity = "error", count = "0"] = /^# (error|warning) (\d+)/u.exec(text) ?? [];
    const problems = Array.from({ length: Number(count) }, () => ({ file: path, severity }) as Problem);
    return { path, blobId, text, documents: [], problems, isUnidentified: false, brokenObjects: [], parsedPieces: 1 };
  };
  return { asked, parseFile };
}

describe("readFolder", () => {
  it("reads in the order of names, reports how far it is, and passes over what is ignored", () => {
    write({ "b.yaml": "b", "a.yaml": "a", "old/c.yaml": "c", "notes.txt": "n", ".rollcallignore": "old/\n" });
    const { asked, parseFile } = openParser();
    const progress: string[] = [];
    const { files, problems, hasSuppressions } = readFolder(dir, parseFile, undefined, (done, total) =>
      progress.push(`${done}/${total}`),
    );
    expect(asked).toEqual(["a.yaml exact", "b.yaml exact"]);
    expect(files.map(({ path, blobId }) => [path, blobId])).toEqual([
      ["a.yaml", ""],
      ["b.yaml", ""],
    ]);
    expect([progress, problems, hasSuppressions]).toEqual([["1/2", "2/2"], [], false]);
  });

  it("reports a file and a folder that this user may not read, and reads the others", async () => {
    write({ "a.yaml": "a", "b.yaml": "b", "data/c.yaml": "c", "old/d.yaml": "d", ".rollcallignore": "old/\n" });
    chmodSync(dir, 0o755);
    for (const path of ["b.yaml", "data", "old"]) chmodSync(join(dir, path), 0o000);
    const { parseFile } = openParser();
    const { files, problems } = await asOtherUser(() => readFolder(dir, parseFile, undefined));
    expect(files.map(({ path, problems: [first] }) => [path, first?.code, first?.message])).toEqual([
      ["a.yaml", undefined, undefined],
      ["b.yaml", "E_READ", "this user may not read it; nothing in it was checked"],
    ]);
    expect(problems.map(({ file, code, message }) => [file, code, message])).toEqual([
      ["data", "E_READ", "the folder cannot be read; its files were not checked"],
    ]);
    expect(files[1]?.problems[0]?.fix).toContain("`ls -ld b.yaml` shows its owner and rights");
    for (const path of ["data", "old"]) chmodSync(join(dir, path), 0o755);
  });

  it("does not read what git ignores, unless git tracks it or it is named", async () => {
    const repository = await createRepository(dir, { isBare: false });
    write({ "a.yaml": "a", "built/b.yaml": "b", "built/tracked.yaml": "c", "d.yaml": "d" });
    await repository.git("add", "a.yaml", "built/tracked.yaml");
    write({ ".gitignore": "built/\nd.yaml\n" });
    const pathsWith = async (named: readonly string[]) =>
      readFolder(dir, openParser().parseFile, await openKnownFiles(dir, named)).files.map(({ path }) => path);
    expect(await pathsWith([])).toEqual(["a.yaml", "built/tracked.yaml"]);
    expect(await pathsWith(["d.yaml"])).toEqual(["a.yaml", "built/tracked.yaml", "d.yaml"]);
  });

  it("reports an ignore file and a file that are too large, and parses neither", () => {
    write({ "a.yaml": "#".repeat(maxFileBytes + 1), ".rollcallignore": `a.yaml\n${"#".repeat(maxIgnoreBytes)}` });
    const { asked, parseFile } = openParser();
    const { files, problems } = readFolder(dir, parseFile, undefined);
    expect(problems.map(({ file, code }) => `${file} ${code}`)).toEqual([".rollcallignore E_FILE_TOO_LARGE"]);
    expect(files.map(({ path, problems: [first] }) => `${path} ${first?.code}`)).toEqual(["a.yaml E_FILE_TOO_LARGE"]);
    expect(asked).toEqual([]);
  });

  it("searches exact places until there are as many errors as are listed; warnings do not count", () => {
    write({
      "a.yaml": `# warning ${maxProblems}`,
      "b.yaml": `# error ${maxProblems - 1}`,
      "c.yaml": "# error 1",
      "d.yaml": "# error 1",
    });
    const { asked, parseFile } = openParser();
    readFolder(dir, parseFile, undefined);
    expect(asked).toEqual(["a.yaml exact", "b.yaml exact", "c.yaml exact", "d.yaml documents"]);
  });

  it("searches exact places in so many characters of files that only the scanner read and that have problems", () => {
    write({ "a.yaml": "sound", "b.yaml": "parsed", "c.yaml": "half", "d.yaml": "half", "e.yaml": "more" });
    const half = " ".repeat(maxLocatedLength / 2);
    const asked: string[] = [];
    const parseFile: FileParser = ({ path, blobId, bytes }, options) => {
      asked.push(`${path} ${options?.places}`);
      const kind = new TextDecoder().decode(bytes);
      const problems = kind === "sound" ? [] : [{ file: path, severity: "warning" } as Problem];
      const file = { path, blobId, text: half, documents: [], problems, isUnidentified: false, brokenObjects: [] };
      return { ...file, parsedPieces: kind === "half" ? 0 : 1, ...(kind === "sound" ? { parsedPieces: 0 } : {}) };
    };
    readFolder(dir, parseFile, undefined);
    expect(asked).toEqual(["a.yaml exact", "b.yaml exact", "c.yaml exact", "d.yaml exact", "e.yaml documents"]);
  });

  it("notes a suppression in any of the files", () => {
    write({ "a.yaml": `# ${suppressionMark} X`, "b.yaml": "b" });
    expect(readFolder(dir, openParser().parseFile, undefined).hasSuppressions).toBe(true);
  });

  it("parses only what git's index and the cache do not know, and keeps it", () => {
    write({ "a.yaml": "a", "b.yaml": "b", "c.yaml": "c", "large.yaml": "#".repeat(maxFileBytes + 1) });
    const recalled = (path: string): ParsedFile =>
      openParser().parseFile({ path, blobId: "known", bytes: Buffer.of() });
    const [fromIndex, fromContent] = [recalled("a.yaml"), recalled("b.yaml")];
    const kept: string[] = [];
    const known: KnownFiles = {
      format: "sha1",
      index: {
        paths: [],
        blobIdOf: (path) => (path === "a.yaml" ? "of-index" : undefined),
        isLeftOut: () => false,
        leftOut: new Map(),
      },
      rules: undefined,
      leftOut: new Map(),
      isCut: false,
      cache: {
        recall: (_, blobId) => ({ "of-index": fromIndex, [idOf("b")]: fromContent })[blobId],
        keep: ({ path, blobId }) => void kept.push(`${path} ${blobId}`),
        save: () => Promise.resolve(),
      },
    };
    const { asked, parseFile } = openParser();
    const { files } = readFolder(dir, parseFile, known);
    expect([asked, kept]).toEqual([["c.yaml exact"], [`c.yaml ${idOf("c")}`]]);
    expect([files[0] === fromIndex, files[1] === fromContent, files[3]?.blobId]).toEqual([true, true, ""]);
  });
});

describe("what git knows of a folder", () => {
  it("is nothing outside of a repository", async () => {
    expect([await openKnownFiles(dir), await openKnownBlobs(dir)]).toEqual([undefined, undefined]);
  });

  it("is the format of its ids, and what was parsed before", async () => {
    await createRepository(join(dir, "fleet"), { isBare: false });
    expect(await openKnownFiles(join(dir, "fleet"))).toMatchObject({ format: "sha1" });
    expect(await openKnownBlobs(join(dir, "fleet"))).toHaveProperty("recall");
  });

  it("is nothing in a copy of a remote repository that is in a work tree: a commit may have made it", async () => {
    await createRepository(join(dir, "fleet"), { isBare: false });
    expect(await openBlobsOfCopy(join(dir, "fleet/cache"))).toBeUndefined();
    expect(await openBlobsOfCopy(join(dir, "cache"))).toHaveProperty("recall");
  });
});

describe("listWorkTree", () => {
  it("lists files and links in the order of their paths, without installed packages and repositories below", () => {
    write({ "b/c.yaml": "", "b.yaml": "", "node_modules/x.yaml": "", "a/node_modules/y.yaml": "", "sub/z.yaml": "" });
    mkdirSync(join(dir, "sub/.git"));
    mkdirSync(join(dir, ".git"));
    symlinkSync("b", join(dir, "a/link"));
    expect(listWorkTree(dir)).toEqual([
      { path: "a/link", mode: "link" },
      { path: "b.yaml", mode: "file" },
      { path: "b/c.yaml", mode: "file" },
      { path: "sub", mode: "submodule" },
    ]);
  });

  it("fails for a folder that is not there", () => {
    expect(() => listWorkTree(join(dir, "none"))).toThrow(expect.objectContaining({ code: "E_READ" }));
  });
});

describe("readWorkTreeFile", () => {
  it.each([
    { maximumBytes: 5, isRead: true },
    { maximumBytes: 4, isRead: false },
  ])("reads a file of 5 bytes of at most $maximumBytes: $isRead", ({ maximumBytes, isRead }) => {
    write({ "a.yaml": "12345" });
    const bytes = readWorkTreeFile(dir, "a.yaml", maximumBytes);
    expect(bytes && new TextDecoder().decode(bytes)).toBe(isRead ? "12345" : undefined);
  });

  it.each([
    { path: "folder", message: "read folder: it is no plain file" },
    { path: "none.yaml", message: "none.yaml" },
    { path: "link.yaml", message: "link.yaml" },
    { path: "linked/a.yaml", message: "read linked/a.yaml: a folder above it is a link" },
  ])("reads nothing from $path", ({ path, message }) => {
    write({ "folder/a.yaml": "a" });
    symlinkSync("folder/a.yaml", join(dir, "link.yaml"));
    symlinkSync("folder", join(dir, "linked"));
    const code = "E_READ";
    expect(() => readWorkTreeFile(dir, path, 10)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
    );
  });
});
