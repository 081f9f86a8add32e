import { execFileSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isLetIn, prepareSsh, removeSshFiles, sshTargetOf } from "../../../../src/git/engine/ssh-access.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";
import { realRandom } from "../../../support/real-time.ts";

describe("sshTargetOf", () => {
  it.each([
    { url: "ssh://git@git.example.org:2222/fleet.git", target: { host: "git.example.org", port: 2222, user: "git" } },
    { url: "ssh://git.example.org/fleet.git", target: { host: "git.example.org", port: 22, user: undefined } },
    { url: "SSH://git@git.example.org:2222/fleet.git", target: { host: "git.example.org", port: 2222, user: "git" } },
    { url: "ssh://a%2bb@[::1]:22/fleet.git", target: { host: "::1", port: 22, user: "a+b" } },
    { url: "git@ssh:fleet.git", target: { host: "ssh", port: 22, user: "git" } },
    { url: "git@github.com:team/fleet.git", target: { host: "github.com", port: 22, user: "git" } },
  ])("reads $url", ({ url, target }) => {
    expect(sshTargetOf(url)).toEqual(target);
  });
});

describe("isLetIn", () => {
  const ask = async (command: string, user?: string, signal?: AbortSignal) => {
    const target = { host: "127.0.0.1", port: 22, user };
    return isLetIn({ target, sshCommand: `sh -c '${command}' ssh`, ...(signal ? { signal } : {}) });
  };

  const asks = (destination: string): string => `[ "$4 $5" = "-- ${destination}" ] || exit 255`;
  it.each([
    ["ssh itself fails", "git", "exit 255", false],
    ["the server refuses the command", "git", "exit 1", true],
    ["the server runs it", "git", "exit 0", true],
    ["there is no ssh", "git", "exec /nonexistent", true],
    ["a user is named", "git", asks("git@127.0.0.1"), true],
    ["no user is named", undefined, asks("127.0.0.1"), true],
  ])("where %s", async (_what, user, command, expected) => {
    expect(await ask(command, user)).toBe(expected);
  });

  it("ends when it is stopped", async () => {
    const stop = new AbortController();
    const answer = ask("sleep 600", "git", stop.signal);
    stop.abort();
    await expect(answer).rejects.toBe(stop.signal.reason);
  });

  it("ends in time where a server lets it in and never ends the session", async () => {
    const target = { host: "127.0.0.1", port: 22, user: "git" };
    expect(await isLetIn({ target, sshCommand: "sleep 100000 #", timeoutMs: 100 })).toBe(true);
  });
});

describe("prepareSsh", () => {
  it("A29 A45 writes files that only we can read, and a command that a shell takes apart as meant", async () => {
    const { path, remove } = await makeTempFolder();
    onTestFinished(remove);
    const folder = join(path, "it's a $(touch x) folder");
    const command = await prepareSsh(
      folder,
      { identity: "\uFEFFkey\r\nof two\r\n", knownHosts: "one\r\ntwo" },
      realRandom,
    );
    // Written on Windows: ssh takes no key and no server with such ends of lines, or behind a byte order mark.
    expect(await readFile(join(folder, "identity"), "utf8")).toBe("key\nof two\n");
    expect(await readFile(join(folder, "known_hosts"), "utf8")).toBe("one\ntwo\n");
    for (const name of ["identity", "known_hosts"]) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    const words = execFileSync("/bin/sh", ["-c", `printf '%s\\n' ${command}`], { encoding: "utf8" }).split("\n");
    expect(words.slice(0, 5)).toEqual(["ssh", "-F", "/dev/null", "-i", join(folder, "identity")]);
    expect(words).toContain(`UserKnownHostsFile=${join(folder, "known_hosts")}`);
    expect(words).toContain("StrictHostKeyChecking=yes");
    await removeSshFiles(folder);
    await expect(stat(folder)).rejects.toThrow();
  });

  it.each([
    ["asks for no password", "BatchMode=yes"],
    ["believes no other list of servers", "GlobalKnownHostsFile=/dev/null"],
    ["takes no key from a server that it believes", "UpdateHostKeys=no"],
    ["offers no other key", "IdentitiesOnly=yes"],
    ["asks no agent of the user for keys", "IdentityAgent=none"],
    ["logs in by key alone", "PreferredAuthentications=publickey"],
    ["lends the server no agent", "ForwardAgent=no"],
    ["opens no tunnel", "ClearAllForwardings=yes"],
    ["runs no command here", "PermitLocalCommand=no"],
    ["notices a server that is gone", "ServerAliveInterval=15"],
  ])("A29 makes a command that %s, whatever the user's configuration is", async (_what, setting) => {
    const { path, remove } = await makeTempFolder();
    onTestFinished(remove);
    const words = (await prepareSsh(path, { identity: "key", knownHosts: "hosts" }, realRandom)).split(" ");
    expect(words).toContain(`'${setting}'`);
    expect(words[words.indexOf(`'${setting}'`) - 1]).toBe("'-o'");
    expect(words.slice(1, 3)).toEqual(["'-F'", "'/dev/null'"]);
  });

  it.each([
    { identity: " \n", knownHosts: "h", option: "--git-ssh-key-file" },
    { identity: "k", knownHosts: " \n", option: "--git-known-hosts-file" },
    { identity: "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", knownHosts: "h", option: "without passphrase" },
  ])("A29 refuses to go without a usable key or without known hosts", async ({ option, ...credentials }) => {
    const work = prepareSsh("/nonexistent", credentials, realRandom);
    const remedy = expect.stringContaining(option) as string;
    await expect(work).rejects.toMatchObject({ code: "E_GIT_AUTH", remedy });
  });
});
