import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { runAddCluster } from "../../../src/cli/commands/add-cluster.ts";
import { runImport } from "../../../src/cli/commands/import.ts";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { installKubefleet } from "../../../src/install/install-kubefleet.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { neverAborted } from "../../support/never-aborted.ts";

type Options = Readonly<Record<string, string | boolean>>;

interface KubeconfigFile {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
}

// A kubeconfig has two contexts, and its current one is the hub: a command that forgets an option works on the wrong one.
describe("an option of a command for a cluster takes effect", () => {
  let hub: HubUnderTest;
  let other: HubUnderTest;
  let hubApi: KubeApi;
  let otherApi: KubeApi;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  const fileOf = (name: string) => join(folder.path, name);
  const newName = (prefix: string) => `${prefix}-${randomBytes(4).toString("hex")}`;

  beforeAll(async () => {
    [hub, other, folder] = await Promise.all([embeddedHub(), embeddedHub(), makeTempFolder()]);
    [hubApi, otherApi] = [hub, other].map(({ kubeconfig }) => apiOf(readKubeconfig(kubeconfig))) as [KubeApi, KubeApi];
    const parts = [hub, other].map(({ kubeconfig }, index) => {
      const { clusters, users } = parse(kubeconfig) as Record<string, readonly { readonly name: string }[]>;
      const name = index === 0 ? "hub" : "other";
      const named = (all: typeof clusters) => (all ?? []).map((part) => ({ ...part, name }));
      return {
        clusters: named(clusters),
        users: named(users),
        contexts: [{ name, context: { cluster: name, user: name } }],
      };
    });
    const all = (key: "clusters" | "users" | "contexts") => parts.flatMap((part): object[] => part[key]);
    const both = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "hub",
      clusters: all("clusters"),
      users: all("users"),
    };
    await writeFile(fileOf("both"), stringify({ ...both, contexts: all("contexts") }, { lineWidth: 0 }));
    await writeFile(fileOf("hub"), hub.kubeconfig);
    const token = { name: "door", credential: "c", proofKey: Buffer.alloc(32, 7).toString("base64") };
    const values = { hub: { url: "https://hub.example.com", caBundle: "", id: `sha256:${"a".repeat(64)}` }, token };
    await writeFile(fileOf("values"), JSON.stringify({ ...values, workspace: "fleet" }));
    await installKubefleet(otherApi, neverAborted());
    const member = {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      metadata: { name: "member" },
    };
    const identity = { kind: "ServiceAccount", name: "member", namespace: "fleet-system", apiGroup: "" };
    await otherApi.create({ ...member, spec: { identity } }, { fieldManager: "test" });
  });
  afterAll(async () => {
    await Promise.all([hubApi.close(), otherApi.close()]);
    await Promise.all([hub.stop(), other.stop()]);
    await folder.remove();
  });
  const place = () => ({ kubeconfig: fileOf("both"), context: "other" });

  it("join: --context, --agent-namespace and --agent-image", async () => {
    const namespace = newName("agent");
    const options = { ...place(), values: fileOf("values"), "agent-namespace": namespace };
    const image = { "agent-image": "registry.example.com/agent" };
    await runCommand("join", runJoin, { options: { ...options, ...image } });
    const ref = { type: resourceTypes.deployment, namespace, name: "rollcall-agent" };
    expect(JSON.stringify(await otherApi.get(ref))).toContain('"image":"registry.example.com/agent');
    expect(await hubApi.get({ type: resourceTypes.namespace, name: namespace })).toBeUndefined();
  });

  describe("add cluster", () => {
    const add = async (more: Options) => {
      const name = newName("c");
      const dir = await mkdtemp(fileOf("tree-"));
      const options = { ...place(), dir, ...more };
      await runCommand("add cluster", runAddCluster, { args: [name], options });
      return { name, dir, file: await readFile(join(dir, `clusters/${name}.yaml`), "utf8") };
    };
    const makeWorkspace = async () => {
      const metadata = { name: newName("workspace") };
      await hubApi.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
      return metadata.name;
    };
    const serverOf = async (namespace: string, name: string) => {
      const secret = await hubApi.get({ type: resourceTypes.secret, namespace, name: `${name}-kubeconfig` });
      const text = Buffer.from(textAt(secret, "data", "value") ?? "", "base64").toString("utf8");
      return (parse(text) as KubeconfigFile).clusters[0]?.cluster.server;
    };

    it("--kubeconfig, --context, --hub-kubeconfig, --workspace, --dir and --label", async () => {
      const workspace = await makeWorkspace();
      const { name, file } = await add({ "hub-kubeconfig": fileOf("hub"), workspace, label: "env=prod" });
      expect(parse(file)).toMatchObject({ metadata: { name, namespace: workspace, labels: { env: "prod" } } });
      expect(await serverOf(workspace, name)).toBe(otherApi.server);
    });

    it("--server: the hub reaches the cluster by another address", async () => {
      const workspace = await makeWorkspace();
      const server = "https://cluster.example.com:6443";
      const { name } = await add({ "hub-kubeconfig": fileOf("hub"), workspace, server });
      expect(await serverOf(workspace, name)).toBe(server);
    });

    it("--local: the hub is the cluster, whatever the context is", async () => {
      const workspace = await makeWorkspace();
      const { name } = await add({ "hub-kubeconfig": fileOf("hub"), workspace, local: true });
      expect(await serverOf(workspace, name)).toBe(hubApi.server);
    });

    it("--age-recipient: the kubeconfig is encrypted beside the file", async () => {
      const { name, dir } = await add({ "age-recipient": await identityToRecipient(await generateIdentity()) });
      expect(await readdir(join(dir, "clusters"))).toContain(`${name}.secret.yaml`);
    });
  });

  describe("import", () => {
    const run = async (more: Options) => {
      const dir = fileOf(newName("tree"));
      const options = { ...place(), dir, ...more };
      const { text } = await runCommand("import", runImport, { args: ["kubefleet"], options });
      const files = await readdir(dir, { recursive: true }).catch((): string[] => []);
      const found = files.find((path) => path.endsWith("member.yaml"));
      return { text, files, file: found === undefined ? "" : await readFile(join(dir, found), "utf8") };
    };

    it("--kubeconfig, --context, --dir and --workspace", async () => {
      const { file, text } = await run({ workspace: "imported" });
      expect(parse(file)).toMatchObject({ kind: "MemberCluster", metadata: { name: "member" } });
      expect(text).toContain("Next: kubectl create namespace imported; kubectl label namespace imported ");
    });

    it("--dry-run: the files are printed, and none is written", async () => {
      const { text, files } = await run({ "dry-run": true });
      expect(text).toContain("name: member");
      expect(files).toEqual([]);
    });
  });
});
