import { expect, it } from "vitest";
import type { PathChange } from "../../../src/git/git.ts";
import { describeEngines } from "./engines.ts";

const decoder = new TextDecoder();

function summary(changes: readonly PathChange[]): string[] {
  return changes.map(({ path, before, after }) => `${before ? (after ? "~" : "-") : "+"} ${path}`);
}

describeEngines("reading", (kind) => {
  const { setUp } = kind;

  it("has no head in an empty repository", async () => {
    const { open } = await setUp();
    const engine = await open();
    expect(await engine.fetchHead("main")).toBeUndefined();
  });

  it("has no head for a branch that does not exist, nor for one whose name begins alike", async () => {
    const { repository, open } = await setUp();
    await repository.commit({ branch: "main2", files: { a: "1" } });
    const engine = await open();
    expect(await engine.fetchHead("main")).toBeUndefined();
    expect(await engine.fetchHead("refs/heads/main2")).toBeUndefined();
  });

  it("refuses a branch name that would leave refs/heads", async () => {
    const { open } = await setUp();
    const engine = await open();
    await expect(engine.fetchHead("../../etc/passwd")).rejects.toMatchObject({ code: "E_GIT_BRANCH_MISSING" });
    await expect(engine.fetchHead("--upload-pack=x")).rejects.toMatchObject({ code: "E_GIT_BRANCH_MISSING" });
  });

  it("lists the branches and where they are, as they are now, packed or not, and brings nothing", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    expect([...(await engine.listBranches())]).toEqual([]);
    const main = await repository.commit({ files: { a: "1" } });
    const other = await repository.commit({ branch: "team/eu-1", files: { a: "2" } });
    await repository.git("pack-refs", "--all");
    const late = await repository.commit({ branch: "after", files: { a: "3" } });
    await repository.git("tag", "v1", main);
    await repository.git("update-ref", "refs/pull/1/head", other);
    expect([...(await engine.listBranches())]).toEqual([
      ["after", late],
      ["main", main],
      ["team/eu-1", other],
    ]);
    await repository.git("update-ref", "-d", "refs/heads/after");
    const moved = await repository.commit({ files: { a: "4" } });
    expect([...(await engine.listBranches())]).toEqual([
      ["main", moved],
      ["team/eu-1", other],
    ]);
    if (kind.transport === "folder") return;
    await expect(engine.readCommit(other)).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
  });

  it("lists a branch that is a symbolic ref to another at the commit of that one", async () => {
    const { repository, open } = await setUp();
    const main = await repository.commit({ files: { a: "1" } });
    await repository.git("symbolic-ref", "refs/heads/trunk", "refs/heads/main");
    await repository.git("symbolic-ref", "refs/heads/adrift", "refs/heads/nowhere");
    const engine = await open();
    expect([...(await engine.listBranches())]).toEqual([
      ["main", main],
      ["trunk", main],
    ]);
  });

  it("reads the head's commit with its message byte for byte", async () => {
    const { repository, open } = await setUp();
    const message =
      "subject — ünïcode\n\nbody  with  spaces \n\nRollcall-Allow-Deletions: 3\nSigned-off-by: A <a@b>\n\n\n";
    const id = await repository.commit({ files: { a: "1" }, message, committedAtSeconds: 1_700_000_001 });
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(id);
    expect(await engine.readCommit(id)).toEqual({
      id,
      treeId: (await repository.git("rev-parse", `${id}^{tree}`)).trim(),
      parents: [],
      author: { name: "Test", email: "test@example.org" },
      committedAtMs: 1_700_000_001_000,
      message,
    });
  });

  it("lists files with their modes, links and submodules unfollowed", async () => {
    const { repository, open, unknownId: submodule } = await setUp();
    const id = await repository.commit({
      files: {
        "b/deep/file.yaml": "x",
        "a.yaml": "y",
        "run.sh": { content: "#!/bin/sh\n", mode: "100755" },
        passwd: { content: "/etc/passwd", mode: "120000" },
        vendored: { content: submodule, mode: "160000" },
        "ünï/ço de.yaml": "z",
        "b.yaml": "sorts before the folder b in git, not here",
      },
    });
    const engine = await open();
    await engine.fetchHead("main");
    const files = await engine.listFiles(id);
    expect(files.map(({ path, mode }) => [path, mode])).toEqual([
      ["a.yaml", "file"],
      ["b.yaml", "file"],
      ["b/deep/file.yaml", "file"],
      ["passwd", "link"],
      ["run.sh", "executable"],
      ["vendored", "submodule"],
      ["ünï/ço de.yaml", "file"],
    ]);
    expect(files.find(({ path }) => path === "vendored")?.blobId).toBe(submodule);
    const link = files.find(({ path }) => path === "passwd");
    expect(decoder.decode(await engine.readBlob(link?.blobId ?? ""))).toBe("/etc/passwd");
  });

  it("lists below literal paths only", async () => {
    const { repository, open } = await setUp();
    const files = { "clusters/eu/a": "1", "clusters/eu-2/a": "1", "clusters/us": "1", "*/a": "1", other: "1" };
    const id = await repository.commit({ files });
    const engine = await open();
    await engine.fetchHead("main");
    const paths = async (...wanted: string[]) => (await engine.listFiles(id, wanted)).map(({ path }) => path);
    expect(await paths("clusters/eu")).toEqual(["clusters/eu/a"]);
    expect(await paths("./clusters/eu/", "clusters/us")).toEqual(["clusters/eu/a", "clusters/us"]);
    expect(await paths("*")).toEqual(["*/a"]);
    expect(await paths("../clusters", "clust")).toEqual([]);
    expect(await paths(".")).toHaveLength(5);
    expect(await paths()).toEqual([]);
  });

  it("compares two commits", async () => {
    const { repository, open } = await setUp();
    const first = await repository.commit({
      files: { "a/x": "1", "a/y": "1", "b/x": "1", gone: "1", becomes: "file", "sub/t": "1" },
    });
    const second = await repository.commit({
      files: {
        "a/x": "2",
        "b/x": { content: "1", mode: "100755" },
        gone: null,
        becomes: null,
        "becomes/folder": "1",
        "sub/t": null,
        sub: "a file now",
        "new/deep/er": "1",
      },
    });
    const engine = await open();
    await engine.fetchHead("main");
    const changes = await engine.changedPaths(first, second);
    expect(summary(changes)).toEqual([
      "~ a/x",
      "~ b/x",
      "- becomes",
      "+ becomes/folder",
      "- gone",
      "+ new/deep/er",
      "+ sub",
      "- sub/t",
    ]);
    expect(changes[1]).toMatchObject({ before: { mode: "file" }, after: { mode: "executable" } });
    expect(summary(await engine.changedPaths(undefined, first))).toHaveLength(6);
    expect(await engine.changedPaths(second, second)).toEqual([]);
    expect(summary(await engine.changedPaths(first, second, ["becomes"]))).toEqual(["- becomes", "+ becomes/folder"]);
  });

  it("refuses a blob over the limit and reads it without one", async () => {
    const { repository, open } = await setUp();
    const id = await repository.commit({ files: { big: "x".repeat(5 * 1024 * 1024) } });
    const engine = await open();
    await engine.fetchHead("main");
    const blobId = (await engine.listFiles(id))[0]?.blobId ?? "";
    await expect(engine.readBlob(blobId, { maximumBytes: 262_144 })).rejects.toMatchObject({
      code: "E_FILE_TOO_LARGE",
      data: { sizeBytes: 5 * 1024 * 1024, maximumBytes: 262_144 },
    });
    expect((await engine.readBlob(blobId)).byteLength).toBe(5 * 1024 * 1024);
  });

  it("names the missing object, and takes no path for an id", async () => {
    const { repository, open, unknownId: unknown } = await setUp();
    await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    await expect(engine.readCommit(unknown)).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
    await expect(engine.readBlob(unknown)).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
    await expect(engine.readBlob("../../HEAD")).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
    await expect(engine.changedPaths(unknown, unknown)).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
  });

  it("refuses an object of another kind than asked for", async () => {
    const { repository, open } = await setUp();
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    const { treeId } = await engine.readCommit(id);
    await expect(engine.readCommit(treeId)).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
    await expect(engine.readBlob(id)).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
  });

  it("follows the branch, one that was rewritten and one that was deleted included", async () => {
    const { repository, open } = await setUp();
    const first = await repository.commit({ files: { a: "1" } });
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(first);
    const second = await repository.commit({ files: { a: "2" } });
    expect(await engine.fetchHead("main")).toBe(second);
    const rewritten = await repository.commit({ files: { a: "3" }, from: first, message: "another history" });
    expect(await engine.fetchHead("main")).toBe(rewritten);
    expect(await engine.isAncestor(second, rewritten)).toBe(false);
    const unrelated = await repository.commit({ files: { b: "1" }, from: null });
    expect(await engine.fetchHead("main")).toBe(unrelated);
    expect((await engine.listFiles(unrelated)).map(({ path }) => path)).toEqual(["b"]);
    await repository.git("update-ref", "-d", "refs/heads/main");
    expect(await engine.fetchHead("main")).toBeUndefined();
    await repository.git("update-ref", "refs/heads/main", first);
    expect(await engine.fetchHead("main")).toBe(first);
  });

  it("reads packed refs and packed objects, and what comes after packing", async () => {
    const { repository, open } = await setUp();
    const first = await repository.commit({ files: { "a/b": "1", c: "1" } });
    await repository.git("gc", "-q", "--prune=now");
    await repository.git("pack-refs", "--all");
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(first);
    const second = await repository.commit({ files: { "a/b": "2" } });
    expect(await engine.fetchHead("main")).toBe(second);
    await repository.git("gc", "-q", "--prune=now");
    const blob = (await engine.listFiles(second)).find(({ path }) => path === "a/b");
    expect(decoder.decode(await engine.readBlob(blob?.blobId ?? ""))).toBe("2");
  });

  it("walks histories with merges", async () => {
    const { repository, open, unknownId } = await setUp();
    let atSeconds = 1_800_000_000;
    const commit = (branch: string, files: Record<string, string>, from?: string, merge: string[] = []) =>
      repository.commit({
        branch,
        files,
        message: branch,
        committedAtSeconds: atSeconds++,
        merge,
        ...(from ? { from } : {}),
      });
    const root = await commit("main", { a: "1" });
    const left = await commit("main", { a: "2" });
    const right = await commit("side", { b: "1" }, root);
    const right2 = await commit("side", { b: "2" });
    const merged = await commit("main", { b: "2" }, left, [right2]);
    const tip = await commit("main", { a: "3" });
    const engine = await open();
    await engine.fetchHead("main");
    const list = async (from: string | undefined, to: string, limit?: number) =>
      (await engine.listCommits({ ...(from ? { from } : {}), to, ...(limit ? { limit } : {}) })).map(({ id }) => id);
    expect(await list(undefined, tip)).toEqual([tip, merged, right2, right, left, root]);
    expect(await list(left, tip)).toEqual([tip, merged, right2, right]);
    expect(await list(right2, tip)).toEqual([tip, merged, left]);
    expect(await list(tip, left)).toEqual([]);
    expect(await list(undefined, tip, 2)).toEqual([tip, merged]);
    expect(await list(unknownId, tip, 1)).toEqual([tip]);
    expect((await engine.readCommit(merged)).parents).toEqual([left, right2]);
    expect(await engine.isAncestor(right, tip)).toBe(true);
    expect(await engine.isAncestor(tip, tip)).toBe(true);
    expect(await engine.isAncestor(tip, right)).toBe(false);
    expect(await engine.isAncestor(left, right2)).toBe(false);
    expect(await engine.isAncestor(unknownId, tip)).toBe(false);
  });

  it("gives a commit's signature and what it covers", async () => {
    const { repository, open } = await setUp();
    const tree = (await repository.gitWithInput("", "mktree")).trim();
    const person = "Test <test@example.org> 1800000000 +0000";
    const payload = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nsigned\n`;
    const armoured = "-----BEGIN SSH SIGNATURE-----\nabc\n\ndef\n-----END SSH SIGNATURE-----";
    const header = tree.length === 40 ? "gpgsig" : "gpgsig-sha256";
    const signed = payload.replace("\n\n", `\n${header} ${armoured.replaceAll("\n", "\n ")}\n\n`);
    const id = (await repository.gitWithInput(signed, "hash-object", "-t", "commit", "-w", "--stdin")).trim();
    await repository.git("update-ref", "refs/heads/main", id);
    const engine = await open();
    await engine.fetchHead("main");
    const signature = await engine.readSignature(id);
    expect(decoder.decode(signature?.payload)).toBe(payload);
    expect(signature?.armoured).toBe(armoured);
    const unsigned = await repository.commit({ files: { a: "1" } });
    await engine.fetchHead("main");
    expect(await engine.readSignature(unsigned)).toBeUndefined();
  });

  it("A27 reports unsafe names in trees and follows none of them", async () => {
    const { repository, open } = await setUp();
    const blob = (await repository.gitWithInput("x", "hash-object", "-w", "--stdin")).trim();
    const rawTree = async (...entries: [string, string, string][]): Promise<string> => {
      const parts = entries.flatMap(([mode, name, id]) => [
        Buffer.from(`${mode} ${name}\0`, "latin1"),
        Buffer.from(id, "hex"),
      ]);
      const args = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"];
      return (await repository.gitWithInput(Buffer.concat(parts), ...args)).trim();
    };
    const inner = await rawTree(["100644", "config", blob]);
    const tree = await rawTree(
      ["40000", "..", inner],
      ["40000", ".GIT", inner],
      ["100644", "..\\x", blob],
      ["100644", "a/b", blob],
      ["100644", "bad\xff", blob],
      ["100644", "fine.yaml", blob],
      ["40000", "git~1", inner],
      ["40000", ".g\u00e2\u0080\u008cit", inner],
    );
    const id = (await repository.git("commit-tree", "-m", "unsafe", tree)).trim();
    await repository.git("update-ref", "refs/heads/main", id);
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(id);
    const files = await engine.listFiles(id);
    expect(files.map(({ path, isUnsafe = false }) => [path, isUnsafe])).toEqual([
      ["../config", true],
      ["..\\x", true],
      [".GIT/config", true],
      [".g\u200cit/config", true],
      ["a/b", true],
      ["bad\ufffd", true],
      ["fine.yaml", false],
      ["git~1/config", true],
    ]);
    expect(await engine.changedPaths(undefined, id)).toHaveLength(8);
  });

  it("A16 gives up on a tree of nested copies before it takes all memory", async () => {
    const { repository, open } = await setUp();
    let tree = (await repository.gitWithInput("", "mktree")).trim();
    for (let level = 0; level < 12; level++) {
      const lines = [..."abcdefghij"].map((name) => `040000 tree ${tree}\t${name}\n`);
      tree = (await repository.gitWithInput(lines.join(""), "mktree")).trim();
    }
    const id = (await repository.git("commit-tree", "-m", "bomb", tree)).trim();
    await repository.git("update-ref", "refs/heads/main", id);
    const engine = await open({ maximumEntries: 1000 });
    expect(await engine.fetchHead("main")).toBe(id);
    const tooMany = { code: "E_TOO_MANY_FILES", data: { maximumEntries: 1000 } };
    await expect(engine.listFiles(id)).rejects.toMatchObject(tooMany);
    await expect(engine.changedPaths(undefined, id)).rejects.toMatchObject(tooMany);
    expect(await engine.listFiles(id, ["a/b/c/d/e/f/g/h/i/j/a/b"])).toEqual([]);
  });

  it("stops when its signal is aborted", async () => {
    const { repository, open } = await setUp();
    await repository.commit({ files: { a: "1" } });
    const engine = await open();
    const reason = new Error("enough");
    await expect(engine.fetchHead("main", AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await engine.fetchHead("main")).toBeDefined();
  });
});
