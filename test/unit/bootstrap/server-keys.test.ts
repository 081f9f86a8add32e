import { describe, expect, it } from "vitest";
import { readServerKeys, serverKeyLines } from "../../../src/bootstrap/server-keys.ts";

const signal = new AbortController().signal;

describe("readServerKeys", () => {
  it("takes the lines of a file, and refuses an empty one where no API has keys", async () => {
    const read = (knownHosts: string) => readServerKeys({ host: undefined, signal }, { kind: "key", knownHosts });
    expect(await read("h ssh-ed25519 A\n\n")).toEqual(["h ssh-ed25519 A"]);
    expect(await read("h ssh-rsa A\r\nh ssh-ed25519 A\r\n")).toEqual(["h ssh-rsa A", "h ssh-ed25519 A"]);
    await expect(read(" \n")).rejects.toMatchObject({ code: "E_USAGE" });
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
