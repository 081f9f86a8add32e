import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDeployKey, publicKeyOf } from "../../../src/bootstrap/deploy-key.ts";
import { parseSshPublicKey } from "../../../src/git/signing/ssh-public-key.ts";

const hasSsh = spawnSync("ssh-keygen", ["-?"]).error === undefined;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-key-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("makeDeployKey", () => {
  it("makes a new key each time, whose public part is in the private one", () => {
    const [one, two] = [makeDeployKey("rollcall"), makeDeployKey("rollcall")];
    expect(one.publicKey).not.toBe(two.publicKey);
    expect(publicKeyOf(one.identity, "file")).toBe(one.publicKey);
    const blob = Buffer.from(one.publicKey.split(" ")[1] ?? "", "base64");
    expect(parseSshPublicKey(blob)).toMatchObject({ kind: "key", key: { type: "ssh-ed25519" } });
  });

  it.skipIf(!hasSsh)("writes a key that ssh-keygen reads (where it is installed)", () => {
    const { identity, publicKey } = makeDeployKey("rollcall");
    const file = join(folder, "identity");
    writeFileSync(file, identity, { mode: 0o600 });
    expect(execFileSync("ssh-keygen", ["-y", "-f", file], { encoding: "utf8" }).trim()).toBe(`${publicKey} rollcall`);
  });
});

describe("publicKeyOf", () => {
  it.skipIf(!hasSsh)("reads a key of ssh-keygen, and refuses one with a passphrase (where it is installed)", () => {
    for (const [name, phrase] of Object.entries({ plain: "", locked: "secret phrase" })) {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", phrase, "-C", "x", "-f", join(folder, name)]);
    }
    const textOf = (name: string): string => readFileSync(join(folder, name), "utf8");
    expect(`${publicKeyOf(textOf("plain"), "file")} x\n`).toBe(textOf("plain.pub"));
    expect(() => publicKeyOf(textOf("locked"), "FILE")).toThrow(/read FILE: it has no Ed25519 key/u);
  });

  it.each(["", "secret words", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"])(
    "refuses %j without repeating it",
    (text) => {
      expect(() => publicKeyOf(text, "FILE")).toThrow(/^read FILE: it has no Ed25519 key in OpenSSH form without a/u);
    },
  );
});
