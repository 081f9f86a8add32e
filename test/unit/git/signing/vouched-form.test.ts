import { describe, expect, it } from "vitest";
import { isVouchedForm } from "../../../../src/git/signing/vouched-form.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { GitEngine } from "../../../../src/git/git.ts";
import { createMemoryGit } from "../../reconcile/removals/memory-git.ts";
import { ed25519Signer, signersOf } from "../../signatures/signature-builders.ts";

type Files = Awaited<ReturnType<GitEngine["listFiles"]>>;

function world(listFiles?: (files: Files, commit: string) => Files) {
  const signer = ed25519Signer();
  const git = createMemoryGit();
  const signed = new Set<string>();
  const engine = {
    ...git,
    readSignature: (id: string) => Promise.resolve(signed.has(id) ? signer.sign() : undefined),
    listFiles: async (id: string, paths?: readonly string[]) => {
      const files = await git.listFiles(id, paths);
      return listFiles ? listFiles(files, id) : files;
    },
  };
  return {
    commit: (...args: Parameters<typeof git.commit>): string => git.commit(...args),
    sign: (...args: Parameters<typeof git.commit>): string => {
      const id = git.commit(...args);
      signed.add(id);
      return id;
    },
    isVouched: (commit: string, paths?: readonly string[]) =>
      isVouchedForm(engine, {
        commit,
        path: "f",
        policy: { rules: [paths ? { paths } : {}] },
        signers: signersOf(signer.line),
        atMs: 0,
      }),
  };
}

describe("A31 the form of a file in a commit", () => {
  it("is vouched for by a signed commit that has it, however long ago", async () => {
    const { commit, sign, isVouched } = world();
    sign({ f: "1" }, "signed");
    commit({ f: "1", g: "" }, "other file");
    expect(await isVouched(commit({ f: "1", g: "1" }, "other file again"))).toBe(true);
  });

  it("is not vouched for when only unsigned commits have it, or when it was another in between", async () => {
    const { commit, sign, isVouched } = world();
    sign({ f: "1" }, "signed");
    expect(await isVouched(commit({ f: "2" }, "unsigned"))).toBe(false);
    expect(await isVouched(commit({ f: "1" }, "back"))).toBe(false);
    expect(await isVouched(commit({ f: "2" }, "unsigned"), ["other/"])).toBe(true);
  });

  it("is vouched for by a signed branch that an unsigned merge brings", async () => {
    const { commit, sign, isVouched } = world();
    const base = commit({ f: "1" }, "base");
    const side = sign({ f: "2" }, "side", { parents: [base], isBeside: true });
    expect(await isVouched(commit({ f: "2" }, "merge", { parents: [base, side] }))).toBe(true);
  });

  it("is not vouched for by a branch that only kept it, nor by what was merged long ago", async () => {
    const { commit, sign, isVouched } = world();
    const old = sign({ f: "1" }, "old");
    const kept = sign({ f: "1", g: "" }, "kept", { parents: [old], isBeside: true });
    const now = commit({ f: "2" }, "now");
    expect(await isVouched(commit({ f: "1" }, "merge", { parents: [now, kept] }))).toBe(false);
    expect(await isVouched(commit({ f: "1" }, "merge", { parents: [now, old] }))).toBe(false);
  });

  it("is not vouched for by a merged branch without a signature", async () => {
    const { commit, isVouched } = world();
    const base = commit({ f: "1" }, "base");
    const side = commit({ f: "2" }, "side", { parents: [base], isBeside: true });
    expect(await isVouched(commit({ f: "2" }, "merge", { parents: [base, side] }))).toBe(false);
  });

  it("is that of the file itself: of none below a folder of its name, and of no name with a slash in it", async () => {
    const below = { path: "f/g", blobId: "b", mode: "file" } as const;
    const isBelow = world((files) => [below, ...files]);
    isBelow.sign({ f: "1" }, "signed");
    expect(await isBelow.isVouched(isBelow.commit({ f: "2" }, "unsigned"))).toBe(false);
    const unsafe = world((files, id) => files.map((file) => ({ ...file, blobId: "same", isUnsafe: id === signed })));
    const signed = unsafe.sign({ f: "1" }, "signed");
    expect(await unsafe.isVouched(unsafe.commit({ f: "2" }, "unsigned"))).toBe(false);
  });

  it("is not vouched for where the commits that are here end", async () => {
    const gone = new Set<string>();
    const missing = (code: "E_GIT_OBJECT" | "E_GIT_CORRUPT") =>
      world((files, id) => {
        if (gone.has(id)) throw new AppError(code, "read");
        return files;
      });
    for (const code of ["E_GIT_OBJECT", "E_GIT_CORRUPT"] as const) {
      const { sign, commit, isVouched } = missing(code);
      gone.add(sign({ f: "1" }, "signed"));
      const answer = isVouched(commit({ f: "1" }, "unsigned"));
      if (code === "E_GIT_OBJECT") expect(await answer).toBe(false);
      else await expect(answer).rejects.toMatchObject({ code });
    }
  });

  it.each([
    { others: 999, isVouchedFor: true },
    { others: 1000, isVouchedFor: false },
  ])("is vouched for below $others commits: $isVouchedFor", async ({ others, isVouchedFor }) => {
    const { commit, sign, isVouched } = world();
    sign({ f: "1" }, "signed");
    for (let count = 1; count < others; count++) commit({ f: "1", notes: String(count) }, "notes");
    expect(await isVouched(commit({ f: "1" }, "head"))).toBe(isVouchedFor);
  });
});
