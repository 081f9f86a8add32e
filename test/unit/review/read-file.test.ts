import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { readFile, readFileAt } from "../../../src/review/read-file.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const path = "eu-1.yaml";

function stage(failure?: AppError) {
  const memory = createMemoryGit();
  const commit = memory.commit({ [path]: "kind: Cluster\n" }, "One\n");
  const git: GitEngine = failure === undefined ? memory : { ...memory, readBlob: () => Promise.reject(failure) };
  return { commit, options: { ...sourceOptions(() => undefined), git } };
}

describe("readFileAt", () => {
  it("parses the file of a commit", async () => {
    const { commit, options } = stage();
    expect(await readFileAt(commit, path, options)).toMatchObject({ path });
  });

  it("has nothing of a path that the commit does not have, and of a commit that is not here", async () => {
    const { commit, options } = stage();
    expect(await readFileAt(commit, "other.yaml", options)).toBeUndefined();
    expect(await readFileAt("f".repeat(40), path, options)).toBeUndefined();
  });

  it("has the file of that very path, whatever else is listed", async () => {
    const { commit, options } = stage();
    const git: GitEngine = {
      ...options.git,
      listFiles: async (id) => [
        { path: `${path}/b.yaml`, blobId: "b", mode: "file" },
        ...(await options.git.listFiles(id)),
      ],
    };
    expect(await readFileAt(commit, path, { ...options, git })).toMatchObject({ path });
  });

  it.each([new AppError("E_GIT_CORRUPT", "read a tree"), new TypeError("a defect")])(
    "fails where the files of the commit cannot be listed: %s",
    async (failure) => {
      const { commit, options } = stage();
      const git: GitEngine = { ...options.git, listFiles: () => Promise.reject(failure) };
      await expect(readFileAt(commit, path, { ...options, git })).rejects.toBe(failure);
    },
  );

  it("has the problem of a file that is too large", async () => {
    const { commit, options } = stage(new AppError("E_FILE_TOO_LARGE", "read a blob"));
    expect(await readFileAt(commit, path, options)).toMatchObject({ problems: [{ code: "E_FILE_TOO_LARGE" }] });
  });

  it("fails where a blob cannot be read", async () => {
    const { commit, options } = stage(new AppError("E_GIT_CORRUPT", "read a blob"));
    await expect(readFileAt(commit, path, options)).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
  });
});

describe("readFile", () => {
  it("reads nothing of a file that is remembered", async () => {
    const { commit, options } = stage();
    const [file] = await options.git.listFiles(commit);
    if (file === undefined) throw new Error("the commit has no file");
    const known = await readFile(file, options);
    const unreadable = stage(new AppError("E_GIT_CORRUPT", "read a blob")).options;
    expect(await readFile(file, { ...unreadable, recall: () => known })).toBe(known);
  });
});
