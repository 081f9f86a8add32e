import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withCluster, withHubOf } from "../../../../src/cli/commands/connect-cluster.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

describe("withHubOf", () => {
  it("reaches the hub of --hub-kubeconfig by the proxy of the environment, as that of --kubeconfig", async () => {
    const folder = await makeTempFolder();
    onTestFinished(folder.remove);
    const path = join(folder.path, "kubeconfig");
    await writeFile(
      path,
      JSON.stringify({
        "current-context": "hub",
        clusters: [{ name: "hub", cluster: { server: "https://hub.example" } }],
        users: [{ name: "u", user: { token: "t" } }],
        contexts: [{ name: "hub", context: { cluster: "hub", user: "u" } }],
      }),
    );
    const read = withHubOf(path, { HTTPS_PROXY: "http://127.0.0.1:1" }, (hubApi) => hubApi.getRaw("/version"));
    await expect(read).rejects.toThrow("https://hub.example by proxy 127.0.0.1:1");
  });
});

describe("withCluster", () => {
  it("asks for the kubeconfig of the cluster, not of the hub, where none is named", async () => {
    const context = {
      settings: readSettings("join", { given: {}, environment: {} }),
      environment: { HOME: "/nonexistent" },
    };
    const work = withCluster(context, () => Promise.resolve());
    await expect(work).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: "no cluster is named: give --kubeconfig FILE or set KUBECONFIG; ~/.kube/config is not there",
      remedy: expect.stringContaining("It is not that of the hub.") as string,
    });
  });
});
