import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { verifyCommit, verifySignature } from "../../../../src/git/signing/verify-commit.ts";
import {
  ed25519Signer,
  goldenCommit,
  payload,
  securityKeySigner,
  signersOf,
} from "../../signatures/signature-builders.ts";
import type { SignOptions } from "../../signatures/signature-builders.ts";

const nowMs = Date.UTC(2024, 0, 1);

describe("verifyCommit", () => {
  it.each(["ed25519", "ecdsa256", "ecdsa384", "ecdsa521", "rsa3072"])("verifies what git signed with %s", (name) => {
    const { raw, publicKey } = goldenCommit(name);
    const result = verifyCommit(raw, signersOf(`dev@example.org ${publicKey}`), nowMs);
    expect(result).toMatchObject({ kind: "verified", principal: "dev@example.org", principals: ["dev@example.org"] });
  });

  it("A47 refuses a short RSA key, even when it is listed", () => {
    const { raw, publicKey } = goldenCommit("rsa1024");
    expect(() => signersOf(`dev@example.org ${publicKey}`)).toThrow(
      "RSA keys need at least 2048 bits; this one has 1024",
    );
    expect(verifyCommit(raw, [], nowMs)).toMatchObject({ kind: "refused", reason: "weak-key" });
  });

  it("A31 refuses a commit whose tree, parent, author or message was changed under its signature", () => {
    const { raw, publicKey } = goldenCommit("ed25519");
    const signers = signersOf(`dev@example.org ${publicKey}`);
    const text = raw.toString("latin1");
    const forged = [
      text.replace(/^tree [0-9a-f]{40}/u, "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
      text.replace("\nauthor", "\nparent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor"),
      text.replace("author Test", "author Tess"),
      `${text}Rollcall-Allow-Deletions: 100\n`,
    ];
    for (const commit of forged) {
      expect(commit).not.toBe(text);
      expect(verifyCommit(Buffer.from(commit, "latin1"), signers, nowMs)).toMatchObject({ reason: "bad-signature" });
    }
  });

  it("A31 refuses a signature that was taken from another commit", () => {
    const [first, second] = [goldenCommit("ed25519"), goldenCommit("ecdsa256")];
    const signatureOf = (raw: Buffer) =>
      /gpgsig [^]*?-----END SSH SIGNATURE-----\n/u.exec(raw.toString("latin1"))?.[0] ?? "";
    const swapped = second.raw.toString("latin1").replace(signatureOf(second.raw), signatureOf(first.raw));
    const signers = signersOf(`dev@example.org ${first.publicKey}`);
    expect(verifyCommit(Buffer.from(swapped, "latin1"), signers, nowMs)).toMatchObject({ reason: "bad-signature" });
  });

  it("A31 refuses the object of a signed tag as a commit", () => {
    const tag = Buffer.from("object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype commit\ntag v1\n\nmessage\n");
    expect(verifyCommit(tag, [], nowMs)).toMatchObject({ reason: "malformed" });
  });

  it.each([
    { reason: "no signature", armoured: undefined, expected: "unsigned" },
    {
      reason: "OpenPGP",
      armoured: "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----",
      expected: "unsupported",
    },
    {
      reason: "X.509",
      armoured: "-----BEGIN SIGNED MESSAGE-----\nabc\n-----END SIGNED MESSAGE-----",
      expected: "unsupported",
    },
    { reason: "PKCS #7", armoured: "-----BEGIN PKCS7-----\nabc\n-----END PKCS7-----", expected: "unsupported" },
    { reason: "OpenPGP behind a line end", armoured: "\n-----BEGIN PGP MESSAGE-----", expected: "unsupported" },
    { reason: "nothing in particular", armoured: "hello", expected: "malformed" },
    { reason: "OpenPGP behind something else", armoured: "x-----BEGIN PGP SIGNATURE-----", expected: "malformed" },
    {
      reason: "no base64",
      armoured: "-----BEGIN SSH SIGNATURE-----\n&&&\n-----END SSH SIGNATURE-----",
      expected: "malformed",
    },
  ])("refuses a commit with $reason", ({ armoured, expected }) => {
    const gpgsig = armoured === undefined ? "" : `gpgsig ${armoured.replaceAll("\n", "\n ")}\n`;
    const commit = `tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n${gpgsig}\nmessage\n`;
    expect(verifyCommit(Buffer.from(commit), [], nowMs)).toMatchObject({ kind: "refused", reason: expected });
  });

  it("never throws and never verifies, whatever the bytes", () => {
    const { raw, publicKey } = goldenCommit("ecdsa384");
    const signers = signersOf(`dev@example.org ${publicKey}`);
    fc.assert(
      fc.property(fc.nat({ max: raw.length - 1 }), fc.integer({ min: 1, max: 255 }), (position, change) => {
        const damaged = Buffer.from(raw);
        damaged[position] = (damaged[position] ?? 0) ^ change;
        expect(verifyCommit(damaged, signers, nowMs).kind).toBe("refused");
      }),
      { numRuns: 400 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(verifyCommit(bytes, signers, nowMs).kind).toBe("refused");
      }),
    );
  });
});

describe("verifySignature", () => {
  const signer = ed25519Signer();
  const signers = signersOf(signer.line);

  it.each<SignOptions & { reason: string; expected: string }>([
    { reason: "as it should be", expected: "verified" },
    { reason: "over a SHA-256 hash", hash: "sha256", expected: "verified" },
    { reason: "over a hash that is not known", hash: "md5", expected: "malformed" },
    { reason: "for a file, not for git", namespace: "file", expected: "wrong-namespace" },
    { reason: "of a version that is not known", version: 2, expected: "malformed" },
    { reason: "under another algorithm's name", algorithm: "ssh-rsa", expected: "unsupported" },
    { reason: "with bytes behind the signature", behindSignature: Buffer.from("x"), expected: "malformed" },
    { reason: "with bytes behind everything", behindAll: Buffer.from("x"), expected: "malformed" },
  ])("evaluates a signature $reason", ({ expected, reason: _, ...options }) => {
    const result = verifySignature(signer.sign(options), signers, nowMs);
    expect(result.kind === "verified" ? "verified" : result.reason).toBe(expected);
  });

  it("A31 refuses a signature that is cut off anywhere", () => {
    const { armoured } = signer.sign();
    const [begin = "", ...lines] = armoured.split("\n");
    const end = lines.pop() ?? "";
    const bytes = Buffer.from(lines.join(""), "base64");
    for (let length = 0; length < bytes.length; length++) {
      const cut = [begin, bytes.subarray(0, length).toString("base64"), end].join("\n");
      expect(verifySignature({ payload, armoured: cut }, signers, nowMs)).toMatchObject({ reason: "malformed" });
    }
    for (const cut of [armoured.slice(1), armoured.slice(0, -1)])
      expect(verifySignature({ payload, armoured: cut }, signers, nowMs)).toMatchObject({ reason: "malformed" });
  });

  it("bears blanks around a signature and line ends within it, up to 32 KiB", () => {
    const { armoured } = signer.sign();
    const long = armoured.replace("\n-----END", `${"\n".repeat(32_769 - armoured.length)}-----END`);
    const verify = (text: string) => verifySignature({ payload, armoured: text }, signers, nowMs);
    expect([long.length, verify(`\n ${long}\n`).kind]).toEqual([32_768, "verified"]);
    expect(verify(long.replace("\n-----END", "\n\n-----END"))).toMatchObject({ reason: "malformed" });
  });

  it("does not know a key that is not listed", () => {
    expect(verifySignature(ed25519Signer().sign(), signers, nowMs)).toMatchObject({ reason: "unknown-key" });
  });

  it.each([
    { options: 'namespaces="file,git"', expected: "verified" },
    { options: 'namespaces="g*"', expected: "verified" },
    { options: 'namespaces="*,!git"', expected: "not-allowed" },
    { options: 'namespaces="file"', expected: "not-allowed" },
    { options: 'valid-after="20240101Z"', expected: "verified" },
    { options: 'valid-after="20240101000001"', expected: "outside-validity" },
    { options: 'valid-before="20240101"', expected: "verified" },
    { options: 'valid-before="202312312359Z"', expected: "outside-validity" },
    { options: 'valid-after="20230101",valid-before="20250101",namespaces="git"', expected: "verified" },
  ])("A31 follows $options", ({ options, expected }) => {
    const list = signersOf(signer.line.replace(" ", ` ${options} `));
    const result = verifySignature(signer.sign(), list, nowMs);
    expect(result.kind === "verified" ? "verified" : result.reason).toBe(expected);
  });

  it("takes the line that fits, when a key is listed twice", () => {
    const list = signersOf(
      `${signer.line.replace(" ", ' namespaces="file" ')}\n${signer.line.replace("alice", "bob")}`,
    );
    expect(verifySignature(signer.sign(), list, nowMs)).toMatchObject({ principal: "bob@example.org" });
  });

  it("knows a key by the names of all its lines that count now", () => {
    const list = signersOf(
      [
        signer.line,
        signer.line.replace("alice", "release"),
        signer.line.replace("alice@example.org", 'former@example.org valid-before="20231231"'),
        signer.line.replace("alice@example.org", 'files@example.org namespaces="file"'),
      ].join("\n"),
    );
    expect(verifySignature(signer.sign(), list, nowMs)).toMatchObject({
      principal: "alice@example.org",
      principals: ["alice@example.org", "release@example.org"],
    });
  });

  it.each(["ed25519", "ecdsa"] as const)("verifies security keys (%s), and wants a touch", (kind) => {
    const key = securityKeySigner(kind);
    const list = signersOf(key.line);
    expect(verifySignature(key.sign(), list, nowMs).kind).toBe("verified");
    expect(verifySignature(key.sign({ flags: 0 }), list, nowMs)).toMatchObject({ reason: "bad-signature" });
    const other = { ...key.sign(), payload: Buffer.concat([payload, Buffer.from("x")]) };
    expect(verifySignature(other, list, nowMs)).toMatchObject({ reason: "bad-signature" });
  });
});
