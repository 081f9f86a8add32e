import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositorySpec } from "../../../../src/cli/commands/run.ts";
import { accessOfFlags } from "../../../../src/daemon/wire-git.ts";
import { readSettings } from "../../../../src/settings/settings.ts";

const repo = "https://git.example.com/fleet.git";
const read = (given: Readonly<Record<string, string>>) =>
  readSettings("run", { given: { repo, ...given }, environment: {} });

describe("options of run that are fields of the Repository", () => {
  const keys = { "verify-keys-secret": "signers" };
  const forge = { forge: "GitLab", "forge-secret": "token" };
  it.each([
    ["repo", { repo: "https://git.example.com/other.git" }, { url: "https://git.example.com/other.git" }],
    ["branch", { branch: "next" }, { ref: { branch: "next" } }],
    ["interval", { interval: "7m" }, { interval: "7m" }],
    ["workspaces", { workspaces: "a,b-*" }, { workspaces: ["a", "b-*"] }],
    ["default-workspace", { "default-workspace": "a" }, { defaultWorkspace: "a" }],
    ["age-key-secret", { "age-key-secret": "age" }, { decryption: { ageKeySecretRef: { name: "age" } } }],
    ["verify-keys-secret", keys, { verify: { keysSecretRef: { name: "signers" } } }],
    ["verify-paths", { ...keys, "verify-paths": "a/,b/" }, { verify: { paths: ["a/", "b/"] } }],
    ["forge", forge, { forge: { provider: "GitLab" } }],
    ["forge-secret", forge, { forge: { secretRef: { name: "token" } } }],
    ["forge-api-url", { ...forge, "forge-api-url": "https://x.example" }, { forge: { apiURL: "https://x.example" } }],
    ["write-back", { "write-back": "None" }, { writeBack: { mode: "None" } }],
    ["write-back-branch", { "write-back-branch": "status/x" }, { writeBack: { branch: "status/x" } }],
    ["write-back-interval", { "write-back-interval": "7m" }, { writeBack: { interval: "7m" } }],
  ])("--%s", (_name, given, expected) => {
    expect(repositorySpec(read({}))).not.toMatchObject(expected);
    expect(repositorySpec(read(given))).toMatchObject(expected);
  });
});

describe("options of run and plan by which the git server is reached", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-options-"));
    for (const name of ["token", "ca", "key", "hosts"]) await writeFile(join(folder, name), `the ${name}`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const asked = <T>(source: T | (() => Promise<T>)): T | Promise<T> =>
    typeof source === "function" ? (source as () => Promise<T>)() : source;
  const access = (options: Readonly<Record<string, string>>) =>
    accessOfFlags(read(options), repo, { HTTPS_PROXY: "http://proxy.example.com:3128" });
  const file = (name: string): string => join(folder, name);

  it("are --git-token-file and --git-username", async () => {
    expect(await asked(access({}).credentials)).toBeUndefined();
    const token = { "git-token-file": file("token") };
    expect(await asked(access(token).credentials)).toEqual({ kind: "token", secret: "the token" });
    const named = { kind: "basic", username: "bot", secret: "the token" };
    expect(await asked(access({ ...token, "git-username": "bot" }).credentials)).toEqual(named);
  });

  it("are --git-ca-file and the proxy of the environment", async () => {
    const { caBundle, proxyUrl } = await access({ "git-ca-file": file("ca") }).route();
    expect({ caBundle, proxyUrl }).toEqual({ caBundle: "the ca", proxyUrl: "http://proxy.example.com:3128" });
  });

  it("are --git-ssh-key-file and --git-known-hosts-file", async () => {
    const options = { "git-ssh-key-file": file("key"), "git-known-hosts-file": file("hosts") };
    expect(await asked(access(options).ssh)).toEqual({ identity: "the key", knownHosts: "the hosts" });
  });
});
