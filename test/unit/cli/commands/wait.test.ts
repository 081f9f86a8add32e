import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runWait } from "../../../../src/cli/commands/wait.ts";
import { runCommand } from "../../../support/plain-context.ts";
import type { ScriptedServer } from "../../kube/scripted-server.ts";
import { startScriptedServer } from "../../kube/scripted-server.ts";

describe("rollcall wait", () => {
  let folder: string;
  let hub: ScriptedServer;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-wait-"));
    hub = await startScriptedServer(() => undefined);
    const certificate = Buffer.from(hub.caPem).toString("base64");
    const kubeconfig = {
      clusters: [{ name: "hub", cluster: { server: hub.url, "certificate-authority-data": certificate } }],
      users: [{ name: "one", user: { token: "one" } }],
      contexts: [{ name: "one", context: { cluster: "hub", user: "one" } }],
      "current-context": "one",
    };
    await writeFile(join(folder, "kubeconfig"), JSON.stringify(kubeconfig));
  });
  afterEach(async () => {
    await hub.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("names what it waited for when the hub does not answer in time", async () => {
    const options = { kubeconfig: join(folder, "kubeconfig"), timeout: "50ms" };
    await expect(runCommand("wait", runWait, { args: ["cluster/eu-1"], options })).rejects.toMatchObject({
      code: "E_WAIT_TIMEOUT",
      message: "wait for cluster/eu-1: the hub has not answered after 50ms",
    });
  });
});
