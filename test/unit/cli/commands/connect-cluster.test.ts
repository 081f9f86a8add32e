import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withHubOf } from "../../../../src/cli/commands/connect-cluster.ts";
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
