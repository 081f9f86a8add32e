import { setMaxListeners } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runDiff } from "../../../src/cli/commands/diff.ts";
import type { Json } from "../../../src/core/json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { fieldManagers } from "../../../src/model/well-known.ts";
import { inFolder } from "../../support/in-folder.ts";
import { runCommand } from "../../support/plain-context.ts";
import { runGit } from "../../support/git-repositories.ts";
import type { CommandSession } from "./command-session.ts";
import { openCommandSession } from "./command-session.ts";

const header = "apiVersion: rollcall.dev/v1alpha1\n";
const clusterFile = (name: string, displayName: string): string =>
  `${header}kind: Cluster\nmetadata:\n  name: ${name}\nspec:\n  displayName: ${displayName}\n`;

describe("rollcall diff", () => {
  let opened: CommandSession;
  let dir: string;
  let clones = 0;

  beforeAll(async () => {
    opened = await openCommandSession(clusterFile("c1", "One"));
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    dir = join(opened.folder, `clone-${clones++}`);
    await runGit(opened.folder, ["clone", "-q", opened.session.repository.path, dir]);
  });

  const diff = async (options: Record<string, string | boolean> = {}, args = [dir]) => {
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    return runCommand("diff", runDiff, {
      args,
      options: { kubeconfig: opened.kubeconfig, namespace: opened.session.namespace, ...options },
      signal,
    });
  };

  it("ends with 0 while nothing differs", async () => {
    const { code, text } = await diff();
    expect(text).toMatch(
      /Compares the work tree \(no file differs from commit [0-9a-f]{12}\) with the hub; commit \w+ is applied\./u,
    );
    expect(text).toContain("to the work tree, against the hub): nothing changes.");
    expect(code).toBe(0);
  });

  it("is of the work tree that the current folder is in, where no other is named", async () => {
    await mkdir(join(dir, "clusters"));
    await writeFile(join(dir, "c1.yaml"), clusterFile("c1", "Uno"));
    for (const folder of [dir, join(dir, "clusters")])
      expect((await inFolder(folder, () => diff({}, []))).text).toContain("(1 file differs from commit");
    await expect(diff({}, [join(dir, "clusters")])).rejects.toMatchObject({ code: "E_GIT_FOLDER" });
  });

  it("ends with 1, and shows fields of files that are not committed", async () => {
    await writeFile(join(dir, "c1.yaml"), clusterFile("c1", "Uno"));
    await writeFile(join(dir, "c2.yaml"), clusterFile("c2", "Two"));
    const { code, text } = await diff();
    expect(text).toContain("(2 files differ from commit");
    expect(text).toMatch(/~ Cluster \S+\/c1 .*\n.*spec\.displayName: "One" -> "Uno"/u);
    expect(text).toMatch(/\+ Cluster \S+\/c2 {2}\(c2\.yaml:1\)/u);
    expect(code).toBe(1);
    expect(await runGit(dir, ["status", "--porcelain"])).toBe(" M c1.yaml\n?? c2.yaml\n");
  });

  it("takes a folder of any name, by its path from the current folder too", async () => {
    const here = await mkdtemp("node_modules/.rollcall a:b ");
    try {
      await runGit(opened.folder, ["clone", "-q", dir, resolve(here, "sp\u00e4ce")]);
      dir = `${here}/sp\u00e4ce`;
      expect((await diff()).code).toBe(0);
    } finally {
      await rm(here, { recursive: true });
    }
  });

  it("takes a deleted file for a removal, of which the hub keeps what the budget withholds", async () => {
    await rm(join(dir, "c1.yaml"));
    const { code, text } = await diff();
    expect(text).toContain("Cluster");
    expect(text).toMatch(/REMOVES|WITHHELD/u);
    expect(code).toBe(1);
  });

  it("leaves out files that git ignores", async () => {
    await mkdir(join(dir, "scratch"));
    await writeFile(join(dir, ".gitignore"), "scratch/\n");
    await writeFile(join(dir, "scratch/c3.yaml"), clusterFile("c3", "Three"));
    const { code, text } = await diff();
    expect(text).not.toContain("c3");
    expect(code).toBe(0);
  });

  it("ends with 1 when a file has an error, and names its place", async () => {
    await writeFile(join(dir, "c2.yaml"), clusterFile("c2", "Two").replace("displayName", "displayNmae"));
    const { code, text } = await diff();
    expect(text).toMatch(/c2\.yaml:6:3/u);
    expect(code).toBe(1);
  });

  it("prints JSON without a commit", async () => {
    await writeFile(join(dir, "c2.yaml"), clusterFile("c2", "Two"));
    const { text } = await diff({ output: "json" });
    const report = JSON.parse(text) as Record<string, unknown>;
    expect(report).not.toHaveProperty("commit");
    expect(report["changes"]).toMatchObject([{ action: "Create", kind: "Cluster", name: "c2" }]);
  });

  it("asks the hub to check each object, unless --no-dry-run is given", async () => {
    await writeFile(join(dir, "c2.yaml"), clusterFile("c2", "Two"));
    const basisOf = async (options: Record<string, boolean>): Promise<unknown> =>
      (JSON.parse((await diff({ output: "json", ...options })).text) as { readonly basis: unknown }).basis;
    expect(await basisOf({})).toEqual({ source: "Hub", dryRun: true });
    expect(await basisOf({ "dry-run": false })).toEqual({ source: "Hub" });
  });

  it("names an applied commit that is not in the history of what is checked out, and none that is", async () => {
    const note = /Commit [0-9a-f]{12} is not in the history of what is checked out/u;
    await writeFile(join(dir, "c2.yaml"), clusterFile("c2", "Two"));
    await runGit(dir, ["add", "."]);
    await runGit(dir, ["commit", "-qm", "ahead"]);
    expect((await diff()).text).not.toMatch(note);
    await runGit(dir, ["checkout", "-q", "--orphan", "other"]);
    await runGit(dir, ["commit", "-qm", "of another history"]);
    expect((await diff()).text).toMatch(note);
  });

  it("asks for no signature of a work tree, and names that the Repository asks for those of commits", async () => {
    const { api, namespace } = opened.session;
    const ref = { type: resourceTypes.repository, namespace, name: "fleet" };
    const verify = (value: Json) =>
      api.mergePatch(ref, { spec: { verify: value } }, { fieldManager: fieldManagers.operator });
    await writeFile(join(dir, "c2.yaml"), clusterFile("c2", "Two"));
    await verify({ keysSecretRef: { name: "keys" } });
    const { text } = await diff();
    await verify(null);
    expect(text).toMatch(/\+ Cluster \S+\/c2 /u);
    expect(text).toContain("The Repository applies only signed commits: sign the one that you push.");
    expect((await diff()).text).not.toContain("only signed commits");
  });

  it("asks the hub of --context", async () => {
    await expect(diff({ context: "no-such-context" })).rejects.toThrow("no-such-context");
  });

  it("names the Repository that the hub does not have", async () => {
    await expect(diff({ repository: "other" })).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });
});
