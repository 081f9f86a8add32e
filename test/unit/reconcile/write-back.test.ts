import { describe, expect, it } from "vitest";
import { blobIdOf } from "../../../src/core/blob-id.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { CommitRequest, GitEngine } from "../../../src/git/git.ts";
import { toFile } from "../../../src/planning/render-status.ts";
import { StatusFiles } from "../../../src/planning/status-files.ts";
import { StatusBranch } from "../../../src/reconcile/write-back.ts";

/** A status branch in memory: its files by path, its head, and every commit that was pushed. */
function openBranch(contents: Readonly<Record<string, string>> = {}, errors: (Error | undefined)[] = []) {
  const files = new Map(Object.entries(contents));
  let head = files.size === 0 ? undefined : "first";
  let parents: string[] = [];
  const links = new Set<string>();
  const pushed: CommitRequest[] = [];
  const loads: string[] = [];
  const git: Partial<GitEngine> = {
    fetchHead: (branch) => {
      loads.push(branch);
      return Promise.resolve(head);
    },
    readCommit: () => Promise.resolve({ parents } as never),
    listFiles: () =>
      Promise.resolve(
        [...files].map(([path, content]) => ({
          path,
          blobId: blobIdOf(content, "head"),
          mode: links.has(path) ? ("link" as const) : ("file" as const),
        })),
      ),
    readBlob: (id) => {
      const [path, content] = [...files].find(([, content]) => blobIdOf(content, "head") === id) ?? [];
      if (path === "signature.yaml") return Promise.resolve(Buffer.from(content ?? ""));
      return Promise.reject(new Error("no other file is read to compare it"));
    },
    commitAndPush: (request) => {
      const error = errors.shift();
      if (error !== undefined) return Promise.reject(error);
      pushed.push(request);
      for (const [path, content] of request.changes) {
        if (content === null) files.delete(path);
        else files.set(path, content instanceof Uint8Array ? Buffer.from(content).toString() : content.toString());
      }
      parents = request.parent === undefined ? [] : [request.parent];
      head = `commit-${pushed.length}`;
      return Promise.resolve(head);
    },
  };
  return {
    branch: new StatusBranch(git as GitEngine),
    /** As a process that was started later has it. */
    reopened: () => new StatusBranch(git as GitEngine),
    files,
    links,
    pushed,
    loads,
    setParents: (ids: string[]) => void (parents = ids),
  };
}

function request(files: Readonly<Record<string, string>>, changes: { sourceCommit?: string; branch?: string } = {}) {
  return {
    branch: changes.branch ?? "rollcall/status",
    owner: { hubId: "sha256:mine", repository: "system.fleet", adopted: undefined },
    files: filesOf(files),
    sign: ({ parent = "none", digest }: { readonly parent?: string | undefined; readonly digest: string }) =>
      ({ parent, digest }) as never,
    sourceCommit: changes.sourceCommit,
    subject: "status",
    committedAtMs: 0,
    signal: new AbortController().signal,
  };
}

function filesOf(contents: Readonly<Record<string, string>>): StatusFiles {
  const files = new StatusFiles();
  for (const [path, content] of Object.entries(contents)) files.set(path, toFile(content));
  return files;
}

const race = new AppError("E_GIT_PUSH_RACE", "push");
const pathsOf = (commit: CommitRequest | undefined) =>
  [...(commit?.changes.keys() ?? [])].filter((path) => path.length === 1);

describe("StatusBranch", () => {
  it("commits once, and only what differs", async () => {
    const { branch, reopened, pushed, loads } = openBranch();
    expect(await branch.write(request({ a: "1", b: "1" }))).toBe("commit-1");
    expect(await branch.write(request({ a: "1", b: "1" }))).toBe("commit-1");
    expect(await branch.write(request({ a: "1", b: "2" }))).toBe("commit-2");
    expect(await reopened().write(request({ a: "1", b: "2" }))).toBe("commit-2");
    expect(pushed.map(pathsOf)).toEqual([["a", "b"], ["b"]]);
    expect(loads).toHaveLength(2);
  });

  it("compares only what changed in files that it wrote before", async () => {
    const { branch, pushed } = openBranch();
    const first = request({ a: "1", b: "1" });
    const { files } = first;
    await branch.write(first);
    files.set("a", toFile("2"));
    files.set("b", undefined);
    files.set("c", toFile("1"));
    await branch.write({ ...first, files });
    await branch.write({ ...first, files });
    expect(pushed.map(pathsOf)).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    expect(pushed[1]?.changes.get("b")).toBeNull();
  });

  it("compares them all again after a push was refused", async () => {
    const { branch, files: there, pushed } = openBranch({}, [new AppError("E_GIT_PUSH_DENIED", "push")]);
    const first = request({ a: "1", b: "1" });
    await branch.write(first).catch(() => undefined);
    there.set("a", "1");
    first.files.set("b", toFile("2"));
    await branch.write(first);
    expect(pushed.map(pathsOf)).toEqual([["a", "b"]]);
  });

  it("replaces a link, whatever it contains, after a restart that reads no file", async () => {
    const { branch, reopened, links, pushed } = openBranch();
    await branch.write(request({ a: "1", b: "1" }));
    links.add("b");
    await reopened().write(request({ a: "1", b: "1" }));
    expect(pushed.map(pathsOf)).toEqual([["a", "b"], ["b"]]);
  });

  it("removes files that are not ours, but not its signature", async () => {
    const { branch, files } = openBranch({ z: "of a person" });
    await branch.write(request({ a: "1" }));
    expect([...files.keys()].filter((path) => path.length === 1)).toEqual(["a"]);
    expect(files.size).toBe(3);
  });

  it.each([
    { reason: "another parent", parents: ["other"] },
    { reason: "two parents", parents: ["x", "y"] },
  ])("signs again when the head has $reason", async ({ parents }) => {
    const { branch, reopened, pushed, setParents } = openBranch();
    await branch.write(request({ a: "1" }));
    setParents(parents);
    await reopened().write(request({ a: "1" }));
    expect(pushed).toHaveLength(2);
    expect(pathsOf(pushed[1])).toEqual([]);
  });

  it("reads another branch anew", async () => {
    const { branch, loads } = openBranch();
    await branch.write(request({ a: "1" }));
    await branch.write(request({ a: "1" }, { branch: "other" }));
    expect(loads).toEqual(["rollcall/status", "other"]);
  });

  it.each<{ reason: string; sourceCommit: { sourceCommit?: string }; message: string }>([
    { reason: "without", sourceCommit: {}, message: "status [skip ci]\n" },
    {
      reason: "with",
      sourceCommit: { sourceCommit: "abc" },
      message: "status [skip ci]\n\nRollcall-Source-Commit: abc\n",
    },
  ])("writes the message $reason a source commit", async ({ sourceCommit, message }) => {
    const { branch, pushed } = openBranch();
    await branch.write(request({ a: "1" }, sourceCommit));
    expect(pushed[0]?.message).toBe(message);
  });

  it.each([
    { reason: "seven lost races", errors: Array.from({ length: 7 }, () => race), result: "commit-1", loads: 8 },
    { reason: "eight lost races", errors: Array.from({ length: 8 }, () => race), result: "E_GIT_PUSH_RACE", loads: 8 },
    {
      reason: "a refused push",
      errors: [new AppError("E_GIT_PUSH_DENIED", "push")],
      result: "E_GIT_PUSH_DENIED",
      loads: 1,
    },
  ])("gives $result after $reason", async ({ errors, result, loads }) => {
    const opened = openBranch({}, [...errors]);
    const done = opened.branch.write(request({ a: "1" }));
    expect(await done.catch((error: unknown) => (error as AppError).code)).toBe(result);
    expect(opened.loads).toHaveLength(loads);
  });
});
