import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectHub } from "../../../src/daemon/connect-hub.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

const proxy = "http://proxy.example:3128/";
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "rollcall-connect-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

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
  ])("reaches the hub of a kubeconfig through what the environment says: $reason", async (row) => {
    const kubeconfig = join(folder, "kubeconfig");
    const server = { server: "https://hub.example:6443", ...(row.own === undefined ? {} : { "proxy-url": row.own }) };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: "a", cluster: server }],
        users: [{ name: "a", user: { token: "t" } }],
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
        "current-context": "a",
      }),
    );
    const settings = readSettings("status", { given: { kubeconfig }, environment: {} });
    const { hubApi, connection } = await connectHub(settings, row.environment);
    await hubApi.close();
    expect(connection.proxyUrl).toBe(row.expected);
  });

  it("says how to name a hub where none is", async () => {
    const settings = readSettings("status", { given: {}, environment: {} });
    await expect(connectHub(settings, { HOME: folder })).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: expect.stringContaining("--kubeconfig FILE") as string,
    });
  });
});
