import { Ajv } from "ajv";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runAddToken } from "../../../src/cli/commands/add-token.ts";
import { runInit } from "../../../src/cli/commands/init.ts";
import { runRemoveCluster } from "../../../src/cli/commands/remove-cluster.ts";
import { runRemoveToken } from "../../../src/cli/commands/remove-token.ts";
import { runValidate } from "../../../src/cli/commands/validate.ts";
import { runCommand } from "../../support/plain-context.ts";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "rollcall-commands-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const init = (folder: string, options = {}) => runCommand("init", runInit, { args: [folder], options });
const addToken = (name: string, options = {}) =>
  runCommand("add token", runAddToken, { args: [name], options: { dir, ...options } });
const remove = (name: string, options = {}) =>
  runCommand("remove cluster", runRemoveCluster, { args: [name], options: { dir, ...options } });

async function validate(): Promise<string> {
  let text = "";
  await runValidate({ dir, isColour: false, out: (part) => (text += part) });
  return text;
}

describe("rollcall init", () => {
  it.each(["fleet", "4711", "no"])("writes files that validate accepts, for workspace %s", async (workspace) => {
    await init(dir, { workspace });
    expect(await validate()).toMatch(/^2 clusters, 1 token in 3 files: no problems\n/u);
    const token = await readFile(join(dir, "tokens/first.yaml"), "utf8");
    expect(parse(token, { version: "1.1" })).toMatchObject({ metadata: { namespace: workspace } });
  });

  it("writes the schema for editors, which files and settings name by a relative path, and tokens added later too", async () => {
    const fresh = join(dir, "with-schema");
    await init(fresh);
    await runCommand("add token", runAddToken, { args: ["later"], options: { dir: fresh } });
    const textOf = (path: string): string => readFileSync(join(fresh, path), "utf8");
    for (const path of [
      "clusters/by-kubeconfig.yaml",
      "clusters/by-token.yaml",
      "tokens/first.yaml",
      "tokens/later.yaml",
    ]) {
      const [, place = ""] = /^# yaml-language-server: \$schema=(\S+)\n/u.exec(textOf(path)) ?? [];
      expect(join(path, "..", place), path).toBe(".vscode/rollcall.schema.json");
    }
    const settings = JSON.parse(textOf(".vscode/settings.json")) as { readonly "yaml.schemas": object };
    expect(Object.keys(settings["yaml.schemas"])).toEqual(["./.vscode/rollcall.schema.json"]);
    const validate = new Ajv({ strict: false, formats: {}, validateFormats: false }).compile(
      JSON.parse(textOf(".vscode/rollcall.schema.json")) as object,
    );
    const cluster = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "a" }, spec: {} };
    expect(validate(cluster)).toBe(true);
    expect(validate({ ...cluster, spec: { ttl: "1h" } })).toBe(false);
    expect(validate({ ...cluster, kind: "ClusterRegistrationToken", spec: { ttl: "1h" } })).toBe(true);
    expect(validate({ ...cluster, kind: "Clutser" })).toBe(false);
    expect(validate({ apiVersion: "v1", kind: "ConfigMap", anything: 1 })).toBe(true);
  });

  it("writes a repository that validate accepts, into a folder that is not there or holds .git alone", async () => {
    await mkdir(join(dir, ".git"));
    expect((await init(dir, { workspace: "shops" })).code).toBe(0);
    expect(await validate()).toBe(
      "2 clusters, 1 token in 3 files: no problems\nNot checked here: whether the Repository allows workspace shops. rollcall plan checks it.\n",
    );
    expect(await readFile(join(dir, "clusters/by-token.yaml"), "utf8")).toContain("namespace: shops");
    expect((await init(join(dir, "new/er"))).code).toBe(0);
  });

  it("prints a command that a shell reads, also of a folder with a space in its path", async () => {
    const fresh = join(dir, "my fleet");
    expect((await init(fresh)).text).toContain(`rollcall validate '${fresh}' checks the files.`);
  });

  it("refuses a folder with anything in it, and changes nothing there", async () => {
    await writeFile(join(dir, "notes"), "x");
    await expect(init(dir)).rejects.toMatchObject({ code: "E_USAGE" });
    await expect(init(join(dir, "notes"))).rejects.toMatchObject({ code: "E_USAGE" });
    expect(await readdir(dir)).toEqual(["notes"]);
  });
});

describe("rollcall add token", () => {
  it("writes its --workspace and --agent-labels", async () => {
    await addToken("edge", { workspace: "edges", "agent-labels": "env,region" });
    const [path = ""] = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith("edge.yaml"));
    expect(parse(await readFile(join(dir, path), "utf8"))).toMatchObject({
      metadata: { name: "edge", namespace: "edges" },
      spec: { agentLabels: ["env", "region"] },
    });
  });

  it("writes a file with the given options, that validate accepts", async () => {
    const options = { ttl: "240h", "max-registrations": "1", "cluster-names": "edge-*,shop-*", label: "env=edge" };
    expect((await addToken("edge", { ...options, approval: "PullRequest" })).text).toContain("--from-hub fleet/edge");
    expect(parse(await readFile(join(dir, "tokens/edge.yaml"), "utf8"))).toMatchObject({
      metadata: { name: "edge", namespace: "fleet" },
      spec: {
        ttl: "240h",
        maxRegistrations: 1,
        clusterNames: ["edge-*", "shop-*"],
        clusterLabels: { env: "edge" },
        approval: "PullRequest",
      },
    });
    expect(await validate()).toMatch(/^1 token in 1 file: no problems\n/u);
  });

  it("refuses a token that any file declares already, and values that its schema refuses", async () => {
    await addToken("edge");
    await expect(addToken("edge")).rejects.toThrow(/is declared in tokens\/edge\.yaml/u);
    await expect(addToken("other", { ttl: "3d" })).rejects.toMatchObject({ code: "E_USAGE" });
    await expect(addToken("../x")).rejects.toMatchObject({ code: "E_USAGE" });
    expect(await readdir(join(dir, "tokens"))).toEqual(["edge.yaml"]);
    const elsewhere = join(dir, "tokens/of-edges.yaml");
    await writeFile(elsewhere, await readFile(join(dir, "tokens/edge.yaml"), "utf8"));
    await rm(join(dir, "tokens/edge.yaml"));
    await expect(addToken("edge")).rejects.toThrow(/is declared in tokens\/of-edges\.yaml/u);
    await addToken("edge", { workspace: "edges" });
    await rm(elsewhere);
    await writeFile(join(dir, "again.yaml"), await readFile(join(dir, "tokens/edge.yaml"), "utf8"));
    await rm(join(dir, "tokens/edge.yaml"));
    await expect(addToken("edge", { workspace: "edges" })).rejects.toThrow(/is declared in again\.yaml/u);
    await addToken("edge");
  });

  it.each(["yes", "0o17"])(
    "quotes name and label %s, which a reader of YAML would take for something else",
    async (text) => {
      await addToken(text, { label: `build=${text}` });
      expect(await readFile(join(dir, `tokens/${text}.yaml`), "utf8")).toMatch(
        new RegExp(`name: "${text}"\n[^]*build: "${text}"\n`, "u"),
      );
      expect(await validate()).toMatch(/^1 token in 1 file: no problems\n/u);
    },
  );
});

describe("rollcall remove token", () => {
  const removeToken = (name: string, options: Record<string, string> = {}) =>
    runCommand("remove token", runRemoveToken, { args: [name], options: { dir, ...options } });

  beforeEach(async () => {
    await addToken("edge");
  });

  it("deletes the file, by name or workspace and name, and prints what the next push will do", async () => {
    await addToken("shop");
    const { text } = await removeToken("edge");
    expect(text).toBe(
      `deleted ${join(dir, "tokens/edge.yaml")}\nAfter the next push no cluster joins by edge. Clusters that joined by it stay.\n`,
    );
    await removeToken("fleet/shop");
    expect(await readdir(join(dir, "tokens"))).toEqual([]);
  });

  it("deletes the file of a ClusterRegistrationToken of Fleet", async () => {
    const text =
      "apiVersion: fleet.cattle.io/v1alpha1\nkind: ClusterRegistrationToken\nmetadata: {name: old, namespace: fleet}\n";
    await writeFile(join(dir, "tokens/old.yaml"), text);
    await removeToken("old");
    expect(await readdir(join(dir, "tokens"))).toEqual(["edge.yaml"]);
  });

  it("refuses what it cannot do alone: no such token, two of them, another workspace, a shared file", async () => {
    await expect(removeToken("edgy")).rejects.toThrow(
      "no valid file declares ClusterRegistrationToken edgy: did you mean edge?",
    );
    await expect(removeToken("edge", { workspace: "other" })).rejects.toThrow("no valid file declares");
    await expect(removeToken("fleet/edge", { workspace: "other" })).rejects.toThrow("not in the workspace");
    const file = join(dir, "tokens/edge.yaml");
    const text = await readFile(file, "utf8");
    await writeFile(join(dir, "tokens/other.yaml"), text.replace("namespace: fleet", "namespace: other"));
    await expect(removeToken("edge")).rejects.toThrow("more than one ClusterRegistrationToken is called edge");
    await writeFile(file, `${text}---\n${text.replace("name: edge", "name: second")}`);
    await expect(removeToken("fleet/edge")).rejects.toThrow(/more than this token: delete its document, at line \d+/u);
    expect(await readdir(join(dir, "tokens"))).toEqual(["edge.yaml", "other.yaml"]);
  });
});

describe("rollcall remove cluster", () => {
  const enc = "ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]";
  const encrypted = (name: string): string => `apiVersion: v1
kind: Secret
metadata: { name: ${name}, namespace: fleet }
data: { value: "${enc}" }
sops: { mac: "${enc}" }
`;

  beforeEach(async () => {
    await init(dir);
  });

  it("deletes the file, and prints what the next push will do", async () => {
    const removed = await remove("by-kubeconfig");
    expect(removed.text).toContain("the agent is uninstalled, its credentials are revoked");
    expect((await remove("by-token")).text).toContain("deletionPolicy Detach");
    expect(await readdir(join(dir, "clusters"))).toEqual([]);
  });

  it("deletes the encrypted kubeconfig too, unless another cluster names it", async () => {
    await writeFile(join(dir, "clusters/x.secret.yaml"), encrypted("by-kubeconfig-kubeconfig"));
    const second = (await readFile(join(dir, "clusters/by-kubeconfig.yaml"), "utf8")).replace(
      "name: by-kubeconfig\n",
      "name: second\n",
    );
    await writeFile(join(dir, "clusters/second.yaml"), second);
    expect((await remove("second")).text).not.toContain("x.secret.yaml");
    expect((await remove("by-kubeconfig")).text).toContain("x.secret.yaml");
  });

  it.each(["spec: {oops: 1,", "spec: [", `# ${"x".repeat(2 * 1024 * 1024)}\nspec: {`])(
    "keeps the kubeconfig that a cluster names whose file has an error: %.20s",
    async (spec) => {
      await writeFile(join(dir, "clusters/x.secret.yaml"), encrypted("by-kubeconfig-kubeconfig"));
      const text = `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: second}\n${spec} kubeConfigSecretRef: {name: by-kubeconfig-kubeconfig}}\n`;
      await writeFile(join(dir, "clusters/second.yaml"), text);
      expect((await remove("by-kubeconfig")).text).toContain(
        "\nkept clusters/x.secret.yaml: a cluster may use it in clusters/second.yaml, which has an error: rollcall validate shows it\n",
      );
      expect(await readdir(join(dir, "clusters"))).toContain("x.secret.yaml");
    },
  );

  it("keeps a Secret beside others, and deletes one in the file of its cluster alone", async () => {
    const file = join(dir, "clusters/by-kubeconfig.yaml");
    const cluster = await readFile(file, "utf8");
    const own = "by-kubeconfig-kubeconfig";
    await writeFile(file, `${cluster}---\n${encrypted("other")}`);
    await expect(remove("by-kubeconfig")).rejects.toThrow(/more than this cluster/u);
    await writeFile(file, `${cluster}---\n${encrypted(own)}`);
    expect((await remove("by-kubeconfig")).text).toContain(`deleted ${file}\nThe next push`);
    await writeFile(file, cluster);
    await writeFile(join(dir, "clusters/secrets.yaml"), `${encrypted(own)}---\n${encrypted("other")}`);
    expect((await remove("by-kubeconfig")).text).not.toContain("secrets.yaml");
    expect(await readdir(join(dir, "clusters"))).toContain("secrets.yaml");
  });

  it("keeps a kubeconfig in its file that another cluster of the workspace names too", async () => {
    const file = join(dir, "clusters/by-kubeconfig.yaml");
    const cluster = await readFile(file, "utf8");
    const second = cluster.replace("name: by-kubeconfig\n", "name: second\n");
    await writeFile(file, `${cluster}---\n${encrypted("by-kubeconfig-kubeconfig")}`);
    await writeFile(join(dir, "clusters/second.yaml"), second);
    await expect(remove("by-kubeconfig")).rejects.toThrow(/more than this cluster/u);
    await writeFile(join(dir, "clusters/second.yaml"), second.replace("namespace: fleet", "namespace: other"));
    expect((await remove("by-kubeconfig")).text).toContain(`deleted ${file}\n`);
  });

  it("keeps the file of its kubeconfig when a document beside it is not valid", async () => {
    const broken = "kind: Clustr\napiVersion: rollcall.dev/v1alpha1\n";
    await writeFile(join(dir, "clusters/x.secret.yaml"), `${encrypted("by-kubeconfig-kubeconfig")}---\n${broken}`);
    expect((await remove("by-kubeconfig")).text).not.toContain("x.secret.yaml");
    expect(await readdir(join(dir, "clusters"))).toContain("x.secret.yaml");
  });

  it("deletes a file in which an empty document follows the cluster", async () => {
    const file = join(dir, "clusters/by-token.yaml");
    await writeFile(file, `${await readFile(file, "utf8")}---\n`);
    expect((await remove("by-token")).text).toContain(`deleted ${file}\n`);
  });

  it("keeps a Secret of another workspace in its file", async () => {
    const file = join(dir, "clusters/by-kubeconfig.yaml");
    const secret = encrypted("by-kubeconfig-kubeconfig").replace("namespace: fleet", "namespace: other");
    await writeFile(file, `${await readFile(file, "utf8")}---\n${secret}`);
    await expect(remove("by-kubeconfig")).rejects.toThrow(/more than this cluster/u);
  });

  it("keeps two files that declare its Secret: one of them is wrong, and a person decides which", async () => {
    for (const name of ["a", "b"])
      await writeFile(join(dir, `clusters/${name}.secret.yaml`), encrypted("by-kubeconfig-kubeconfig"));
    await remove("by-kubeconfig");
    expect((await readdir(join(dir, "clusters"))).sort()).toEqual(["a.secret.yaml", "b.secret.yaml", "by-token.yaml"]);
  });

  it.each([
    {
      reason: "a MemberCluster of KubeFleet",
      name: "edge-1",
      text: "apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: edge-1}\nspec: {identity: {kind: User, name: a}}\n",
      effect: "deletionPolicy Detach",
    },
    {
      reason: "a ManagedCluster of Clusternet",
      name: "fleet/edge-1",
      text: "apiVersion: clusters.clusternet.io/v1beta1\nkind: ManagedCluster\nmetadata: {name: edge-1, namespace: clusternet-a}\nspec: {clusterId: 4bb4fb4c-9a3c-4a77-8b3c-3a4f3f3f3f3f, syncMode: Dual}\n",
      effect: "deletionPolicy Detach",
    },
    {
      reason: "a Cluster of Fleet that the hub installs",
      name: "clusters/edge-1",
      text: "apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster\nmetadata: {name: edge-1, namespace: clusters}\nspec: {kubeConfigSecret: edge-1-kubeconfig}\n",
      effect: "the agent is uninstalled",
    },
  ])("deletes the file of $reason, also by its workspace and name", async ({ name, text, effect }) => {
    await writeFile(join(dir, "clusters/edge-1.yaml"), text);
    const removed = await remove(name);
    expect(removed.text).toContain(`deleted ${join(dir, "clusters/edge-1.yaml")}`);
    expect(removed.text).toContain(effect);
  });

  it("takes the workspace from the name, as other commands do", async () => {
    await expect(remove("other/by-token")).rejects.toThrow("no valid file declares Cluster other/by-token");
    await expect(remove("fleet/by-token", { workspace: "other" })).rejects.toThrow(
      /not in the workspace of --workspace/u,
    );
    await expect(remove("a/b/c")).rejects.toThrow(/cannot be used/u);
    expect((await remove("fleet/by-token")).text).toContain("by-token.yaml");
  });

  it("refuses what it cannot do alone: no such cluster, two of them, a protected one, a shared file", async () => {
    const file = join(dir, "clusters/by-token.yaml");
    const text = await readFile(file, "utf8");
    await expect(remove("nobody")).rejects.toThrow("no valid file declares Cluster nobody: see rollcall validate");
    await expect(remove("bytoken")).rejects.toThrow("no valid file declares Cluster bytoken: did you mean by-token?");
    await writeFile(join(dir, "clusters/again.yaml"), text.replace("namespace: fleet", "namespace: other"));
    await expect(remove("by-token")).rejects.toThrow(/give --workspace/u);
    await writeFile(file, text.replace("spec:", "spec:\n  deletionProtection: true"));
    await expect(remove("by-token", { workspace: "fleet" })).rejects.toThrow(/protects the cluster/u);
    for (const other of ["kind: ConfigMap\napiVersion: v1\n", "kind: Clustr\napiVersion: rollcall.dev/v1alpha1\n"]) {
      await writeFile(file, `${text}---\n${other}`);
      await expect(remove("by-token", { workspace: "fleet" })).rejects.toThrow(/more than this cluster/u);
    }
  });
});
