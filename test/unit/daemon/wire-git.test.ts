import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositorySpec } from "../../../src/cli/commands/repository-spec.ts";
import { accessOfFlags, accessOfRepository, forgeAccessOfFlags, namedProxy } from "../../../src/daemon/wire-git.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { RepositorySpec } from "../../../src/model/generated/repository.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

const url = "https://git.example.com/fleet.git";
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "rollcall-forge-token-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

function settingsOf(given: Readonly<Record<string, string>>) {
  return readSettings("run", { given: { repo: url, forge: "Gitea", ...given }, environment: {} });
}

describe("the access to the forge, where no Secret is named", () => {
  it("has the token of the repository, as its file has it now, and is sent to no other repository", async () => {
    const file = join(folder, "token");
    await writeFile(file, "first\n");
    const { token: tokenOf } = forgeAccessOfFlags(settingsOf({ "git-token-file": file }), url);
    expect(await tokenOf(url)).toBe("first");
    await writeFile(file, "second\n");
    expect(await tokenOf(url)).toBe("second");
    expect(await tokenOf("https://git.attacker.example/fleet.git")).toBeUndefined();
  });

  it("has the certificates of --git-ca-file, for no other repository", async () => {
    const file = join(folder, "ca");
    await writeFile(file, "first");
    const { caBundle } = forgeAccessOfFlags(settingsOf({ "git-token-file": file, "git-ca-file": file }), url);
    expect(await caBundle(url)).toBe("first");
    expect(await caBundle("https://git.attacker.example/fleet.git")).toBeUndefined();
    expect(await forgeAccessOfFlags(settingsOf({ "git-token-file": file }), url).caBundle(url)).toBeUndefined();
  });

  it("needs a token at the start, when there is none", () => {
    expect(() => repositorySpec(settingsOf({}))).toThrow(/--forge needs a token/u);
    expect(repositorySpec(settingsOf({ "git-token-file": "token" })).forge).toEqual({ provider: "Gitea" });
    expect(repositorySpec(settingsOf({ "forge-secret": "s" })).forge?.secretRef).toEqual({ name: "s" });
  });
});

describe("the access to the repository that options describe", () => {
  const access = (given: Readonly<Record<string, string>>, environment = {}, of = url) =>
    accessOfFlags(settingsOf(given), of, environment);
  const fileOf = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };

  it("has no credentials without a file", async () => {
    const { credentials, ssh } = access({ "git-username": "ada" });
    expect(await askFor(credentials)).toBeUndefined();
    expect(await askFor(ssh)).toEqual({ identity: "", knownHosts: "" });
  });

  it("has the token of a file, with a username where one is given, and the files of ssh as they are", async () => {
    const token = await fileOf("flag-token", " secret\n");
    expect(await askFor(access({ "git-token-file": token }).credentials)).toEqual({ kind: "token", secret: "secret" });
    const { credentials } = access({ "git-token-file": token, "git-username": "ada" });
    expect(await askFor(credentials)).toEqual({ kind: "basic", username: "ada", secret: "secret" });
    const ssh = { "git-ssh-key-file": token, "git-known-hosts-file": await fileOf("hosts", "h\n") };
    expect(await askFor(access(ssh).ssh)).toEqual({ identity: " secret\n", knownHosts: "h\n" });
  });

  it("has the certificates of --git-ca-file, or else those of the environment besides the usual ones", async () => {
    const ca = await fileOf("ca-flag", "of the option");
    const environment = { NODE_EXTRA_CA_CERTS: await fileOf("ca-extra", "of the environment") };
    expect(await access({ "git-ca-file": ca }, environment).route()).toEqual({ caBundle: "of the option" });
    const { caBundle } = await access({}, environment).route();
    expect(caBundle).toContain("of the environment");
    expect(caBundle).toContain("BEGIN CERTIFICATE");
    expect(await access({}).route()).toEqual({});
  });

  const proxy = { HTTPS_PROXY: "http://proxy.example:3128" };
  it.each([
    ["https://git.example.com/fleet.git", proxy, { proxyUrl: "http://proxy.example:3128" }],
    ["https://git.example.com/fleet.git", { ...proxy, NO_PROXY: ".example.com" }, {}],
    ["ssh://git@git.example.com/fleet.git", proxy, {}],
    ["/srv/fleet.git", proxy, {}],
  ])("reaches %s with %j by %j", async (of, environment, route) => {
    expect(await access({}, environment, of).route()).toEqual(route);
  });
});

describe("the access to the repository that a Repository describes", () => {
  const hubWith = (secrets: Readonly<Record<string, Readonly<Record<string, string>>>>) => {
    const get = async ({ namespace, name }: ObjectRef) => {
      const entries = Object.entries(secrets[`${namespace}/${name}`] ?? {});
      const data = Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
      return entries.length === 0 ? undefined : { metadata: { name }, data };
    };
    return { get } as unknown as KubeApi;
  };
  const repositoryOf = (spec: Partial<RepositorySpec>) => ({
    apiVersion: "rollcall.dev/v1alpha1" as const,
    kind: "Repository" as const,
    metadata: { name: "fleet", namespace: "rollcall" },
    spec: { url, ...spec },
  });
  type Options = Partial<Omit<Parameters<typeof accessOfRepository>[0], "hubApi" | "url" | "repository">>;
  const access = (entries: Readonly<Record<string, string>> | undefined, options: Options = {}, spec = {}) =>
    accessOfRepository({
      hubApi: hubWith(entries ? { "rollcall/git": entries } : {}),
      url,
      repository: () => repositoryOf({ secretRef: { name: "git" }, ...spec }),
      environment: {},
      ...options,
    });

  it.each([
    [{ token: " t\n" }, { kind: "token", secret: "t" }],
    [
      { token: "t", username: " ada\n" },
      { kind: "basic", username: "ada", secret: "t" },
    ],
    [
      { password: "p", username: "ada" },
      { kind: "basic", username: "ada", secret: "p" },
    ],
    [
      { password: " p\u{a0} \r\n", username: "ada" },
      { kind: "basic", username: "ada", secret: " p\u{a0} " },
    ],
    [
      { token: "t", password: "p" },
      { kind: "token", secret: "t" },
    ],
    [{ identity: "key", known_hosts: "h" }, undefined],
    [{ identity: "key", token: "" }, undefined],
    [{ "ssh-privatekey": "key", known_hosts: "h" }, undefined],
  ])("has of the entries %j the credentials %j", async (entries, expected) => {
    expect(await askFor(access(entries).credentials)).toEqual(expected);
  });

  it.each<Record<string, string>>([{ other: "x" }, { token: "\n" }, { username: "ada" }])(
    "refuses a Secret with %j alone",
    async (entries) => {
      await expect(askFor(access(entries).credentials)).rejects.toMatchObject({
        code: "E_GIT_AUTH",
        message: expect.stringContaining("Secret/rollcall/git: it has neither token") as string,
      });
    },
  );

  it("has the key of the Secret for ssh, and names the entry that is missing", async () => {
    const keys = { identity: "key", known_hosts: "h" };
    expect(await askFor(access(keys).ssh)).toEqual({ identity: "key", knownHosts: "h" });
    for (const missing of ["identity", "known_hosts"] as const) {
      const { [missing]: _, ...others } = keys;
      await expect(askFor(access({ ...others, x: "" }).ssh)).rejects.toMatchObject({
        code: "E_GIT_AUTH",
        message: `read Secret/rollcall/git: it has no entry ${missing}`,
        remedy: `Put an entry ${missing} into the Secret.`,
      });
    }
  });

  it("has the key for ssh of a Secret of the type kubernetes.io/ssh-auth; one named identity outranks it", async () => {
    const keys = { "ssh-privatekey": "key", known_hosts: "h" };
    expect(await askFor(access(keys).ssh)).toEqual({ identity: "key", knownHosts: "h" });
    expect(await askFor(access({ ...keys, identity: "own" }).ssh)).toMatchObject({ identity: "own" });
  });

  it("is refused without the Secret that it names", async () => {
    await expect(askFor(access(undefined).credentials)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });

  it("A267 gives what the Repository names to no server of an address that it named before", async () => {
    const { credentials, route } = access(
      { token: "t", address: "http://proxy.example.com" },
      {},
      { url: "https://git.other.example/fleet.git", proxySecretRef: { name: "git" } },
    );
    const message = `ask ${url}: the Repository names https://git.other.example/fleet.git by now, and its Secrets are for that`;
    await expect(askFor(credentials)).rejects.toMatchObject({ code: "E_GIT_URL", message });
    await expect(route()).rejects.toMatchObject({ code: "E_GIT_URL", message });
  });

  const fallback = {
    credentials: { kind: "token", secret: "of options" } as const,
    ssh: { identity: "i", knownHosts: "k" },
    route: () => Promise.resolve({ caBundle: "of options", proxyUrl: "http://of.options:1" }),
  };

  it("has what options describe where it names no Secret, or is not there", async () => {
    for (const repository of [() => repositoryOf({}), () => undefined]) {
      const options = { hubApi: hubWith({}), url, repository, environment: {} };
      const named = accessOfRepository({ ...options, fallback });
      expect(await askFor(named.credentials)).toEqual(fallback.credentials);
      expect(await askFor(named.ssh)).toEqual(fallback.ssh);
      expect(await named.route()).toEqual(await fallback.route());
      const unnamed = accessOfRepository(options);
      expect(await askFor(unnamed.credentials)).toBeUndefined();
      expect(await askFor(unnamed.ssh)).toEqual({ identity: "", knownHosts: "" });
      expect(await unnamed.route()).toEqual({});
    }
  });

  it("goes through the proxy of the environment, and trusts its certificates, without options", async () => {
    const extra = join(folder, "extra");
    await writeFile(extra, "of the environment");
    const environment = { HTTPS_PROXY: "http://proxy.example:3128", NODE_EXTRA_CA_CERTS: extra };
    const { proxyUrl, caBundle } = await access({ token: "t" }, { environment }).route();
    expect(proxyUrl).toBe("http://proxy.example:3128");
    expect(caBundle).toContain("of the environment");
  });

  it("trusts the certificates of the Repository besides the usual ones", async () => {
    const { caBundle } = await access({ token: "t" }, { fallback }, { caBundle: "own" }).route();
    expect(caBundle).toContain("own\n");
    expect(caBundle).toContain("BEGIN CERTIFICATE");
    expect(caBundle).not.toContain("of options");
  });

  it("goes through the proxy that the Repository names, as the user of its Secret", async () => {
    const hubApi = hubWith({
      "rollcall/proxy": { address: "http://p.example:3128\n", username: "a b\n", password: "c:d \n" },
    });
    const repository = repositoryOf({ proxySecretRef: { name: "proxy" } });
    const { route } = accessOfRepository({ hubApi, url, repository: () => repository, environment: {}, fallback });
    expect(await route()).toEqual({ caBundle: "of options", proxyUrl: "http://a%20b:c%3Ad%20@p.example:3128/" });
    expect(await namedProxy(hubApi, repository)).toBe("http://a%20b:c%3Ad%20@p.example:3128/");
    expect(await namedProxy(hubApi, repositoryOf({}))).toBeUndefined();
  });

  it("needs no user for a proxy, and an address that is one", async () => {
    const repository = repositoryOf({ proxySecretRef: { name: "proxy" } });
    const proxyOf = (entries: Readonly<Record<string, string>>) =>
      namedProxy(hubWith({ "rollcall/proxy": entries }), repository);
    expect(await proxyOf({ address: "http://p.example:3128" })).toBe("http://p.example:3128/");
    await expect(proxyOf({ username: "a" })).rejects.toMatchObject({ code: "E_GIT_AUTH" });
    await expect(proxyOf({ address: "proxy" })).rejects.toMatchObject({
      code: "E_GIT_URL",
      message: "read Secret/rollcall/proxy: address is no URL",
    });
  });
});

/** Credentials or a key, which are asked for before each request. */
async function askFor<T>(source: T | (() => Promise<T | undefined>)): Promise<T | undefined> {
  return typeof source === "function" ? (source as () => Promise<T>)() : source;
}
