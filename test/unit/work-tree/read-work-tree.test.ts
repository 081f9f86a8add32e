import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listWorkTree, readWorkTreeFile } from "../../../src/work-tree/read-work-tree.ts";

describe("readWorkTreeFile", () => {
  let folder: string;
  let root: string;
  let outside: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-work-tree-")));
    root = join(folder, "tree");
    outside = join(folder, "outside");
    for (const path of [join(root, "clusters"), outside]) mkdirSync(path, { recursive: true });
    writeFileSync(join(root, "clusters/a.yaml"), "inside");
    writeFileSync(join(outside, "a.yaml"), "outside");
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const read = (): Uint8Array | undefined => readWorkTreeFile(root, "clusters/a.yaml", 100);

  it("reads a file, also below a root that is a link", () => {
    expect(Buffer.from(read() ?? []).toString()).toBe("inside");
    symlinkSync(root, join(folder, "link"));
    expect(readWorkTreeFile(join(folder, "link"), "clusters/a.yaml", 100)).toHaveLength(6);
  });

  it("A14 reads no file that a link replaced after the folder was listed", () => {
    expect(listWorkTree(root)).toEqual([{ path: "clusters/a.yaml", mode: "file" }]);
    rmSync(join(root, "clusters/a.yaml"));
    symlinkSync(join(outside, "a.yaml"), join(root, "clusters/a.yaml"));
    // It is not even opened: opening a device or a pipe has effects of its own.
    expect(read).toThrow(/read clusters\/a\.yaml: it is a link/u);
  });

  it("A14 reads no file below a folder that a link replaced after the folder was listed", () => {
    expect(listWorkTree(root)).toEqual([{ path: "clusters/a.yaml", mode: "file" }]);
    renameSync(join(root, "clusters"), join(folder, "away"));
    symlinkSync(outside, join(root, "clusters"));
    expect(read).toThrow(/read clusters\/a\.yaml: a folder above it is a link/u);
  });

  it("A27 lists what is in a folder whose name is not UTF-8", () => {
    const bad = Buffer.concat([Buffer.from(`${root}/`), Buffer.of(0xff)]);
    mkdirSync(bad);
    writeFileSync(Buffer.concat([bad, Buffer.from("/b.yaml")]), "b");
    expect(listWorkTree(root).map(({ path }) => path)).toEqual(["clusters/a.yaml", "\ufffd/b.yaml"]);
  });

  it.each([
    { reason: "a folder, as in a clone", write: (path: string) => mkdirSync(path) },
    {
      reason: "a file, as in a linked work tree or a submodule",
      write: (path: string) => writeFileSync(path, "gitdir: x\n"),
    },
    { reason: "a link to a folder elsewhere", write: (path: string) => symlinkSync(outside, path) },
  ])("lists no .git of its own where it is $reason", ({ write }) => {
    write(join(root, ".git"));
    expect(listWorkTree(root)).toEqual([{ path: "clusters/a.yaml", mode: "file" }]);
  });

  it.each([
    { reason: "a submodule", write: (path: string) => writeFileSync(path, "gitdir: x\n") },
    { reason: "a clone inside of it", write: (path: string) => mkdirSync(path) },
  ])("lists $reason as a tree has it, without its files", ({ write }) => {
    write(join(root, "clusters/.git"));
    writeFileSync(join(root, "b.yaml"), "b");
    expect(listWorkTree(root)).toEqual([
      { path: "b.yaml", mode: "file" },
      { path: "clusters", mode: "submodule" },
    ]);
  });

  it("A16 reads nothing of a file over the limit", () => {
    expect(readWorkTreeFile(root, "clusters/a.yaml", 5)).toBeUndefined();
  });
});
