import { describe, expect, it } from "vitest";
import { readServerKeys, refuseOtherServer, serverKeyLines } from "../../../src/bootstrap/server-keys.ts";

const signal = new AbortController().signal;

describe("readServerKeys", () => {
  it("takes the lines of a file, and refuses an empty one where no API has keys", async () => {
    const read = (knownHosts: string) => readServerKeys({ host: undefined, signal }, { kind: "key", knownHosts });
    expect(await read("h ssh-ed25519 A\n\n")).toEqual(["h ssh-ed25519 A"]);
    expect(await read("h ssh-rsa A\r\nh ssh-ed25519 A\r\n")).toEqual(["h ssh-rsa A", "h ssh-ed25519 A"]);
    // As an editor may leave them: ssh ignores the spaces, but a text of YAML must not begin with more of them than its next line.
    expect(await read("\ufeffh ssh-rsa A\n")).toEqual(["h ssh-rsa A"]);
    expect(await read("  h ssh-rsa A\nh ssh-ed25519 A \n")).toEqual(["h ssh-rsa A", "h ssh-ed25519 A"]);
    await expect(read(" \n")).rejects.toMatchObject({ code: "E_USAGE" });
  });
});

describe("refuseOtherServer", () => {
  const target = { host: "git.example.com", port: 2222 };
  /** `ssh-keygen -H` of `[git.example.com]:2222 ssh-ed25519 AAAAC3Nz`. */
  const hashed = "|1|yYgoHJUgbu1w4i5cBxCHygg0ASQ=|aK0hGJ1Q0CMaUGtO1G+2WjpSJko= ssh-ed25519 AAAAC3Nz";

  it.each([
    "[git.example.com]:2222 ssh-ed25519 AAAAC3Nz",
    "git.example.com ssh-ed25519 AAAAC3Nz",
    "# a comment\nother,[GIT.example.com]:2222 ssh-rsa AAAAB3Nz",
    "@cert-authority *.example.com ssh-ed25519 AAAAC3Nz",
    "!old.example.com,*.example.com ssh-ed25519 AAAAC3Nz",
    hashed,
  ])("takes what ssh would take for the server: %s", (lines) => {
    expect(() => refuseOtherServer(lines, target, "FILE")).not.toThrow();
  });

  it.each([
    "[git.example.com]:22 ssh-ed25519 AAAAC3Nz",
    "[127.0.0.1]:2222 ssh-ed25519 AAAAC3Nz",
    "@revoked git.example.com ssh-ed25519 AAAAC3Nz",
    "# [git.example.com]:2222 ssh-ed25519 AAAAC3Nz",
    "#before,[git.example.com]:2222 ssh-ed25519 AAAAC3Nz",
    "*.example.com*,!GIT.example.com,!*:2222 ssh-ed25519 AAAAC3Nz",
    hashed.replace("yYgo", "yYgp"),
  ])("refuses keys by which the daemon would know another server: %s", (lines) => {
    const refused = () => refuseOtherServer(lines, target, "FILE");
    expect(refused).toThrow(/^FILE has no key of \[git\.example\.com\]:2222.*ssh-keyscan -p 2222 git\.example\.com/u);
  });
});

describe("serverKeyLines", () => {
  it("names the host of keys that an API has, and keeps lines of a file", () => {
    expect(
      serverKeyLines(["ssh-ed25519 AAAAC3Nz", "[h]:2222 ssh-rsa AAAAB3Nz"], { host: "github.com", port: 22 }),
    ).toBe("github.com ssh-ed25519 AAAAC3Nz\n[h]:2222 ssh-rsa AAAAB3Nz");
  });

  it("names another port as ssh does: a key of one server is not one of each server of the host", () => {
    const keys = ["ssh-ed25519 AAAAC3Nz"];
    expect(serverKeyLines(keys, { host: "h", port: 2222 })).toBe("[h]:2222 ssh-ed25519 AAAAC3Nz");
    expect(serverKeyLines(keys, { host: "fd00::1", port: 2222 })).toBe("[fd00::1]:2222 ssh-ed25519 AAAAC3Nz");
  });

  it.each(["ssh-1.example.com", "sk-git", "ecdsa-host"])("keeps the line of a host that is called %s", (host) => {
    const lines = ["# ssh-keyscan", `${host} ssh-ed25519 AAAAC3Nz`];
    expect(serverKeyLines(lines, { host, port: 22 })).toBe(lines.join("\n"));
  });
});
