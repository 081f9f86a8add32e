import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositorySpec } from "../../../../src/cli/commands/repository-spec.ts";
import { furtherOf, sopsProgram } from "../../../../src/cli/commands/run-options.ts";
import { pageAccess, readPageActions } from "../../../../src/daemon/page/page-access.ts";
import { publishRemoval, publishTargets } from "../../../../src/daemon/wire-publish.ts";
import { hubEndpoint } from "../../../../src/daemon/connect-hub.ts";
import { servedProtocols } from "../../../../src/daemon/foreign-protocols.ts";
import { restoreSettings } from "../../../../src/recovery/restore-fleet.ts";
import type { CommandName } from "../../../../src/settings/option-entry.ts";
import { accessOfFlags } from "../../../../src/daemon/wire-git.ts";
import { objectAt } from "../../../../src/core/read-json.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

const repo = "https://git.example.com/fleet.git";
const read = (given: Readonly<Record<string, string | boolean>>, command: CommandName = "run") =>
  readSettings(command, { given: { repo, ...given }, environment: {} });

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

describe.each(["run", "plan"] as const)("options of %s by which the git server is reached", (command) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-options-"));
    for (const name of ["token", "ca", "key", "hosts"]) await writeFile(join(folder, name), `the ${name}`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const asked = <T>(source: T | (() => Promise<T>)): T | Promise<T> =>
    typeof source === "function" ? (source as () => Promise<T>)() : source;
  const accessOf = (command: CommandName) => (options: Readonly<Record<string, string>>) =>
    accessOfFlags(read(options, command), repo, { HTTPS_PROXY: "http://proxy.example.com:3128" });
  const access = accessOf(command);
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

describe("options of run for what is served and published", () => {
  it.each(["fleet", "kubefleet", "clusternet"] as const)("are --serve-%s and its controllers", (name) => {
    expect(servedProtocols(read({}))).toEqual([]);
    const served = (given: Readonly<Record<string, string>>) =>
      servedProtocols(read({ [`serve-${name}`]: "true", ...given }));
    expect(served({})).toEqual([{ name, controllers: "Rollcall", bootstrapTokens: false }]);
    expect(served({ [`${name}-controllers`]: "External" })).toMatchObject([{ name, controllers: "External" }]);
    const tokens = served({ "clusternet-bootstrap-tokens": "true" });
    expect(tokens).toMatchObject([{ name, bootstrapTokens: name === "clusternet" }]);
  });

  it.each(["fleet", "kubefleet", "clusternet"] as const)("are those of %s for uninstall too", (name) => {
    const served = (given: Readonly<Record<string, string>>) =>
      servedProtocols(read(given, "uninstall"), (other) => other === name);
    expect(served({})).toEqual([{ name, controllers: "Rollcall", bootstrapTokens: false }]);
    expect(served({ [`${name}-controllers`]: "External" })).toMatchObject([{ name, controllers: "External" }]);
    const tokens = served({ "clusternet-bootstrap-tokens": "true" });
    expect(tokens).toMatchObject([{ name, bootstrapTokens: name === "clusternet" }]);
  });

  it("are --publish-cluster-profiles, --publish-argocd and --publish-flux", () => {
    expect(publishTargets(read({}))).toEqual({ clusterProfiles: false });
    const given = { "publish-cluster-profiles": "true", "publish-argocd": "argocd", "publish-flux": "flux-system" };
    expect(publishTargets(read(given))).toEqual({ clusterProfiles: true, argocd: "argocd", flux: "flux-system" });
  });

  it("are --hub-url and --hub-ca-file, by which agents find the hub", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rollcall-hub-ca-"));
    const file = join(folder, "ca");
    await writeFile(file, "the ca");
    const connection = { server: "https://10.0.0.1", getTls: async () => ({ caPem: "its own" }) };
    const endpoint = (given: Readonly<Record<string, string>>) => hubEndpoint(read(given), connection);
    expect(await endpoint({})).toEqual({ url: "https://10.0.0.1", caBundle: "its own" });
    const given = { "hub-url": "https://hub.example.com", "hub-ca-file": file };
    expect(await endpoint(given)).toEqual({ url: "https://hub.example.com", caBundle: "the ca" });
    await rm(folder, { recursive: true });
  });

  it.each(["run", "up"] as const)("are --trust-key-file and --restore-unsigned of %s", (command) => {
    expect(restoreSettings(read({}, command))).toEqual({ isUnsignedAccepted: false });
    const given = { "trust-key-file": "/keys/trust", "restore-unsigned": "true" };
    expect(restoreSettings(read(given, command))).toEqual({ trustKeyFile: "/keys/trust", isUnsignedAccepted: true });
  });
});

describe("options of run beside the Repository", () => {
  it("are --sops-program and --sops-origins", () => {
    expect(sopsProgram(read({ "sops-origins": "https://vault.example" }), {})).toEqual({});
    const program = { "sops-program": "/bin/sops" };
    expect(sopsProgram(read(program), { A: "1" })).toEqual({
      sopsProgram: { path: "/bin/sops", env: { A: "1" }, allowedOrigins: [] },
    });
    const origins = ["https://vault.example", "https://b.vault.azure.net"];
    expect(sopsProgram(read({ ...program, "sops-origins": origins.join(",") }), {})).toMatchObject({
      sopsProgram: { allowedOrigins: origins },
    });
  });

  it("are --follow-repositories, --repository, --cache-dir and --git-backend, for the other Repositories", () => {
    const others = (given: Readonly<Record<string, string>>) =>
      furtherOf(read(given), { HOME: "/home/ada" }, () => undefined).further;
    const follow = { "follow-repositories": "true" };
    expect(others({})).toBeUndefined();
    expect(others({ ...follow, once: "true" })).toBeUndefined();
    expect(others(follow)).toMatchObject({ except: "fleet", backend: "auto" });
    const given = { ...follow, repository: "main", "cache-dir": "/var/copies", "git-backend": "native" };
    expect(others(given)).toMatchObject({ except: "main", cacheDir: "/var/copies", backend: "native" });
  });

  it("are --publish-argocd-removal and --publish-removal-timeout", () => {
    expect(publishRemoval(read({}))).toEqual({ timeoutMs: 15 * 60_000, unselects: false });
    const given = { "publish-argocd-removal": "Unselect", "publish-removal-timeout": "1m" };
    expect(publishRemoval(read(given))).toEqual({ timeoutMs: 60_000, unselects: true });
  });

  it("are --page-actions, which needs the tokens of --page-access Token", () => {
    expect(readPageActions(read({}))).toBe(false);
    expect(readPageActions(read({ "page-actions": true }))).toBe(true);
    for (const mode of ["Open", "Proxy"]) {
      const given = { "page-actions": true, "page-access": mode };
      expect(() => readPageActions(read(given))).toThrow(`and --page-access ${mode} has none: use --page-access Token`);
    }
  });

  it("are --page-user-header and --page-groups-header", async () => {
    const asked: unknown[] = [];
    const unused = (): never => {
      throw new Error("not called here");
    };
    const hubApi: KubeApi = {
      server: "none",
      create: async (review) => {
        asked.push(objectAt(review, "spec"));
        return { ...review, status: { allowed: true } };
      },
      get: unused,
      list: unused,
      watch: unused,
      update: unused,
      apply: unused,
      mergePatch: unused,
      delete: unused,
      requestToken: unused,
      getRaw: unused,
      requestCounts: new Map(),
      close: async () => undefined,
    };
    const given = { "page-access": "Proxy", "page-user-header": "X-User", "page-groups-header": "X-Teams" };
    const options = { host: "127.0.0.1", hubApi, daemonNamespace: "rollcall-system", workspaces: () => ["one"] };
    const request = {
      headers: { "x-forwarded-user": "eve", "x-forwarded-groups": "admins", "x-user": "ada", "x-teams": "a, b" },
      remoteAddress: "127.0.0.1",
    };
    expect(await pageAccess(read(given), options).admit(request)).toMatchObject({ viewer: { user: "ada" } });
    expect(asked[0]).toMatchObject({ user: "ada", groups: ["a", "b"] });
    const usual = pageAccess(read({ "page-access": "Proxy" }), options);
    expect(await usual.admit(request)).toMatchObject({ viewer: { user: "eve" } });
    expect(asked.at(-1)).toMatchObject({ user: "eve", groups: ["admins"] });
  });
});
