import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AllowedSigner } from "../../../src/git/signing/allowed-signers.ts";
import { matchesPatternList, parseAllowedSigners } from "../../../src/git/signing/allowed-signers.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { isValidAt, verifyCommit, verifySignature } from "../../../src/git/signing/verify-commit.ts";
import { verifyRange } from "../../../src/git/signing/verify-range.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestCommit, TestRepository } from "../../support/git-repositories.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const nowMs = Date.now();
/** `ssh-keygen -Y` came with OpenSSH 8.0; without it git cannot sign with SSH keys. */
const isAble = spawnSync("ssh-keygen", ["-Y", "check-novalidate"], { input: "" }).error === undefined;

describe.skipIf(!isAble)("signatures by git and ssh-keygen (needs ssh-keygen)", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let engine: GitEngine;
  const signers = new Map<string, AllowedSigner>();

  async function makeKey(name: string, ...args: string[]): Promise<AllowedSigner> {
    const file = join(folder.path, name);
    const made = spawnSync("ssh-keygen", ["-q", ...args, "-N", "", "-C", `${name}@example.org`, "-f", file]);
    if (made.status !== 0) throw new Error(made.stderr.toString());
    const { signers: parsed, problems } = parseAllowedSigners(`${name} ${await readFile(`${file}.pub`, "utf8")}`);
    const [signer] = parsed;
    if (signer === undefined) throw new Error(JSON.stringify(problems));
    signers.set(name, signer);
    return signer;
  }

  /** A commit on a branch; with `by`, made anew with that key's signature. */
  async function commit(change: TestCommit & { readonly by?: string }): Promise<string> {
    const { by, branch = "main", message = "change" } = change;
    const id = await repository.commit(change);
    if (by === undefined) return id;
    const parents = (await repository.git("rev-list", "--parents", "-n1", id)).trim().split(" ").slice(1);
    const flags = parents.flatMap((parent) => ["-p", parent]);
    const key = join(folder.path, `${by}.pub`);
    const signed = await repository.git(
      ...["-c", "gpg.format=ssh", "commit-tree", `-S${key}`, "-m", message, ...flags, `${id}^{tree}`],
    );
    await repository.git("update-ref", `refs/heads/${branch}`, signed.trim());
    return signed.trim();
  }

  async function evaluate(
    base: string | undefined,
    head: string,
    names: string[],
    paths?: string[],
  ): Promise<readonly string[]> {
    const allowed = names.flatMap((name) => signers.get(name) ?? []);
    const policy = { rules: [{ paths }] };
    return (await verifyRange(engine, { base, head, policy, signers: allowed, atMs: nowMs })).unverified;
  }

  beforeAll(async () => {
    folder = await makeTempFolder();
    repository = await createRepository(join(folder.path, "repository"));
    await makeKey("alice", "-t", "ed25519");
    await makeKey("bob", "-t", "ecdsa", "-b", "256");
    engine = await openLocalEngine(repository.path, join(folder.path, "cache"));
  });
  afterAll(async () => {
    await engine.close();
    await folder.remove();
  });

  it.each([
    { name: "k-ed25519", args: ["-t", "ed25519"] },
    { name: "k-ecdsa256", args: ["-t", "ecdsa", "-b", "256"] },
    { name: "k-ecdsa384", args: ["-t", "ecdsa", "-b", "384"] },
    { name: "k-ecdsa521", args: ["-t", "ecdsa", "-b", "521"] },
    { name: "k-rsa2048", args: ["-t", "rsa", "-b", "2048"] },
  ])("verifies $name, as read by the engine and as a raw object", async ({ name, args }) => {
    const signer = await makeKey(name, ...args);
    const id = await commit({ branch: name, files: { "a.yaml": name }, by: name });
    const expected = { kind: "verified", principal: name, fingerprint: signer.key.fingerprint };
    expect(verifySignature(await engine.readSignature(id), [signer], nowMs)).toMatchObject(expected);
    const raw = await repository.git("cat-file", "commit", id);
    expect(verifyCommit(Buffer.from(raw), [signer], nowMs)).toMatchObject(expected);
  });

  it("agrees with ssh-keygen about signatures of other things", async () => {
    const file = join(folder.path, "alice");
    const made = spawnSync("ssh-keygen", ["-Y", "sign", "-q", "-n", "file", "-f", file], { input: "text" });
    const signature = { payload: Buffer.from("text"), armoured: made.stdout.toString() };
    const [alice] = [signers.get("alice")].filter((signer) => signer !== undefined);
    expect(verifySignature(signature, alice ? [alice] : [], nowMs)).toMatchObject({ reason: "wrong-namespace" });
    const forGit = spawnSync("ssh-keygen", ["-Y", "sign", "-q", "-n", "git", "-f", file], { input: "text" });
    const good = { payload: Buffer.from("text"), armoured: forGit.stdout.toString() };
    expect(verifySignature(good, alice ? [alice] : [], nowMs).kind).toBe("verified");
  });

  it("takes no line of a list that ssh-keygen does not take for the same owner", async () => {
    const file = join(folder.path, "alice");
    const [list, signature] = [join(folder.path, "generated-list"), join(folder.path, "generated.sig")];
    const made = spawnSync("ssh-keygen", ["-Y", "sign", "-q", "-n", "git", "-f", file], { input: "text" });
    await writeFile(signature, made.stdout);
    const [type = "", base64 = ""] = (await readFile(`${file}.pub`, "utf8")).split(" ");
    const words = fc.constantFrom(
      ...["", "alice", "bob", ",", '"', "#", "!", "*", "=", '\\"', " ", "\t", "\v", "\u{a0}", "\u{3000}", "\u{2028}"],
      ...[
        'namespaces="git"',
        'namespaces="file"',
        'NAMESPACES="!git,*"',
        'valid-before="20200101"',
        'valid-after="2020"',
      ],
    );
    const some = fc.array(words, { maxLength: 2 }).map((parts) => parts.join(""));
    const space = fc.constantFrom(" ", " ", " ", " ", "\t", "\v", "\u{a0}", "\u{3000}");
    const line = fc
      .tuple(some, fc.constant("alice"), some, space, some, space, fc.constant(type), space, fc.constant(base64), some)
      .map((parts) => parts.join(""));
    let takenByBoth = 0;
    const takenHere: string[] = [];
    await fc.assert(
      fc.asyncProperty(line, async (text) => {
        const isOurs = parseAllowedSigners(text).signers.some(
          (signer) =>
            signer.principals.includes("alice") &&
            matchesPatternList(signer.namespaces ?? ["git"], "git") &&
            isValidAt(signer, nowMs),
        );
        // Only here, an option may be empty.
        if (!isOurs || /,[ \t]+ssh-/u.test(text)) return;
        await writeFile(list, text);
        const args = ["-Y", "verify", "-f", list, "-I", "alice", "-n", "git", "-s", signature];
        const { status } = spawnSync("ssh-keygen", args, { input: "text" });
        if (status === 0) takenByBoth += 1;
        else takenHere.push(JSON.stringify(text));
      }),
      { numRuns: 3000 },
    );
    expect(takenHere).toEqual([]);
    expect(takenByBoth).toBeGreaterThan(5);
  });

  describe("verifyStretch", () => {
    it("A31 names the protected files that an unsigned commit changed", async () => {
      const base = await commit({ branch: "b1", files: { "tokens/a.yaml": "1", "README.md": "1" }, from: null });
      const head = await commit({ branch: "b1", files: { "tokens/a.yaml": "2", "README.md": "2" } });
      expect(await evaluate(base, head, ["alice"], ["tokens/"])).toEqual(["tokens/a.yaml"]);
      expect(await evaluate(base, head, ["alice"])).toEqual(["README.md", "tokens/a.yaml"]);
      expect(await evaluate(base, head, ["alice"], ["clusters/"])).toEqual([]);
    });

    it("takes a signed commit, whatever unprotected files change unsigned after it", async () => {
      const base = await commit({ branch: "b2", files: { "tokens/a.yaml": "1" }, from: null });
      await commit({ branch: "b2", files: { "tokens/a.yaml": "2" }, by: "alice" });
      const head = await commit({ branch: "b2", files: { "README.md": "2" } });
      expect(await evaluate(base, head, ["alice"], ["tokens/"])).toEqual([]);
      expect(await evaluate(base, head, ["bob"], ["tokens/"])).toEqual(["tokens/a.yaml"]);
    });

    it("A31 does not take a signed commit for what an unsigned one made of the file later", async () => {
      const base = await commit({ branch: "b3", files: { "tokens/a.yaml": "1" }, from: null });
      await commit({ branch: "b3", files: { "tokens/a.yaml": "2" }, by: "alice" });
      const head = await commit({ branch: "b3", files: { "tokens/a.yaml": "3" } });
      expect(await evaluate(base, head, ["alice"], ["tokens/"])).toEqual(["tokens/a.yaml"]);
    });

    it("lets a signed commit on top vouch for what came before it", async () => {
      const base = await commit({ branch: "b4", files: { "tokens/a.yaml": "1" }, from: null });
      await commit({ branch: "b4", files: { "tokens/a.yaml": "2" } });
      const head = await commit({ branch: "b4", files: { "README.md": "seen" }, by: "alice" });
      expect(await evaluate(base, head, ["alice"], ["tokens/"])).toEqual([]);
    });

    it("takes an unsigned merge of a branch whose own commits are signed", async () => {
      const root = await commit({ branch: "b5", files: { "tokens/a.yaml": "1" }, from: null });
      const side = await commit({ branch: "b5-side", from: root, files: { "tokens/b.yaml": "1" }, by: "alice" });
      const base = await commit({ branch: "b5", files: { "tokens/c.yaml": "1" }, by: "bob" });
      const head = await commit({ branch: "b5", merge: [side], files: { "tokens/b.yaml": "1" } });
      expect(await evaluate(base, head, ["alice"], ["tokens/"])).toEqual([]);
    });

    it("A31 does not let an unsigned merge bring back old files in the name of a signed branch", async () => {
      const root = await commit({ branch: "b6", files: { "tokens/revoked.yaml": "1" }, from: null });
      const side = await commit({ branch: "b6-side", from: root, files: { "tokens/b.yaml": "1" }, by: "alice" });
      const base = await commit({ branch: "b6", files: { "tokens/revoked.yaml": null }, by: "alice" });
      const head = await commit({
        branch: "b6",
        merge: [side],
        files: { "tokens/b.yaml": "1", "tokens/revoked.yaml": "1" },
      });
      expect(await evaluate(base, head, ["alice"], ["tokens/"])).toEqual(["tokens/revoked.yaml"]);
    });

    it("counts a removed file like a changed one", async () => {
      const base = await commit({ branch: "b7", files: { "tokens/a.yaml": "1", "x.md": "" }, from: null });
      const unsigned = await commit({ branch: "b7", files: { "tokens/a.yaml": null } });
      expect(await evaluate(base, unsigned, ["alice"], ["tokens/"])).toEqual(["tokens/a.yaml"]);
      const signed = await commit({ branch: "b7-signed", from: base, files: { "tokens/a.yaml": null }, by: "alice" });
      expect(await evaluate(base, signed, ["alice"], ["tokens/"])).toEqual([]);
    });

    it("checks every file of the first commit that is applied", async () => {
      const head = await commit({ branch: "b8", files: { "tokens/a.yaml": "1" }, from: null });
      expect(await evaluate(undefined, head, ["alice"])).toEqual(["tokens/a.yaml"]);
      const signed = await commit({ branch: "b8", files: { "x.md": "1" }, by: "alice" });
      expect(await evaluate(undefined, signed, ["alice"])).toEqual([]);
    });

    it("wants the owners that the rules name", async () => {
      const base = await commit({ branch: "b9", files: { "x.md": "1" }, from: null });
      const head = await commit({ branch: "b9", files: { "tokens/a.yaml": "1", "clusters/a.yaml": "1" }, by: "alice" });
      const policy = { rules: [{ paths: ["tokens/"], principals: ["bob"] }, { paths: ["clusters/"] }] };
      const all = [...signers.values()];
      const result = await verifyRange(engine, { base, head, policy, signers: all, atMs: nowMs });
      expect(result.unverified).toEqual(["tokens/a.yaml"]);
      expect(result.commits.map((found) => found.result.kind)).toEqual(["verified"]);
    });
  });
});
