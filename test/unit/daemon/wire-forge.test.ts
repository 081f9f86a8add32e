import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repositoryForge } from "../../../src/daemon/wire-forge.ts";
import type { Connect } from "../../../src/forge/forge-http.ts";
import { createDispatcher } from "../../../src/http/dispatcher.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { RepositorySpec } from "../../../src/model/generated/repository.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import type { ScriptedProxy } from "../kube/scripted-server.ts";
import { startScriptedProxy } from "../kube/scripted-server.ts";

describe("the forge of a Repository", () => {
  let proxies: ScriptedProxy[];
  let secrets: Record<string, Record<string, string>>;
  let environment: Record<string, string>;
  beforeEach(async () => {
    proxies = await Promise.all([1, 2].map(() => startScriptedProxy({ refuseWith: 407 })));
    secrets = { token: { token: "secret" }, own: { address: proxies[1]?.url ?? "", username: "u", password: "p@ss" } };
    environment = { HTTPS_PROXY: proxies[0]?.url ?? "" };
  });
  afterEach(() => Promise.all(proxies.map(({ stop }) => stop())));

  /** What each proxy was asked for, when the daemon lists pull requests. */
  async function look(spec: Partial<RepositorySpec> = {}, connect?: Connect): Promise<(readonly string[])[]> {
    const get = ({ name }: ObjectRef) => {
      const data = Object.entries(secrets[name] ?? {}).map(([key, text]) => [
        key,
        Buffer.from(text).toString("base64"),
      ]);
      const metadata = { name, namespace: "rollcall", uid: name, resourceVersion: "1" };
      return Promise.resolve({ apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(data) as object });
    };
    const openFor = repositoryForge({ get } as unknown as KubeApi, environment, undefined, connect);
    try {
      const repository = repositoryOf({ secretRef: { name: "token" }, forge: { provider: "GitHub" }, ...spec });
      const forge = await openFor(repository);
      await expect(forge?.listPullRequests()).rejects.toMatchObject({ code: "E_FORGE_UNREACHABLE" });
    } finally {
      await openFor.close();
    }
    return proxies.map(({ asked }) => asked);
  }

  it("is reached through the proxy of the environment, as the git server is", async () => {
    expect(await look()).toEqual([["CONNECT api.github.com:443"], []]);
  });

  it("is reached through the proxy that the Repository names, with its user", async () => {
    const authorization = `Basic ${Buffer.from("u:p@ss").toString("base64")}`;
    expect(await look({ proxySecretRef: { name: "own" } })).toEqual([
      [],
      [`CONNECT api.github.com:443 ${authorization}`],
    ]);
  });

  it("is chosen a proxy for by the address of its API, which is not that of the repository", async () => {
    environment["NO_PROXY"] = "git.example.com";
    const forge = {
      provider: "Gitea",
      apiURL: "https://api.example.com/api/v1",
      secretRef: { name: "token" },
    } as const;
    expect(await look({ url: "https://git.example.com/acme/fleet", forge })).toEqual([
      ["CONNECT api.example.com:443"],
      [],
    ]);
  });

  it("is reached by the connections that it is given", async () => {
    const connect: Connect = (options) => createDispatcher({ ...options, proxyUrl: proxies[1]?.url });
    expect(await look({}, connect)).toEqual([[], ["CONNECT api.github.com:443"]]);
  });

  it("has none of a Repository whose proxy has no address", async () => {
    secrets["own"] = {};
    await expect(look({ proxySecretRef: { name: "own" } })).rejects.toMatchObject({ code: "E_GIT_AUTH" });
  });

  it("is another one when the Repository names another address, and the same while it does not", async () => {
    const openFor = repositoryForge(
      {} as KubeApi,
      {},
      {
        token: () => Promise.resolve("secret"),
        caBundle: () => Promise.resolve(undefined),
      },
    );
    const forgeAt = (url: string) =>
      openFor({
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Repository",
        metadata: { name: "fleet", namespace: "rollcall" },
        spec: { url, forge: { provider: "GitHub" } },
      });
    const first = await forgeAt("https://github.com/acme/fleet");
    expect(await forgeAt("https://github.com/acme/fleet")).toBe(first);
    expect(await forgeAt("https://github.com/acme/other")).not.toBe(first);
    await openFor.close();
  });

  it("closes its connections when it is another one, and at its end", async () => {
    const tokens = ["first", "second", "second"];
    const closed: number[] = [];
    let count = 0;
    const connect: Connect = (options) => {
      const dispatcher = createDispatcher(options);
      const number = (count += 1);
      const destroy = () => (closed.push(number), Promise.resolve());
      return Object.assign(dispatcher, { destroy });
    };
    const flags = { token: async () => tokens.shift(), caBundle: async () => undefined };
    const openFor = repositoryForge({} as KubeApi, {}, flags, connect);
    const seen: number[][] = [];
    for (const _time of [1, 2, 3]) {
      await openFor(repositoryOf({ forge: { provider: "GitHub" } }));
      seen.push([count, ...closed]);
    }
    await openFor.close();
    expect([...seen, [count, ...closed]]).toEqual([[1], [2, 1], [2, 1], [2, 1, 2]]);
  });

  const repositoryOf = (spec: Partial<RepositorySpec>) => ({
    apiVersion: "rollcall.dev/v1alpha1" as const,
    kind: "Repository" as const,
    metadata: { name: "fleet", namespace: "rollcall" },
    spec: { url: "https://github.com/acme/fleet", ...spec },
  });
  const hubWithout = { get: () => Promise.reject(new Error("a Secret was asked for")) } as unknown as KubeApi;

  it("is another one when the password of the Repository's proxy is replaced", async () => {
    const proxy = { address: "http://proxy.example.com:3128", username: "u", password: "old" };
    const get = () => {
      const data = Object.entries(proxy).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
      const metadata = { name: "own", namespace: "rollcall", uid: "own", resourceVersion: "1" };
      return Promise.resolve({ apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(data) as object });
    };
    const flags = { token: () => Promise.resolve("secret"), caBundle: () => Promise.resolve(undefined) };
    const openFor = repositoryForge({ get } as unknown as KubeApi, {}, flags);
    const open = () => openFor(repositoryOf({ proxySecretRef: { name: "own" }, forge: { provider: "GitHub" } }));
    const first = await open();
    expect(await open()).toBe(first);
    proxy.password = "new";
    expect(await open()).not.toBe(first);
    await openFor.close();
  });

  it("is none where the Repository names none, or there is no token for it", async () => {
    const openFor = repositoryForge(hubWithout, {});
    expect(await openFor(repositoryOf({ secretRef: { name: "token" } }))).toBeUndefined();
    expect(await openFor(repositoryOf({ forge: { provider: "GitHub" } }))).toBeUndefined();
    await expect(openFor.close()).resolves.toBeUndefined();
  });

  it.each([
    [{ token: "t" }, undefined],
    [{ password: "p" }, undefined],
    [{ username: "u" }, "E_FORGE_AUTH"],
  ])("needs a token or a password in its Secret: %j", async (entries, code) => {
    const data = Object.fromEntries(
      Object.entries(entries).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
    );
    const get = async () => ({ apiVersion: "v1", kind: "Secret", metadata: { name: "token" }, data });
    const openFor = repositoryForge({ get } as unknown as KubeApi, {});
    const opened = openFor(repositoryOf({ forge: { provider: "GitHub", secretRef: { name: "token" } } }));
    if (code === undefined) expect((await opened)?.provider).toBe("GitHub");
    else
      await expect(opened).rejects.toMatchObject({
        code,
        message: 'open GitHub: Secret/rollcall/token has no entry "token"',
      });
    await openFor.close();
  });

  it("is trusted by the certificates of the Repository besides the usual ones, or else by those of options", async () => {
    const [certificate = ""] = rootCertificates;
    const trusted: (string | undefined)[] = [];
    const connect: Connect = (options) => {
      trusted.push(options.ca);
      return createDispatcher(options);
    };
    const flags = { token: async () => "t", caBundle: async () => certificate };
    const openFor = repositoryForge(hubWithout, {}, flags, connect);
    const forge = { provider: "GitHub" } as const;
    await openFor(repositoryOf({ forge }));
    await openFor(repositoryOf({ forge, caBundle: `${certificate}\n` }));
    const without = repositoryForge(hubWithout, {}, { ...flags, caBundle: async () => undefined }, connect);
    await without(repositoryOf({ forge }));
    await Promise.all([openFor.close(), without.close()]);
    expect(trusted[0]).toBe(certificate);
    expect(trusted[1]?.startsWith(certificate)).toBe(true);
    expect(trusted[1]?.length).toBeGreaterThan(10 * certificate.length);
    expect(trusted[2]).toBeUndefined();
  });
});
