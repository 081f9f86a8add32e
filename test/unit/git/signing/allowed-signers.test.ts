import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { matchesPatternList, parseAllowedSigners } from "../../../../src/git/signing/allowed-signers.ts";
import { parseSshPublicKey } from "../../../../src/git/signing/ssh-public-key.ts";
import { sshString } from "../../../../src/git/signing/ssh-wire.ts";
import { goldenCommit } from "../../signatures/signature-builders.ts";

const key = goldenCommit("ed25519").publicKey.split(" ").slice(0, 2).join(" ");

function messagesOf(text: string): string[] {
  return parseAllowedSigners(text).problems.map(({ line, message }) => `${line}: ${message}`);
}

describe("parseAllowedSigners", () => {
  it("reads principals, options and keys, and skips comments and empty lines", () => {
    const { signers, problems } = parseAllowedSigners(
      [
        "# our people",
        "  # and their friends",
        "",
        `alice@example.org,alice@example.com ${key} on her laptop`,
        `"bob b@example.org" namespaces="git,file",valid-before="20300101" ${key}`,
        `  ${key} carol@example.org  `,
        key,
      ].join("\r\n"),
    );
    expect(problems).toEqual([]);
    expect(signers.map(({ principals }) => principals)).toEqual([
      ["alice@example.org", "alice@example.com"],
      ["bob b@example.org"],
      ["carol@example.org"],
      ["unnamed"],
    ]);
    expect(signers[1]).toMatchObject({ namespaces: ["git", "file"], validBeforeMs: Date.UTC(2030, 0, 1) });
    expect(signers[0]?.key.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/u);
  });

  it.each([
    { line: `a cert-authority ${key}`, message: "certificate authorities are not supported; list the keys themselves" },
    { line: `a CERT-AUTHORITY,namespaces="git" ${key}`, message: "certificate authorities are not supported" },
    { line: `a verify-required ${key}`, message: 'the option "verify-required" is not known' },
    { line: `a valid-after="soon" ${key}`, message: "valid-after= is no time of the form" },
    { line: `a valid-after="20240231" ${key}`, message: "valid-after= is no time of the form" },
    { line: `a valid-after="20240101 ${key}`, message: "a quote is not closed" },
    { line: `a namespaces="" ${key}`, message: "namespaces= names none" },
    {
      line: `a valid-before="20200101",valid-before="20990101" ${key}`,
      message: "the option valid-before is set twice",
    },
    { line: `a namespaces="file",NAMESPACES="git" ${key}`, message: "the option namespaces is set twice" },
    { line: "alice@example.org", message: "is not known" },
    { line: `a =git ${key}`, message: 'the option "" is not known' },
    { line: `a namespaces ${key}`, message: "namespaces= names none" },
    { line: `a valid-before ${key}`, message: "valid-before= is no time of the form" },
    { line: `a valid-after="120240101" ${key}`, message: "valid-after= is no time of the form" },
    { line: `a valid-after="20240101ZZ" ${key}`, message: "valid-after= is no time of the form" },
    { line: 'a namespaces="git" hello AAAA', message: "there is no public key of SSH" },
    { line: "a ssh-ed25519 AAAA", message: "it is no public key of SSH" },
    { line: "a ssh-ed25519 A&&A", message: "the public key is not valid base64" },
    {
      line: `a ${key.replace("ssh-ed25519", "ssh-rsa")}`,
      message: "the key is of the type ssh-ed25519, and the line declares ssh-rsa",
    },
    { line: ", " + key, message: "there is no principal" },
    ...["\u{a0}", "\u{3000}", "\v", "\f"].flatMap((space) => [
      { line: `a${space}${key}`, message: "is not known" },
      { line: `a ${key.replace(" ", space)}`, message: "is not known" },
      { line: `${space}# a ${key}`, message: "is not known" },
    ]),
    {
      line: `a namespaces="file"namespaces="!file,*" ${key}`,
      message: "the option namespaces has text beside its quotes",
    },
    { line: `a namespaces=g"it" ${key}`, message: "the option namespaces has text beside its quotes" },
    // `ssh-keygen -Y verify` takes none of these: its owner would see other signers than git has.
    { line: `a namespaces=git ${key}`, message: "the option namespaces has no quotes around its value" },
    { line: `a namespaces='git' ${key}`, message: "the option namespaces has no quotes around its value" },
    { line: `a namespaces="git",valid-before=20300101 ${key}`, message: "the option valid-before has no quotes" },
    { line: `a namespaces="git", ${key}`, message: "the options end with a comma" },
    { line: `"a"b ${key}`, message: "there is text behind the quoted principals" },
  ])("refuses the line $line", ({ line, message }) => {
    const { signers } = parseAllowedSigners(`\n${line}`);
    expect(signers).toEqual([]);
    expect(messagesOf(`\n${line}`)[0]).toContain(`2: ${message.startsWith("is") ? "" : message}`);
  });

  it("refuses OpenPGP keys loudly", () => {
    expect(messagesOf("-----BEGIN PGP PUBLIC KEY BLOCK-----\nabc")).toEqual([
      "1: OpenPGP keys are not supported; give SSH public keys",
    ]);
  });

  it("takes spaces of Unicode as part of a principal, as OpenSSH does, and a byte order mark as none", () => {
    const { signers, problems } = parseAllowedSigners(`\u{feff}\u{3000}a\u{a0}b\t ${key}\nc ${key}`);
    expect(problems).toEqual([]);
    expect(signers.map(({ principals }) => principals)).toEqual([["\u{3000}a\u{a0}b"], ["c"]]);
  });

  it("keeps the lines that are good", () => {
    const { signers, problems } = parseAllowedSigners(`a cert-authority ${key}\nb ${key}`);
    expect([signers.length, problems.length]).toEqual([1, 1]);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        parseAllowedSigners(Buffer.from(bytes).toString("latin1"));
        parseSshPublicKey(bytes);
      }),
    );
    const words = fc.constantFrom(
      "a",
      " ",
      ",",
      '"',
      "=",
      "namespaces",
      "valid-after",
      "2024",
      key,
      "\n",
      "cert-authority",
    );
    fc.assert(fc.property(fc.array(words, { maxLength: 12 }), (parts) => void parseAllowedSigners(parts.join(""))));
  });
});

describe("parseSshPublicKey", () => {
  const rsa = (e: Buffer, n: Buffer) => Buffer.concat([sshString("ssh-rsa"), sshString(e), sshString(n)]);
  const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(256, 0xff)]);

  it.each([
    { reason: "A47 DSA", blob: Buffer.concat([sshString("ssh-dss"), sshString("x")]), expected: "weak" },
    { reason: "A47 an exponent of 1", blob: rsa(Buffer.from([1]), modulus), expected: "weak" },
    { reason: "A47 an even exponent", blob: rsa(Buffer.from([4]), modulus), expected: "weak" },
    { reason: "A47 2047 bits", blob: rsa(Buffer.from([1, 0, 1]), Buffer.alloc(256, 0x7f)), expected: "weak" },
    { reason: "a negative modulus", blob: rsa(Buffer.from([3]), Buffer.alloc(256, 0xff)), expected: "malformed" },
    {
      reason: "zeros before the modulus",
      blob: rsa(Buffer.from([3]), Buffer.concat([Buffer.alloc(2), modulus])),
      expected: "malformed",
    },
    {
      reason: "a huge modulus",
      blob: rsa(Buffer.from([3]), Buffer.concat([Buffer.from([0]), Buffer.alloc(4096, 0xff)])),
      expected: "unsupported",
    },
    { reason: "a certificate", blob: sshString("ssh-ed25519-cert-v01@openssh.com"), expected: "certificate" },
    { reason: "a type that is not known", blob: sshString("ssh-mldsa"), expected: "unsupported" },
    {
      reason: "a short Ed25519 key",
      blob: Buffer.concat([sshString("ssh-ed25519"), sshString(Buffer.alloc(31))]),
      expected: "malformed",
    },
    {
      reason: "bytes behind the key",
      blob: Buffer.concat([sshString("ssh-ed25519"), sshString(Buffer.alloc(32)), Buffer.from("x")]),
      expected: "malformed",
    },
    {
      reason: "a point that is not on its curve",
      blob: Buffer.concat([sshString("ecdsa-sha2-nistp256"), sshString("nistp256"), sshString(Buffer.alloc(65, 4))]),
      expected: "malformed",
    },
    {
      reason: "a curve that is not the type's",
      blob: Buffer.concat([sshString("ecdsa-sha2-nistp256"), sshString("nistp384"), sshString(Buffer.alloc(97, 4))]),
      expected: "malformed",
    },
    { reason: "nothing", blob: Buffer.alloc(0), expected: "malformed" },
  ])("refuses $reason", ({ blob, expected }) => {
    expect(parseSshPublicKey(blob)).toMatchObject({ kind: "refused", reason: expected });
  });
});

describe("matchesPatternList", () => {
  it.each([
    { patterns: ["git"], name: "git", expected: true },
    { patterns: ["g?t"], name: "git", expected: true },
    { patterns: ["*"], name: "git", expected: true },
    { patterns: ["gi"], name: "git", expected: false },
    { patterns: ["g.t"], name: "git", expected: false },
    { patterns: ["!file"], name: "git", expected: false },
    { patterns: ["*", "!g*"], name: "git", expected: false },
  ])("$patterns and $name: $expected", ({ patterns, name, expected }) => {
    expect(matchesPatternList(patterns, name)).toBe(expected);
  });
});
