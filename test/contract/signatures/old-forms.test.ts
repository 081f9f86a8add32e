import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { verifyRange } from "../../../src/git/signing/verify-range.ts";
import { isVouchedForm } from "../../../src/git/signing/vouched-form.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestCommit, TestRepository } from "../../support/git-repositories.ts";
import { ed25519Signer, signersOf } from "../../unit/signatures/signature-builders.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const signer = ed25519Signer();
const context = { policy: { rules: [{ paths: ["/clusters/"] }] }, signers: signersOf(signer.line), atMs: 0 };
const path = "clusters/eu.yaml";
/** When a signer signs, and when a stranger claims to have made a commit. */
const [aliceSeconds, strangerSeconds] = [1_800_000_000, 1000];

// Who may push, and has no listed key, wants an old signed form of a protected file to be applied again.
describe("signed forms of a file that a stranger brings back", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let engine: GitEngine;
  const signed = new Set<string>();
  const reader = () => ({
    ...engine,
    readSignature: (id: string) => Promise.resolve(signed.has(id) ? signer.sign() : undefined),
  });
  const sign = async (commit: TestCommit): Promise<string> => {
    const id = await repository.commit({ committedAtSeconds: aliceSeconds, ...commit });
    signed.add(id);
    return id;
  };
  beforeAll(async () => {
    folder = await makeTempFolder();
    repository = await createRepository(join(folder.path, "repository"));
    engine = await openLocalEngine(repository.path, join(folder.path, "cache"));
  });
  afterAll(async () => {
    await engine.close();
    await folder.remove();
  });

  it("A140 a merge does not bring an applied file back to an old signed form behind commits with old dates", async () => {
    const old = await sign({ branch: "dates", from: null, files: { [path]: "1" } });
    await sign({ branch: "dates", files: { [path]: "2" } });
    let base = "";
    for (let count = 0; count < 12; count++) {
      const files = { "notes.txt": String(count) };
      base = await repository.commit({ branch: "dates", files, committedAtSeconds: strangerSeconds + count });
    }
    const side = await repository.commit({ branch: "side", from: old, files: { "side.txt": "" } });
    const head = await repository.commit({ branch: "dates", merge: [side], files: { [path]: "1" } });

    expect((await verifyRange(reader(), { ...context, base, head })).unverified).toEqual([path]);
  });

  it("A149 a commit does not speak again for an old form of a file by another form of its signature", async () => {
    const root = await repository.commit({ branch: "copies", from: null, files: { "notes.txt": "" } });
    const old = await sign({ branch: "copies", files: { [path]: "1" } });
    const base = await sign({ branch: "copies", files: { [path]: "2" } });
    // The same content and signature: a header that git does not verify gives it another name.
    const raw = await repository.git("cat-file", "commit", old);
    const copied = raw.replace("\n\n", "\ngpgsig-sha256 other\n\n");
    const copy = (await repository.gitWithInput(copied, "hash-object", "-w", "-t", "commit", "--stdin")).trim();
    signed.add(copy);
    expect((await engine.readCommit(copy)).parents).toEqual([root]);
    const head = await repository.commit({ branch: "copies", merge: [copy], files: { [path]: "1" } });

    expect((await verifyRange(reader(), { ...context, base, head })).unverified).toEqual([path]);
    // Neither does it where the commit itself is not applied yet.
    expect((await verifyRange(reader(), { ...context, base: root, head })).unverified).toEqual([path]);
    expect((await verifyRange(reader(), { ...context, base: root, head: base })).unverified).toEqual([]);
    const onCopy = await repository.commit({ branch: "on-copy", from: copy, merge: [base], files: { [path]: "1" } });
    for (const commit of [head, onCopy])
      expect(await isVouchedForm(reader(), { ...context, commit, path })).toBe(false);
    expect(await isVouchedForm(reader(), { ...context, commit: old, path })).toBe(true);
  });

  it("A142 a name with a slash beside a folder does not vouch for the file in the folder", async () => {
    const put = async (type: string, content: string | Uint8Array): Promise<string> => {
      const args = ["hash-object", "-w", "-t", type, "--literally", "--stdin"];
      return (await repository.gitWithInput(content, ...args)).trim();
    };
    const treeOf = (...entries: (readonly [mode: string, name: string, id: string])[]): Promise<string> => {
      const lines = entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]);
      return put("tree", Buffer.concat(lines));
    };
    const commitOf = async (tree: string, ...parents: string[]): Promise<string> => {
      const flags = parents.flatMap((parent) => ["-p", parent]);
      return (await repository.git("commit-tree", "-m", "change", ...flags, tree)).trim();
    };
    const [good, evil] = [await put("blob", "good"), await put("blob", "evil")];
    const folderOf = (id: string): Promise<string> => treeOf(["100644", "eu.yaml", id]);
    const before = await commitOf(await treeOf(["40000", "clusters", await folderOf(good)]));
    signed.add(before);
    const twins = await treeOf(["100644", path, good], ["40000", "clusters", await folderOf(evil)]);
    const after = await commitOf(twins, before);

    expect((await engine.listFiles(after)).map((file) => file.path)).toEqual([path, path]);
    expect(await isVouchedForm(reader(), { ...context, commit: before, path })).toBe(true);
    expect(await isVouchedForm(reader(), { ...context, commit: after, path })).toBe(false);
  });
});
