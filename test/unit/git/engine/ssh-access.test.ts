import { execFileSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { prepareSsh, removeSshFiles, sshTargetOf } from "../../../../src/git/engine/ssh-access.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";
import { realRandom } from "../../../support/real-time.ts";

describe("sshTargetOf", () => {
  it.each([
    { url: "ssh://git@git.example.org:2222/fleet.git", target: { host: "git.example.org", port: 2222, user: "git" } },
    { url: "ssh://git.example.org/fleet.git", target: { host: "git.example.org", port: 22, user: undefined } },
    { url: "ssh://a%2bb@[::1]:22/fleet.git", target: { host: "::1", port: 22, user: "a+b" } },
    { url: "git@github.com:team/fleet.git", target: { host: "github.com", port: 22, user: "git" } },
  ])("reads $url", ({ url, target }) => {
    expect(sshTargetOf(url)).toEqual(target);
  });
});

describe("prepareSsh", () => {
  it("A29 A45 writes files that only we can read, and a command that a shell takes apart as meant", async () => {
    const { path, remove } = await makeTempFolder();
    onTestFinished(remove);
    const folder = join(path, "it's a $(touch x) folder");
    const command = await prepareSsh(folder, { identity: "key\r\n", knownHosts: "hosts" }, realRandom);
    expect(await readFile(join(folder, "identity"), "utf8")).toBe("key\n");
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
    { identity: "", knownHosts: "h", option: "--git-ssh-key-file" },
    { identity: "k", knownHosts: " \n", option: "--git-known-hosts-file" },
  ])("A29 refuses to go without a key or without known hosts", async ({ option, ...credentials }) => {
    const work = prepareSsh("/nonexistent", credentials, realRandom);
    const remedy = expect.stringContaining(option) as string;
    await expect(work).rejects.toMatchObject({ code: "E_GIT_AUTH", remedy });
  });
});
