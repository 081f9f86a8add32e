import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeDeployKey } from "../../../../src/bootstrap/deploy-key.ts";
import { hasPassphrase } from "../../../../src/git/engine/has-passphrase.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const cipher = "aes-256-cbc";
const pem = (type: "pkcs1" | "pkcs8", passphrase?: string): string =>
  privateKey.export({ format: "pem", type, ...(passphrase === undefined ? {} : { cipher, passphrase }) }).toString();

describe("hasPassphrase", () => {
  it.each([
    ["PEM of OpenSSL", pem("pkcs1", "secret"), true],
    ["PEM of OpenSSL without one", pem("pkcs1"), false],
    ["PKCS #8", pem("pkcs8", "secret"), true],
    ["PKCS #8 without one", pem("pkcs8"), false],
    ["a key of bootstrap", makeDeployKey("fleet").identity, false],
    ["a key with the line ends of Windows", makeDeployKey("fleet").identity.replaceAll("\n", "\r\n"), false],
    ["a public key", makeDeployKey("fleet").publicKey, false],
    ["no key", "not a key", false],
    ["nothing", "", false],
  ])("of %s", (_what, identity, expected) => {
    expect(hasPassphrase(identity)).toBe(expected);
  });

  it.each([
    ["", false],
    ["secret", true],
  ])("of a key of ssh-keygen with passphrase '%s'", async (passphrase, expected) => {
    const { path, remove } = await makeTempFolder();
    onTestFinished(remove);
    const file = join(path, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-f", file]);
    const identity = readFileSync(file, "utf8");
    expect(hasPassphrase(identity)).toBe(expected);
    expect(hasPassphrase(identity.replaceAll("\n", "\r\n"))).toBe(expected);
  });
});
