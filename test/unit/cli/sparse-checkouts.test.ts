import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runAddToken } from "../../../src/cli/commands/add-token.ts";
import { runRemoveCluster } from "../../../src/cli/commands/remove-cluster.ts";
import { runValidate } from "../../../src/cli/commands/validate.ts";
import { createRepository, runGit } from "../../support/git-repositories.ts";
import { runCommand } from "../../support/plain-context.ts";

let dir = "";
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-sparse-"));
  dir = folder;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const addToken = (name: string) => runCommand("add token", runAddToken, { args: [name], options: { dir } });
const remove = (name: string) => runCommand("remove cluster", runRemoveCluster, { args: [name], options: { dir } });

async function validate(): Promise<string> {
  let text = "";
  await runValidate({ dir, isColour: false, out: (part) => (text += part) });
  return text;
}

const sealed = "ENC[AES256_GCM,data:Zm9v,iv:YmFy,tag:YmF6,type:str]";

describe.each([["files"], ["folders"]])("a sparse checkout whose index has the %s that it leaves out", (kind) => {
  const documentText = (kind: string, name: string, spec: string): string =>
    `apiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}, labels: {region: r1}}\nspec: ${spec}\n`;
  const shared = "{kubeConfigSecretRef: {name: shared}}";

  beforeEach(async () => {
    await createRepository(dir, { isBare: false });
    for (const folder of ["near", "far", "old"]) await mkdir(join(dir, folder));
    await writeFile(join(dir, ".rollcallignore"), "old/\n");
    await writeFile(join(dir, "near/eu.yaml"), documentText("Cluster", "eu", shared));
    await writeFile(
      join(dir, "near/shared.yaml"),
      `apiVersion: v1\nkind: Secret\nmetadata: {name: shared}\nstringData: {value: "${sealed}"}\nsops: {lastmodified: "2026-01-01T00:00:00Z", mac: "${sealed}", version: 3.9.0}\n`,
    );
    await writeFile(join(dir, "near/group.yaml"), documentText("ClusterGroup", "us", "{selector: {names: [us]}}"));
    await writeFile(join(dir, "far/us.yaml"), documentText("Cluster", "us", shared));
    await writeFile(join(dir, "far/token.yaml"), documentText("ClusterRegistrationToken", "edge", "{ttl: 24h}"));
    await writeFile(join(dir, "old/bad.yaml"), "metadata: [\n");
    await runGit(dir, ["add", "--all"]);
    await runGit(dir, ["commit", "--quiet", "--message", "Start"]);
    const form = kind === "folders" ? ["--sparse-index"] : ["--no-sparse-index"];
    await runGit(dir, ["sparse-checkout", "set", "--cone", ...form, "near"]);
  });

  it("is checked with these files, as the daemon reads them", async () => {
    expect(await readdir(dir)).not.toContain("far");
    expect(await validate()).toBe("2 clusters, 1 token, 1 group, 1 secret in 5 files: no problems\n");
    await writeFile(join(dir, "near/again.yaml"), documentText("Cluster", "us", "{}"));
    expect(await validate()).toContain("E_DUPLICATE");
  });

  it("is given no token of the name of one in them", async () => {
    await expect(addToken("edge")).rejects.toThrow("fleet/edge is declared in far/token.yaml: edit that file");
  });

  it("is given no file in the place of one of them, which would be lost with the next commit", async () => {
    await mkdir(join(dir, "tokens"));
    await writeFile(join(dir, "tokens/new.yaml"), documentText("ClusterRegistrationToken", "other", "{ttl: 24h}"));
    await runGit(dir, ["add", "--sparse", "tokens"]);
    await runGit(dir, ["commit", "--quiet", "--message", "Add"]);
    await runGit(dir, ["sparse-checkout", "reapply"]);
    await expect(addToken("new")).rejects.toThrow(
      "tokens/new.yaml is left out of this sparse checkout: choose another",
    );
    expect(await readdir(dir)).not.toContain("tokens");
  });

  it("keeps the kubeconfig that a cluster in them uses, and their own files", async () => {
    await expect(remove("us")).rejects.toThrow(
      "far/us.yaml is left out of this sparse checkout: check it out first: git sparse-checkout add far",
    );
    expect((await remove("eu")).code).toBe(0);
    expect((await readdir(join(dir, "near"))).sort()).toEqual(["group.yaml", "shared.yaml"]);
  });

  it.runIf(kind === "files")("keeps that kubeconfig also where the index is split, and is not read", async () => {
    await runGit(dir, ["update-index", "--split-index"]);
    await remove("eu");
    expect((await readdir(join(dir, "near"))).sort()).toEqual(["group.yaml", "shared.yaml"]);
  });

  it("is checked on a branch without a commit", async () => {
    await runGit(dir, ["checkout", "--quiet", "--orphan", "anew"]);
    expect(await validate()).toContain(
      kind === "files" ? "2 clusters, 1 token, 1 group, 1 secret in 5 files: no problems\n" : "Not checked here: files",
    );
  });

  it.runIf(kind === "files")("is checked with what is staged of these files, not with what was committed", async () => {
    const id = await runGit(dir, ["hash-object", "-w", "near/eu.yaml"]);
    await runGit(dir, ["update-index", "--cacheinfo", `100644,${id.trim()},far/us.yaml`]);
    await runGit(dir, ["update-index", "--skip-worktree", "far/us.yaml"]);
    expect(await validate()).toContain("E_DUPLICATE");
  });
});

describe.each(["blob:none", "tree:0"])("a sparse clone without the files that are left out: %s", (filter) => {
  const cluster = (name: string): string =>
    `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\nspec: {kubeConfigSecretRef: {name: shared}}\n`;
  const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: shared}\nstringData: {value: "${sealed}"}\nsops: {lastmodified: "2026-01-01T00:00:00Z", mac: "${sealed}", version: 3.9.0}\n`;

  beforeEach(async () => {
    const origin = join(folder, "origin");
    const repository = await createRepository(origin, { isBare: false });
    await repository.git("config", "uploadpack.allowFilter", "true");
    const files = { "near/eu.yaml": cluster("eu"), "near/shared.yaml": secret, "far/us.yaml": cluster("us") };
    await repository.commit({ files });
    dir = join(folder, "clone");
    await runGit(folder, [...["clone", "--quiet", "--sparse", `--filter=${filter}`, pathToFileURL(origin).href, dir]]);
    await runGit(dir, ["sparse-checkout", "set", "near"]);
  });

  it("is checked without them, and the output names that", async () => {
    expect(await validate()).toBe(
      "1 cluster, 1 secret in 2 files: no problems\nNot checked here: files that this sparse checkout leaves out and that cannot be read. git sparse-checkout disable checks them out.\n",
    );
  });

  it("keeps the kubeconfig that a cluster in them may use", async () => {
    expect((await remove("eu")).text).toContain(
      "kept near/shared.yaml: a cluster may use it in a file that this sparse checkout leaves out and that cannot be read\n",
    );
    expect(await readdir(join(dir, "near"))).toEqual(["shared.yaml"]);
  });
});
