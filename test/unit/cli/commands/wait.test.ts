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

  const runUntil = (goal: string) =>
    runCommand("wait", runWait, {
      args: ["cluster/eu-1"],
      options: { kubeconfig: join(folder, "kubeconfig"), timeout: "60s", for: goal },
    });
  /** The hub has one cluster, whose uid is that of `uidOf` in each list. */
  const answerCluster = (status: string, uidOf: (list: number) => string): void => {
    let lists = 0;
    hub.script = ({ url }, response) => {
      response.setHeader("content-type", "application/json");
      if (url.searchParams.has("watch")) return response.flushHeaders();
      const lastTransitionTime = "2026-01-01T00:00:00Z";
      const conditions = [{ type: "Ready", status, reason: "Tested", message: "", lastTransitionTime }];
      const metadata = { name: "eu-1", namespace: "fleet", uid: uidOf(lists++), resourceVersion: "1" };
      const object = {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Cluster",
        metadata,
        spec: {},
        status: { conditions },
      };
      const list = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterList", metadata: { resourceVersion: "2" } };
      response.end(JSON.stringify({ ...list, items: [object] }));
    };
  };

  it("takes an object that has the name of the one that is waited for, and is another, for no such object", async () => {
    answerCluster("True", (list) => (list % 2 === 0 ? "first" : "second"));
    expect(await runUntil("delete")).toMatchObject({ code: 0, text: "cluster.rollcall.dev/eu-1 deleted\n" });
    await expect(runUntil("condition=Ready")).rejects.toMatchObject({
      code: "E_KUBE_NOT_FOUND",
      message: "wait for Cluster/fleet/eu-1: it was deleted",
    });
  });

  it.each(["True", "False", "Unknown"])("waits for a condition with the status %s", async (status) => {
    answerCluster(status, () => "first");
    expect(await runUntil(`condition=Ready=${status}`)).toMatchObject({
      code: 0,
      text: "cluster.rollcall.dev/eu-1 condition met\n",
    });
  });
});
