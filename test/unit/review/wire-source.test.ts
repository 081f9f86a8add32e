import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { TreeFile } from "../../../src/git/git.ts";
import { maxRepositorySize } from "../../../src/manifests/repository-size.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";

const fileOf = (path: string): TreeFile => ({ path, blobId: path, mode: "file" });
const tree = ["a/1.yaml", "b/2.yaml", "c.txt"].map(fileOf);
const withIgnoreFile = [...tree, fileOf(".rollcallignore")];
const repositoryOf = (paths?: string[]) => ({ spec: { url: "memory", ...(paths ? { paths } : {}) } }) as Repository;

async function select(files: readonly TreeFile[], readText: () => Promise<string>, paths?: string[]) {
  const { files: chosen, problems } = await sourceOptions(() => repositoryOf(paths)).selectFiles(files, readText);
  return { paths: chosen.map(({ path }) => path), codes: problems.map(({ code, file }) => `${code} ${file}`) };
}

const unread = () => Promise.reject(new Error("there is no ignore file"));

describe("sourceOptions", () => {
  it.each<[string, string[] | undefined, string[]]>([
    ["all manifests", undefined, ["a/1.yaml", "b/2.yaml"]],
    ["those below the paths of the Repository", ["b"], ["b/2.yaml"]],
  ])("chooses %s, and reads no ignore file where there is none", async (_what, paths, expected) => {
    expect(await select(tree, unread, paths)).toEqual({ paths: expected, codes: [] });
  });

  it("leaves out what the ignore file names", async () => {
    expect(await select(withIgnoreFile, () => Promise.resolve("a/\n"))).toEqual({ paths: ["b/2.yaml"], codes: [] });
  });

  it("ignores nothing by an ignore file that is too large to be read, and reports it", async () => {
    const tooLarge = () => Promise.reject(new AppError("E_FILE_TOO_LARGE", "read a blob"));
    expect(await select(withIgnoreFile, tooLarge)).toEqual({
      ...{ paths: ["a/1.yaml", "b/2.yaml"], codes: ["E_FILE_TOO_LARGE .rollcallignore"] },
    });
  });

  it("fails where the ignore file cannot be read: what it names must not be applied", async () => {
    const corrupt = () => Promise.reject(new AppError("E_GIT_CORRUPT", "read a blob"));
    await expect(select(withIgnoreFile, corrupt)).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
  });

  it("names the paths that choose files, as they are when it is asked", () => {
    let repository: Repository | undefined;
    const { selection } = sourceOptions(() => repository);
    expect(selection?.()).toBe("[]");
    repository = repositoryOf(["b", "c"]);
    expect(selection?.()).toBe('["b","c"]');
    repository = repositoryOf();
    expect(selection?.()).toBe("[]");
  });

  it("takes what was parsed before, and adds what is parsed now", async () => {
    const kept = new Map<string, ParsedFile>();
    const { recall, parseFile } = sourceOptions(() => undefined, {
      recall: (path, blobId) => kept.get(`${path} ${blobId}`),
      keep: (file) => kept.set(`${file.path} ${file.blobId}`, file),
    });
    const file = { path: "a.yaml", blobId: "1" };
    expect(recall?.({ ...file, mode: "file" })).toBeUndefined();
    const parsed = await parseFile({ ...file, bytes: Buffer.from("kind: Cluster") });
    expect(parsed.text).toBe("kind: Cluster");
    expect(recall?.({ ...file, mode: "file" })).toBe(parsed);
    expect(sourceOptions(() => undefined).recall).toBeUndefined();
  });

  it("reports a file and a repository that are too large", () => {
    const { tooLarge, fits, tooLargeRepository } = sourceOptions(() => undefined);
    expect(tooLarge(fileOf("a.yaml"))).toMatchObject({ path: "a.yaml", problems: [{ code: "E_FILE_TOO_LARGE" }] });
    const size = { bytes: maxRepositorySize.bytes + 1, pieces: 0 };
    expect(tooLargeRepository(size)).toMatchObject({ code: "E_REPOSITORY_TOO_LARGE", file: "." });
    expect([fits(size), fits(maxRepositorySize)]).toEqual([false, true]);
  });
});
