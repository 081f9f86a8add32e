import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDownstream, connectFile, connectHub, hubEndpoint } from "../../../src/daemon/connect-hub.ts";
import type { KubeConnection } from "../../../src/kube/connection.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { optionTable } from "../../../src/settings/options.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

const proxy = "http://proxy.example:3128/";
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "rollcall-connect-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

function kubeconfigOf(server: string, proxyUrl?: string): string {
  return JSON.stringify({
    clusters: [{ name: "a", cluster: { server, ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }) } }],
    users: [{ name: "a", user: { token: "t" } }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    "current-context": "a",
  });
}

describe("connectHub", () => {
  it.each([
    { reason: "HTTPS_PROXY", environment: { HTTPS_PROXY: proxy }, expected: proxy },
    { reason: "an exception", environment: { HTTPS_PROXY: proxy, NO_PROXY: ".example" }, expected: undefined },
    { reason: "no proxy", environment: {}, expected: undefined },
    {
      reason: "the kubeconfig's own proxy",
      environment: { HTTPS_PROXY: proxy },
      own: "http://other.example:8080/",
      expected: "http://other.example:8080/",
    },
  ])("reaches the hub of a kubeconfig through the proxy of the environment: $reason", async (row) => {
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, kubeconfigOf("https://hub.example:6443", row.own));
    const settings = readSettings("status", { given: { kubeconfig }, environment: {} });
    const { hubApi, connection } = await connectHub(settings, row.environment);
    await hubApi.close();
    expect(connection.proxyUrl).toBe(row.expected);
  });

  it("takes the hub of ~/.kube/config where nothing else names one, as help states", async () => {
    const home = join(folder, "home");
    await mkdir(join(home, ".kube"), { recursive: true });
    await writeFile(join(home, ".kube/config"), kubeconfigOf("https://usual.example:6443"));
    const settings = readSettings("status", { given: {}, environment: {} });
    const { hubApi } = await connectHub(settings, { HOME: home });
    await hubApi.close();
    expect(hubApi.server).toBe("https://usual.example:6443");
    const option = optionTable.find(({ name, commands }) => name === "kubeconfig" && commands.includes("status"));
    expect(option?.description).toMatch(/Default: \$KUBECONFIG, the cluster this runs in, ~\/\.kube\/config\.$/u);
  });

  it("A234 reads no kubeconfig below the current folder where HOME is no whole path", async () => {
    const home = join(folder, "checkout");
    await mkdir(join(home, ".kube"), { recursive: true });
    await writeFile(join(home, ".kube/config"), kubeconfigOf("https://checkout.example:6443"));
    const settings = readSettings("status", { given: {}, environment: {} });
    const found = await connectHub(settings, { HOME: relative(process.cwd(), home) }).catch(() => undefined);
    await found?.hubApi.close();
    expect(found?.hubApi.server).not.toBe("https://checkout.example:6443");
  });

  it("explains how to name a hub where none is", async () => {
    const settings = readSettings("status", { given: {}, environment: {} });
    await expect(connectHub(settings, { HOME: folder })).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: expect.stringContaining("--kubeconfig FILE") as string,
      remedy: expect.stringContaining("rollcall up") as string,
    });
  });

  it("takes the context that --context names", async () => {
    const kubeconfig = join(folder, "contexts");
    const one = JSON.parse(kubeconfigOf("https://a.example:6443")) as Record<string, object[]>;
    const more = {
      clusters: [...(one["clusters"] ?? []), { name: "b", cluster: { server: "https://b.example:6443" } }],
      contexts: [...(one["contexts"] ?? []), { name: "b", context: { cluster: "b", user: "a" } }],
    };
    await writeFile(kubeconfig, JSON.stringify({ ...one, ...more }));
    const serverOf = async (given: Readonly<Record<string, string>>) => {
      const settings = readSettings("status", { given: { kubeconfig, ...given }, environment: {} });
      const { hubApi } = await connectHub(settings, {});
      await hubApi.close();
      return hubApi.server;
    };
    expect(await serverOf({})).toBe("https://a.example:6443");
    expect(await serverOf({ context: "b" })).toBe("https://b.example:6443");
  });

  it("takes $KUBECONFIG before the cluster that this runs in, and that before ~/.kube/config", async () => {
    const settings = readSettings("status", { given: {}, environment: {} });
    const kubeconfig = join(folder, "of-environment");
    await writeFile(kubeconfig, kubeconfigOf("https://named.example:6443"));
    const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443", HOME: join(folder, "home") };
    const named = await connectHub(settings, { ...pod, KUBECONFIG: kubeconfig });
    expect(named.connection.server).toBe("https://named.example:6443");
    await named.hubApi.close();
    const inPod = await connectHub(settings, { ...pod, KUBECONFIG: "" }).catch((error: unknown) => error);
    // Outside of a Pod there is no account to read.
    expect(inPod).toMatchObject({ message: expect.stringContaining("/var/run/secrets/kubernetes.io") as string });
    const outside = await connectHub(settings, { ...pod, KUBERNETES_SERVICE_HOST: "" });
    expect(outside.connection.server).toBe("https://usual.example:6443");
    await outside.hubApi.close();
  });

  it("explains how to name another cluster than the hub", async () => {
    const settings = readSettings("status", { given: {}, environment: {} });
    await expect(connectHub(settings, { HOME: folder }, { what: "cluster" })).rejects.toMatchObject({
      message: expect.stringContaining("no cluster is named") as string,
      remedy: expect.stringContaining("not that of the hub") as string,
    });
  });
});

describe("connectFile", () => {
  it("reaches the server of a file through the proxy of the environment", async () => {
    const kubeconfig = join(folder, "file");
    await writeFile(kubeconfig, kubeconfigOf("https://hub.example:6443"));
    const { hubApi, connection } = await connectFile(kubeconfig, { HTTPS_PROXY: proxy });
    await hubApi.close();
    expect([connection.server, connection.proxyUrl]).toEqual(["https://hub.example:6443", proxy]);
  });
});

describe("connectDownstream", () => {
  /** The connection that is opened for a kubeconfig. */
  async function connectionTo(kubeconfig: string, environment?: Record<string, string>): Promise<KubeConnection> {
    let opened: KubeConnection | undefined;
    const openTransport = (connection: KubeConnection) => {
      opened = connection;
      return createUndiciTransport(connection);
    };
    await connectDownstream(kubeconfig, { environment, openTransport }).close();
    if (opened === undefined) throw new Error("no connection was opened");
    return opened;
  }

  it("goes through the proxy of the environment that it is given, and else through none", async () => {
    const kubeconfig = kubeconfigOf("https://member.example:6443");
    expect((await connectionTo(kubeconfig, { HTTPS_PROXY: proxy })).proxyUrl).toBe(proxy);
    expect(await connectionTo(kubeconfig)).not.toHaveProperty("proxyUrl");
  });

  it("refuses a kubeconfig that names files of this machine", () => {
    const named = kubeconfigOf("https://member.example:6443").replace('"token":"t"', '"tokenFile":"/etc/passwd"');
    expect(() => connectDownstream(named)).toThrow(expect.objectContaining({ code: "E_KUBECONFIG" }));
  });
});

/** A connection with every credential that one may have. */
function fullConnection(more: Partial<KubeConnection> = {}): KubeConnection {
  return {
    server: "https://hub.example:6443",
    getTls: () => Promise.resolve({ caPem: "authority", certPem: "certificate", keyPem: "key" }),
    getToken: () => Promise.resolve("of the daemon"),
    ...more,
  };
}

describe("hubEndpoint", () => {
  const endpointOf = (given: Readonly<Record<string, string>>, connection = fullConnection()) =>
    hubEndpoint(readSettings("run", { given, environment: {} }), connection);

  it("is what this process uses itself, or what options name", async () => {
    const ca = join(folder, "ca.pem");
    await writeFile(ca, "of the option");
    const own = { url: "https://hub.example:6443", caBundle: "authority" };
    expect(await endpointOf({})).toEqual(own);
    expect(await endpointOf({ "hub-url": "https://agents.example" })).toEqual({
      ...own,
      url: "https://agents.example",
    });
    expect(await endpointOf({ "hub-ca-file": ca })).toEqual({ ...own, caBundle: "of the option" });
    const public_ = fullConnection({ getTls: () => Promise.resolve({}) });
    expect(await endpointOf({}, public_)).toEqual({ ...own, caBundle: "" });
  });

  it.each([
    "https://admin:s3cret@hub.example:6443",
    "https://s3cret@hub.example",
    "https://hub.example?token=s3cret",
    "http://admin:s3cret@hub.example",
    "https://hub.example#s3cret",
  ])("A226 announces no credential to all agents, and shows none: %s", async (url) => {
    const refusal: unknown = await endpointOf({ "hub-url": url }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "E_USAGE", message: expect.stringMatching(/^--hub-url: /u) as string });
    expect(JSON.stringify(refusal)).not.toContain("s3cret");
  });

  it.each(["http://hub.example", "hub.example:6443"])("refuses %s, which agents cannot verify", async (url) => {
    await expect(endpointOf({ "hub-url": url })).rejects.toMatchObject({ code: "E_USAGE" });
  });
});
