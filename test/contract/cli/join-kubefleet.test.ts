import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";

const token = Buffer.from("a token").toString("base64");

/** Clusters that nothing reconciles, with Secrets as the daemon makes them. */
describe("rollcall join --protocol kubefleet", () => {
  let dir = "";
  let hub: HubUnderTest;
  let api: KubeApi;
  const create = (object: Parameters<KubeApi["create"]>[0]) => api.create(object, { fieldManager: "test" });
  const declare = async (workspace: string, name: string, spec: object): Promise<void> => {
    const metadata = { namespace: workspace, name };
    await create({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec });
  };
  const run = (name: string, more: Readonly<Record<string, undefined>> = {}) => {
    const options = { protocol: "kubefleet", "cluster-name": name, "hub-kubeconfig": join(dir, "hub") };
    return runCommand("join", runJoin, { options: { ...options, "dry-run": true, "show-secrets": true, ...more } });
  };
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "rollcall-join-kubefleet-"));
    hub = await readyHub();
    api = apiOf(readKubeconfig(hub.kubeconfig));
    await writeFile(join(dir, "hub"), hub.kubeconfig, { mode: 0o600 });
    for (const name of ["north", "south"]) {
      await create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      const metadata = { namespace: name, name: "one-hub-cluster-access-token" };
      await create({ apiVersion: "v1", kind: "Secret", metadata, data: { token } });
    }
    await declare("north", "one", { protocol: "kubefleet" });
    await declare("south", "one", { protocol: "rollcall" });
    await declare("north", "two", { protocol: "kubefleet" });
    await declare("south", "two", { protocol: "kubefleet" });
    await declare("north", "other", { protocol: "rollcall" });
    await declare("north", "installed", { protocol: "kubefleet", kubeConfigSecretRef: { name: "kubeconfig" } });
    await declare("north", "new", { protocol: "kubefleet" });
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it("prints the agent of the Cluster of this protocol, with the token of its account", async () => {
    const { text } = await run("one");
    expect(text).toContain(`token: ${token}`);
    expect(text).toContain(`value: ${api.server}`);
  });

  it.each([
    ["other", "E_KUBE_NOT_FOUND", "the hub has no Cluster other of protocol kubefleet: declare it first"],
    ["two", "E_USAGE", "two workspaces have a Cluster two"],
    ["installed", "E_USAGE", "the hub installs the agent of installed itself, by its kubeConfigSecretRef"],
    ["new", "E_KUBE_NOT_FOUND", "Secret north/new-hub-cluster-access-token with the agent's token is not on the hub"],
  ])("refuses Cluster %s: %s", async (name, code, message) => {
    await expect(run(name)).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  it("needs the name of the Cluster, and the hub", async () => {
    for (const missing of ["cluster-name", "hub-kubeconfig"])
      await expect(run("one", { [missing]: undefined })).rejects.toMatchObject({
        code: "E_USAGE",
        message: "--protocol kubefleet needs --cluster-name NAME and --hub-kubeconfig FILE",
      });
  });
});
