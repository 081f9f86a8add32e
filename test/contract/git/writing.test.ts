import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Chunks } from "../../../src/core/chunks.ts";
import type { CommitRequest, GitEngine, NewContent } from "../../../src/git/git.ts";
import { runGit } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { describeEngines } from "./engines.ts";

// A work tree's own branch is not pushed to; the status branch never is one.
const branch = "rollcall/status";

function request(parent: string | undefined, files: Record<string, NewContent>): CommitRequest {
  return {
    branch,
    parent,
    changes: new Map(Object.entries(files)),
    message: "status: what the fleet is\n\nRollcall-Source-Commit: abc\n",
    author: { name: "Rollcall", email: "rollcall@example.org" },
    committedAtMs: 1_800_000_000_999,
  };
}

async function startStatusBranch(engine: GitEngine, files: Record<string, string>): Promise<string> {
  return engine.commitAndPush(request(undefined, files));
}

async function contentOf(repository: TestRepository, path: string): Promise<string> {
  return repository.git("cat-file", "blob", `${branch}:${path}`);
}

describeEngines("writing", ({ setUp, transport }) => {
  it("makes an orphan branch in an empty repository, byte for byte as asked", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    const id = await startStatusBranch(engine, { "README.md": "hello\n", "clusters/eu/a.yaml": "a: 1\n" });
    expect(await repository.head(branch)).toBe(id);
    expect(await repository.git("cat-file", "commit", id)).toBe(
      [
        `tree ${(await repository.git("rev-parse", `${id}^{tree}`)).trim()}`,
        "author Rollcall <rollcall@example.org> 1800000000 +0000",
        "committer Rollcall <rollcall@example.org> 1800000000 +0000",
        "",
        "status: what the fleet is",
        "",
        "Rollcall-Source-Commit: abc",
        "",
      ].join("\n"),
    );
    const trailers = await repository.git("log", "-1", "--format=%(trailers:key=Rollcall-Source-Commit)", id);
    expect(trailers.trim()).toBe("Rollcall-Source-Commit: abc");
    expect(await repository.fileNames(id)).toEqual(["README.md", "clusters/eu/a.yaml"]);
    await repository.assertSound();
    expect(await engine.fetchHead(branch)).toBe(id);
    expect((await engine.listFiles(id)).map(({ path }) => path)).toEqual(["README.md", "clusters/eu/a.yaml"]);
  });

  it("lays changes over the parent's tree: everything else stays, folders left empty are removed", async () => {
    const { repository, open, unknownId } = await setUp();
    const engine = await open();
    const parent = await repository.commit({
      branch,
      files: {
        "a/b/c/deep.txt": "1",
        "a/b/c/deeper/x": "1",
        "keep/link": { content: "target", mode: "120000" },
        "keep/run.sh": { content: "old", mode: "100755" },
        "keep/sub": { content: unknownId, mode: "160000" },
        "keep/ünï çode 🎉.txt": "1",
        "link-to-replace": { content: "/etc/passwd", mode: "120000" },
        "becomes-file/x": "1",
        "becomes-folder": "1",
        "sort.b": "1",
        "sort/a": "1",
        "sort-c": "1",
      },
    });
    expect(await engine.fetchHead(branch)).toBe(parent);
    const id = await engine.commitAndPush(
      request(parent, {
        "a/b/c/deep.txt": null,
        "a/b/c/deeper/x": null,
        "keep/run.sh": "new",
        "link-to-replace": "a file now",
        "becomes-file": "1",
        "becomes-folder": null,
        "becomes-folder/x/y": new Uint8Array([0, 255, 10]),
        "in-parts": new Chunks([Buffer.alloc(40_000, "a"), Buffer.from([0xff]), Buffer.alloc(40_000, "b")]),
        "not/there": null,
      }),
    );
    await repository.assertSound();
    const tree = await repository.git("ls-tree", "-r", "-z", id);
    const entries = tree.split("\0").filter((line) => line !== "");
    expect(entries.map((line) => line.replace(/ \w+ \w+\t/u, " "))).toEqual([
      "100644 becomes-file",
      "100644 becomes-folder/x/y",
      "100644 in-parts",
      "120000 keep/link",
      "100755 keep/run.sh",
      "160000 keep/sub",
      "100644 keep/ünï çode 🎉.txt",
      "100644 link-to-replace",
      "100644 sort-c",
      "100644 sort.b",
      "100644 sort/a",
    ]);
    expect(await contentOf(repository, "keep/run.sh")).toBe("new");
    expect((await engine.readCommit(id)).parents).toEqual([parent]);
    const bytes = (await engine.listFiles(id, ["becomes-folder"]))[0]?.blobId ?? "";
    expect([...(await engine.readBlob(bytes))]).toEqual([0, 255, 10]);
    const [inParts] = await engine.listFiles(id, ["in-parts"]);
    const whole = Buffer.from(await engine.readBlob(inParts?.blobId ?? "")).toString("latin1");
    expect(whole).toBe(`${"a".repeat(40_000)}\u00ff${"b".repeat(40_000)}`);
  });

  it("pushes nothing when nothing changes, and returns the parent", async () => {
    const { repository, open, server } = await setUp();
    const engine = await open();
    const parent = await startStatusBranch(engine, { "a/b": "1", c: "1" });
    server?.clearRequests();
    expect(await engine.commitAndPush(request(parent, { "a/b": "1", "gone/long/ago": null }))).toBe(parent);
    expect(server?.requests ?? []).toEqual([]);
    expect((await repository.git("rev-list", "--count", branch)).trim()).toBe("1");
  });

  it("can leave the tree empty", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    const parent = await startStatusBranch(engine, { "a/b": "1" });
    const id = await engine.commitAndPush(request(parent, { "a/b": null }));
    await repository.assertSound();
    expect(await repository.fileNames(id)).toEqual([]);
    const again = await engine.commitAndPush(request(id, { c: "1" }));
    expect(await repository.fileNames(again)).toEqual(["c"]);
  });

  it("builds on what was just pushed without fetching it", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    let id = await startStatusBranch(engine, { counter: "0" });
    for (let count = 1; count <= 5; count++) id = await engine.commitAndPush(request(id, { counter: `${count}` }));
    expect(await contentOf(repository, "counter")).toBe("5");
    expect((await repository.git("rev-list", "--count", branch)).trim()).toBe("6");
    expect(await engine.fetchHead(branch)).toBe(id);
    await repository.assertSound();
  });

  it("stores many files at once", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`clusters/${i % 7}/c${i}.yaml`, `n: ${i}\n`]),
    );
    const id = await startStatusBranch(engine, files);
    await repository.assertSound();
    expect(await repository.fileNames(id)).toHaveLength(300);
    expect(await engine.listFiles(id)).toHaveLength(300);
  });

  it("F14 loses a race to a native push, and wins after fetching", async () => {
    const { folder, repository, open } = await setUp();
    const engine = await open();
    const parent = await startStatusBranch(engine, { ours: "1", theirs: "1" });
    const clone = join(folder, "clone");
    await runGit(folder, ["clone", "-q", "-b", branch, repository.path, clone]);
    await writeFile(join(clone, "theirs"), "2");
    await runGit(clone, ["commit", "-qam", "by hand"]);
    await runGit(clone, ["push", "-q", "origin", branch]);
    const theirs = await repository.head(branch);
    await expect(engine.commitAndPush(request(parent, { ours: "2" }))).rejects.toMatchObject({
      code: "E_GIT_PUSH_RACE",
      recovery: "transient",
    });
    expect(await repository.head(branch)).toBe(theirs);
    const head = await engine.fetchHead(branch);
    expect(head).toBe(theirs);
    await engine.commitAndPush(request(head, { ours: "2" }));
    expect([await contentOf(repository, "ours"), await contentOf(repository, "theirs")]).toEqual(["2", "2"]);
    await repository.assertSound();
  });

  it("lets one of two engines win, and never loses a commit", async () => {
    const { repository, open } = await setUp();
    const engines = [await open(), await open()];
    const first = await startStatusBranch(engines[0] ?? (await open()), { start: "1" });
    const workers = engines.map(async (engine, index) => {
      for (let done = 0; done < 4;) {
        const head = await engine.fetchHead(branch);
        try {
          await engine.commitAndPush(request(head, { [`by-${index}-${done}`]: "1" }));
          done += 1;
        } catch (error) {
          expect(error).toMatchObject({ code: "E_GIT_PUSH_RACE" });
        }
      }
    });
    await Promise.all(workers);
    expect(await repository.fileNames(branch)).toHaveLength(9);
    expect((await repository.git("rev-list", "--count", `${first}..${branch}`)).trim()).toBe("8");
    await repository.assertSound();
  });

  it("never forces: a branch that is elsewhere, exists, or was deleted is a lost race", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    const parent = await startStatusBranch(engine, { a: "1" });
    await expect(startStatusBranch(engine, { b: "1" })).rejects.toMatchObject({ code: "E_GIT_PUSH_RACE" });
    const rewritten = await repository.commit({ branch, files: { z: "1" }, from: null });
    await expect(engine.commitAndPush(request(parent, { a: "2" }))).rejects.toMatchObject({ code: "E_GIT_PUSH_RACE" });
    expect(await repository.head(branch)).toBe(rewritten);
    await repository.git("update-ref", "-d", `refs/heads/${branch}`);
    await expect(engine.commitAndPush(request(parent, { a: "2" }))).rejects.toMatchObject({ code: "E_GIT_PUSH_RACE" });
    expect(await repository.head(branch)).toBeUndefined();
  });

  it("begins a new branch on top of another one's commit, once", async () => {
    const { repository, open } = await setUp();
    const base = await repository.commit({ branch: "base", files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("base");
    const proposal = { ...request(base, { b: "1" }), isNewBranch: true };
    const id = await engine.commitAndPush(proposal);
    expect(await repository.head(branch)).toBe(id);
    expect((await engine.readCommit(id)).parents).toEqual([base]);
    expect(await repository.fileNames(id)).toEqual(["a", "b"]);
    const again = { ...request(base, { b: "2" }), isNewBranch: true };
    await expect(engine.commitAndPush(again)).rejects.toMatchObject({ code: "E_GIT_PUSH_RACE" });
    await engine.commitAndPush(request(id, { b: "2" }));
    await repository.assertSound();
  });

  it("refuses a branch that would be a folder of another branch", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    await repository.commit({ branch: "rollcall", files: { a: "1" } });
    await expect(startStatusBranch(engine, { a: "1" })).rejects.toMatchObject({ code: "E_GIT_PUSH_DENIED" });
    await repository.assertSound();
  });

  it("makes a branch where a deleted one left its folder", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    await repository.commit({ branch: `${branch}/below`, files: { a: "1" } });
    await repository.git("update-ref", "-d", `refs/heads/${branch}/below`);
    const id = await startStatusBranch(engine, { a: "1" });
    expect(await repository.head(branch)).toBe(id);
  });

  it("updates a branch that is packed", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    const parent = await startStatusBranch(engine, { a: "1" });
    await repository.git("pack-refs", "--all");
    const id = await engine.commitAndPush(request(parent, { a: "2" }));
    expect(await repository.head(branch)).toBe(id);
    await repository.git("gc", "-q", "--prune=now");
    expect(await engine.fetchHead(branch)).toBe(id);
    expect(await repository.head(branch)).toBe(id);
  });

  it("puts a branch on a commit that the remote has, from exactly where it was", async () => {
    const { repository, open, unknownId } = await setUp();
    const engine = await open();
    const older = await startStatusBranch(engine, { a: "1" });
    const head = await engine.commitAndPush(request(older, { a: "2" }));
    const beside = await repository.commit({ branch: "beside", files: { z: "1" } });
    const past = `${branch}-past`;
    await engine.moveBranch({ branch: past, from: undefined, to: older });
    expect(await repository.head(past)).toBe(older);
    await expect(engine.moveBranch({ branch: past, from: undefined, to: head })).rejects.toMatchObject({
      code: "E_GIT_PUSH_RACE",
    });
    await repository.git("update-ref", `refs/heads/${past}`, beside);
    await expect(engine.moveBranch({ branch: past, from: older, to: head })).rejects.toMatchObject({
      code: "E_GIT_PUSH_RACE",
    });
    await engine.moveBranch({ branch: past, from: beside, to: head });
    await engine.moveBranch({ branch: past, from: head, to: head });
    expect([await repository.head(past), await repository.head(branch)]).toEqual([head, head]);
    await expect(engine.moveBranch({ branch: past, from: head, to: unknownId })).rejects.toThrow();
    expect(await repository.head(past)).toBe(head);
    await repository.assertSound();
    expect(await (await open()).fetchHead(past)).toBe(head);
  });

  it("begins a branch anew with the tree that it has, only from exactly where it was", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    const older = await startStatusBranch(engine, { a: "1", "folder/b": "1" });
    const head = await engine.commitAndPush(request(older, { a: "2" }));
    const beginning = { ...request(older, { a: "3" }), isRoot: true };
    await expect(engine.commitAndPush(beginning)).rejects.toMatchObject({ code: "E_GIT_PUSH_RACE" });
    expect(await repository.head(branch)).toBe(head);

    const root = await engine.commitAndPush({ ...beginning, parent: head });
    expect(await repository.head(branch)).toBe(root);
    expect((await engine.readCommit(root)).parents).toEqual([]);
    expect([await contentOf(repository, "a"), await contentOf(repository, "folder/b")]).toEqual(["3", "1"]);
    const next = await engine.commitAndPush(request(root, { a: "4" }));
    expect((await repository.git("rev-list", branch)).trim().split("\n")).toEqual([next, root]);
    const same = await engine.commitAndPush({ ...request(next, {}), isRoot: true });
    expect((await repository.git("rev-list", branch)).trim()).toBe(same);
    await repository.assertSound();
    expect(await (await open()).fetchHead(branch)).toBe(same);
    expect(await engine.fetchHead(branch)).toBe(same);
  });

  it("leaves a branch as it is where the server refuses forced pushes", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    await repository.git("config", "receive.denyNonFastForwards", "true");
    const older = await startStatusBranch(engine, { a: "1" });
    const head = await engine.commitAndPush(request(older, { a: "2" }));
    const beginning = engine.commitAndPush({ ...request(head, { a: "3" }), isRoot: true });
    // In a folder of this machine, the own engine reads no configuration.
    if (
      transport === "folder" &&
      (await beginning.then(
        () => true,
        () => false,
      ))
    )
      return;
    await expect(beginning).rejects.toMatchObject({ code: "E_GIT_PUSH_DENIED" });
    expect(await repository.head(branch)).toBe(head);
    const next = await engine.commitAndPush(request(head, { a: "3" }));
    expect(await repository.head(branch)).toBe(next);
    await repository.assertSound();
  });

  it("deletes a branch that is where it is expected, packed or not, and no other", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    const id = await startStatusBranch(engine, { a: "1" });
    const newer = await engine.commitAndPush(request(id, { a: "2" }));
    await repository.git("update-ref", "refs/heads/rollcall/other", newer);
    await expect(engine.deleteBranch(branch, id)).rejects.toMatchObject({ code: "E_GIT_PUSH_RACE" });
    await engine.deleteBranch(branch, newer);
    expect(await repository.head(branch)).toBeUndefined();
    expect(await engine.fetchHead(branch)).toBeUndefined();
    await repository.git("pack-refs", "--all");
    await engine.deleteBranch("rollcall/other", newer);
    expect(await repository.head("rollcall/other")).toBeUndefined();
    await engine.deleteBranch("rollcall/other", newer);
    await repository.assertSound();
  });

  it("has its commits signed", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    const payloads: string[] = [];
    const armoured = "-----BEGIN SSH SIGNATURE-----\nabc\n-----END SSH SIGNATURE-----";
    const id = await engine.commitAndPush({
      ...request(undefined, { a: "1" }),
      committer: { name: "Bot", email: "bot@example.org" },
      sign: async (payload) => {
        payloads.push(payload);
        return `${armoured}\n`;
      },
    });
    await repository.assertSound();
    const signature = await engine.readSignature(id);
    expect(signature?.armoured).toBe(armoured);
    expect([new TextDecoder().decode(signature?.payload)]).toEqual(payloads);
    expect(payloads[0]).toMatch(/\nauthor Rollcall <.*\ncommitter Bot <bot@example\.org> /u);
    expect((await engine.readCommit(id)).message).toBe(request(undefined, {}).message);
  });

  it("A12 commits to no path outside of a tree", async () => {
    const { repository, open } = await setUp();
    const engine = await open();
    for (const path of ["../x", "/etc/x", "a/../b", ".git/config", "a//b", "", "a\\b", "a/.GIT/x", "a\0b"]) {
      await expect(startStatusBranch(engine, { [path]: "1" })).rejects.toMatchObject({ code: "E_UNSAFE_PATH" });
    }
    await expect(startStatusBranch(engine, { a: "1", "a/b": "1" })).rejects.toMatchObject({ code: "E_USAGE" });
    expect(await repository.head(branch)).toBeUndefined();
  });

  it("A22 A26 runs no hook and heeds no configuration of the repository", async () => {
    const { folder, repository, open } = await setUp();
    const hooks = join(folder, "evil-hooks");
    await mkdir(hooks);
    const names = ["post-checkout", "pre-commit", "commit-msg", "reference-transaction", "pre-push", "update"];
    for (const name of names) {
      const hook = join(hooks, name);
      await writeFile(hook, `#!/bin/sh\ntouch ${join(folder, "ran")}\n`);
      await chmod(hook, 0o755);
    }
    // A server's own hooks are its own business; those of a folder that is only read and written must not run.
    if (transport === "folder") {
      await repository.git("config", "core.hooksPath", hooks);
      await repository.git("config", "core.fsmonitor", join(hooks, "update"));
    }
    const engine = await open();
    await startStatusBranch(engine, { ".gitattributes": "* filter=evil\n", a: "1" });
    await engine.fetchHead(branch);
    expect(await readdir(folder)).not.toContain("ran");
  });
});
