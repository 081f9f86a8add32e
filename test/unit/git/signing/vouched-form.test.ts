import { describe, expect, it } from "vitest";
import { isVouchedForm } from "../../../../src/git/signing/vouched-form.ts";
import { createMemoryGit } from "../../reconcile/removals/memory-git.ts";
import { ed25519Signer, signersOf } from "../../signatures/signature-builders.ts";

function world() {
  const signer = ed25519Signer();
  const git = createMemoryGit();
  const signed = new Set<string>();
  const engine = {
    ...git,
    readSignature: (id: string) => Promise.resolve(signed.has(id) ? signer.sign() : undefined),
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
});
