import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectHub } from "../../../src/daemon/connect-hub.ts";
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

  it("explains how to name a hub where none is", async () => {
    const settings = readSettings("status", { given: {}, environment: {} });
    await expect(connectHub(settings, { HOME: folder })).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: expect.stringContaining("--kubeconfig FILE") as string,
      remedy: expect.stringContaining("rollcall up") as string,
    });
  });
});
