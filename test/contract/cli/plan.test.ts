import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordSchemas } from "../../../src/model/generated/schemas.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder, runGit } from "../../support/git-repositories.ts";
import { planWhereChecked, runPlanOf } from "../../support/run-plan.ts";

const golden = join(import.meta.dirname, "golden/plan");

let folder: { path: string; remove: () => Promise<void> };
let repository: TestRepository;

beforeAll(async () => {
  folder = await makeTempFolder();
  repository = await createRepository(join(folder.path, "fleet.git"));
});
afterAll(() => folder.remove());

const header = "apiVersion: rollcall.dev/v1alpha1\n";

function cluster(
  name: string,
  { labels = {}, spec = "" }: { labels?: Record<string, string>; spec?: string } = {},
): string {
  const lines = Object.entries(labels).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`);
  const labelText = lines.length === 0 ? "" : `  labels:\n${lines.join("")}`;
  return `${header}kind: Cluster\nmetadata:\n  name: ${name}\n  namespace: fleet\n${labelText}spec:\n  displayName: ${name}\n${spec}`;
}

function rule(name: string, labels: Record<string, string>, gives: Record<string, string>): string {
  return `${header}kind: ClusterLabels\nmetadata:\n  name: ${name}\nspec:\n  selector:\n    matchLabels: ${JSON.stringify(labels)}\n  labels: ${JSON.stringify(gives)}\n`;
}

function group(name: string, labels: Record<string, string>): string {
  return `${header}kind: ClusterGroup\nmetadata:\n  name: ${name}\n  namespace: fleet\nspec:\n  selector:\n    matchLabels: ${JSON.stringify(labels)}\n`;
}

const token = `${header}kind: ClusterRegistrationToken\nmetadata:\n  name: edge\n  namespace: fleet\nspec:\n  ttl: 240h\n  maxRegistrations: 5\n`;

const fleet: Record<string, string> = {
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_value, index) => {
      const name = `eu-${index + 1}`;
      return [`clusters/${name}.yaml`, cluster(name, { labels: { env: index < 20 ? "prod" : "dev", region: "eu" } })];
    }),
  ),
  "rules/labels.yaml": rule("tiers", { env: "prod" }, { tier: "silver" }),
  "groups/production.yaml": group("production", { env: "prod" }),
  "groups/europe.yaml": group("europe", { region: "eu" }),
  "tokens/edge.yaml": token,
};

/** Commits `fleet` and then `changes` on a branch of its own, and plans the second against the first. */
async function planChange(
  branch: string,
  changes: Readonly<Record<string, string | null>>,
  { message = "change\n" }: { readonly message?: string } = {},
) {
  const base = await repository.commit({ branch, files: fleet, from: null, message: "start\n" });
  const head = await repository.commit({ branch, files: changes, message });
  const run = (options: Readonly<Record<string, string | boolean>> = {}, rest: Parameters<typeof runPlanOf>[1] = {}) =>
    runPlanOf(repository.path, { ...rest, options: { offline: true, base, commit: head, ...options } });
  return { base, head, run };
}

const everyKindOfChange: Record<string, string | null> = {
  "clusters/eu-1.yaml": null,
  "clusters/eu-2.yaml": cluster("eu-2", {
    labels: { env: "dev", region: "eu" },
    spec: "  agent:\n    version: 0.2.0\n    env:\n      - name: HTTPS_PROXY\n        value: http://me:hunter2@proxy:3128\n      - name: API_TOKEN\n        value: hunter2\n",
  }),
  "clusters/us-1.yaml": cluster("us-1", {
    labels: { env: "prod", region: "us" },
    spec: "  kubeConfigSecretRef:\n    name: us-1-kubeconfig\n",
  }),
  "clusters/eu-3.yaml": `${cluster("eu-3")}  displayNmae: oops\n`,
  "rules/labels.yaml": rule("tiers", { env: "prod" }, { tier: "gold" }),
  "groups/america.yaml": group("america", { region: "us" }),
  "tokens/edge.yaml": null,
  "tokens/lab.yaml": token.replace("edge", "lab").replace("  ttl: 240h\n", ""),
};

describe("rollcall plan --offline", () => {
  it.each(["text", "markdown", "json"])("reads well as %s, removals first", async (output) => {
    const { run } = await planChange("every", everyKindOfChange);
    const { code, text } = await run({ output });
    expect(code).toBe(1);
    expect(text).not.toContain("hunter2");
    const ending = { text: "txt", markdown: "md", json: "json" }[output];
    await expect(text).toMatchFileSnapshot(join(golden, `every-kind-of-change.${ending}`));
  });

  it("has colours on a terminal, unless NO_COLOR is set", async () => {
    const { run } = await planChange("colour", { "clusters/eu-1.yaml": null });
    expect((await run({}, { isTTY: true })).text).toContain("\u001b");
    expect((await run({}, { isTTY: true, environment: { NO_COLOR: "1" } })).text).not.toContain("\u001b");
    expect((await run()).text).not.toContain("\u001b");
  });

  it("prints what is withheld, and which line approves it", async () => {
    const removed = Object.fromEntries([1, 2, 3, 4, 5].map((index) => [`clusters/eu-${index}.yaml`, null]));
    const { run } = await planChange("withheld", removed);
    await expect((await run()).text).toMatchFileSnapshot(join(golden, "withheld.txt"));
    await expect((await run({ output: "markdown" })).text).toMatchFileSnapshot(join(golden, "withheld.md"));
    const allowed = await planChange("allowed", removed, { message: "go\n\nRollcall-Allow-Deletions: 5\n" });
    const { text } = await allowed.run();
    expect(text).toContain("REMOVES 5 clusters");
    expect(text).toContain("5 removals: over the deletion budget of 3, but approved for 5");
  });

  it("prints JSON that fits its published schema", async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const validate = ajv.compile(recordSchemas.PlanReport);
    const { run } = await planChange("schema", everyKindOfChange);
    const report: unknown = JSON.parse((await run({ output: "json" })).text);
    expect(validate(report), ajv.errorsText(validate.errors)).toBe(true);
  });

  it.each(["text", "markdown", "json"])("shows renames, moves and the waves of a rollout as %s", async (output) => {
    const { run } = await planChange("waves", {
      "clusters/eu-1.yaml": cluster("eu-one", {
        labels: { env: "prod", region: "eu" },
        spec: "  previousName: eu-1\n",
      }),
      "clusters/eu-2.yaml": cluster("eu-2", {
        labels: { env: "prod", region: "eu", moved: "yes" },
        spec: "  previousName: fleet/eu-2\n",
      }).replace("namespace: fleet", "namespace: edge"),
      "rules/agents.yaml": `${header}kind: ClusterDefaults\nmetadata:\n  name: agents\nspec:\n  selector:\n    matchLabels: {env: dev}\n  agent:\n    version: 0.2.0\n`,
    });
    const { code, text } = await run({ output });
    expect(code).toBe(0);
    const ending = { text: "txt", markdown: "md", json: "json" }[output];
    await expect(text).toMatchFileSnapshot(join(golden, `moves-and-waves.${ending}`));
  });

  it.each(["text", "markdown"])("lists tokens and groups that stay for now as %s", async (output) => {
    const { run } = await planChange("held", {
      "tokens/edge.yaml": null,
      "tokens/door.yaml": "kind: [ClusterRegistrationToken\n",
      "groups/europe.yaml": null,
    });
    const { code, text } = await run({ output });
    expect(code).toBe(1);
    const ending = { text: "txt", markdown: "md" }[output];
    await expect(text).toMatchFileSnapshot(join(golden, `held-token.${ending}`));
  });

  it("ends 0 with or without changes, 4 with --detailed-exitcode and changes, 1 with problems", async () => {
    const { run, base } = await planChange("codes", { "clusters/us-1.yaml": cluster("us-1") });
    expect((await run()).code).toBe(0);
    expect((await run({ "detailed-exitcode": true })).code).toBe(4);
    const same = await run({ commit: base, "detailed-exitcode": true });
    expect(same.code).toBe(0);
    expect(same.text).toContain("nothing changes");
    const bad = await planChange("bad", { "clusters/us-1.yaml": `${cluster("us-1")}  oops: 1\n` });
    expect((await bad.run({ "detailed-exitcode": true })).code).toBe(1);
  });

  it("makes markup, control characters and line ends in texts harmless in every format", async () => {
    const hostile = "x\u001b[31m</details>\n/merge @everyone | `a` <img src=x> **b** \u202e";
    const { run } = await planChange("hostile", {
      "clusters/us-1.yaml": cluster("us-1").replace("displayName: us-1", `displayName: ${JSON.stringify(hostile)}`),
      "clusters/eu-2.yaml": cluster("eu-2", { labels: { env: "prod", region: "eu" } }).replace(
        "displayName: eu-2",
        `displayName: ${JSON.stringify(hostile)}`,
      ),
      [`clusters/${hostile.replace("/", "_").replace("</", "<")}.yaml`]: cluster("us-2"),
      "clusters/odd @all|name.yaml": null,
    });
    const text = (await run()).text;
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
    const markdown = (await run({ output: "markdown" })).text;
    expect(markdown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(markdown).not.toMatch(/<img|\*\*b\*\*|@everyone|^\/merge/mu);
    const details = [...markdown.matchAll(/<(\/?)details>/gu)].map(([, slash]) => slash);
    expect(details.filter((slash) => slash === "").length).toBe(details.filter((slash) => slash === "/").length);
  });

  it.each([
    { changed: 3, reason: "few blobs come from the repository" },
    { changed: 150, reason: "many come from the files that are checked out" },
  ])(
    "prints in a work tree, with and without a cache, what it prints for the bare repository: $reason",
    async ({ changed }) => {
      const names = Array.from({ length: 150 }, (_value, index) => `c-${index + 1}`);
      const filesWith = (tier: (index: number) => string): Record<string, string> =>
        Object.fromEntries(
          names.map((name, index) => [`clusters/${name}.yaml`, cluster(name, { labels: { tier: tier(index) } })]),
        );
      const branch = `work-tree-${changed}`;
      const base = await repository.commit({ branch, files: filesWith(() => "silver"), from: null });
      const files = filesWith((index) => (index < changed ? "gold" : "silver"));
      const commit = await repository.commit({ branch, files });
      const workTree = join(folder.path, branch);
      await runGit(folder.path, ["clone", "-q", `--branch=${branch}`, `file://${repository.path}`, workTree]);
      // What is checked out is not what was committed: its content does not count.
      await writeFile(join(workTree, "clusters/c-2.yaml"), cluster("c-2", { labels: { tier: "iron" } }));
      const options = { offline: true, base, commit, output: "json" };
      const { text } = await runPlanOf(repository.path, { options, environment: { CI: "true" } });
      expect((JSON.parse(text) as { changes: unknown[] }).changes).toHaveLength(changed);
      // In CI no later command uses what this one keeps.
      expect(existsSync(join(folder.path, "cache/bases"))).toBe(false);
      // The first run keeps results of parsing and an index, the second uses the index, the third what was parsed.
      for (const cache of ["first", "first", "other"]) {
        const kept = { ...options, "cache-dir": join(folder.path, `${cache}-${branch}`) };
        expect((await runPlanOf(workTree, { options: kept })).text).toBe(text);
        expect(await readdir(join(workTree, ".git/rollcall"))).toHaveLength(1);
        expect(await readdir(join(kept["cache-dir"], "bases"))).toHaveLength(1);
      }
    },
  );

  it("prints first what is compared, and what of the work tree and of unpushed commits it leaves out", async () => {
    const start = await repository.commit({ branch: "mine", files: { "c.yaml": cluster("c") }, from: null });
    const clone = join(folder.path, "mine");
    await runGit(folder.path, ["clone", "-q", "--branch=mine", `file://${repository.path}`, clone]);
    const plan = async (): Promise<string[]> => {
      const { text } = await planWhereChecked(clone, { offline: true, base: start }, { ROLLCALL_BRANCH: "mine" });
      return text.split("\n").filter((line) => line.startsWith("note: "));
    };
    const clean = await plan();
    expect(clean[0]).toMatch(
      /^note: Compares commit [0-9a-f]{12} \(the commit that is checked out\) with files alone; commit [0-9a-f]{12} is the base\.$/u,
    );
    expect(clean.join("\n")).not.toMatch(/work tree|pushed/u);
    await writeFile(join(clone, "c.yaml"), cluster("c", { labels: { env: "dev" } }));
    await runGit(clone, ["commit", "-qam", "not pushed"]);
    await writeFile(join(clone, "c.yaml"), cluster("c"));
    await writeFile(join(clone, "d.yaml"), cluster("d"));
    const dirty = (await plan()).join("\n");
    expect(dirty).toMatch(
      /2 files in the work tree differ from commit [0-9a-f]{12} and are not part of this plan: c\.yaml, d\.yaml\./u,
    );
    const ahead =
      /Commit [0-9a-f]{12} is not on mine of origin: the daemon does not see it before it is merged or pushed there\./u;
    expect(dirty).toMatch(ahead);
    // A pull request: its branch is pushed, and not merged.
    await runGit(clone, ["push", "-q", "origin", "HEAD:change"]);
    expect((await plan()).join("\n")).toMatch(ahead);
  });

  it("reports a base that is not behind the commit", async () => {
    const { base, run } = await planChange("main-of-ancestor", { "clusters/us-1.yaml": cluster("us-1") });
    const other = await repository.commit({
      branch: "other",
      from: base,
      files: { "clusters/us-2.yaml": cluster("us-2") },
    });
    const { text } = await run({ base: other });
    expect(text).toContain(`note: Commit ${other.slice(0, 12)}, which is compared with, is not behind`);
    expect(text).toContain("Cluster fleet/us-2");
  });

  it("reports that a clone is shallow, and how to get the rest", async () => {
    const { base } = await planChange("shallow", { "clusters/us-1.yaml": cluster("us-1") });
    const clone = join(folder.path, "shallow");
    await runGit(folder.path, ["clone", "-q", "--depth=1", "--branch=shallow", `file://${repository.path}`, clone]);
    const run = runPlanOf(clone, { options: { offline: true, base, commit: "HEAD" } });
    await expect(run).rejects.toThrow(/the clone is shallow and ends before that commit: fetch the whole history/u);
  });

  it("reports that there is nothing to compare with: no status branch and no base", async () => {
    await planChange("alone", {});
    const run = runPlanOf(repository.path, { options: { offline: true, branch: "alone" } });
    await expect(run).rejects.toThrow(
      /read branch rollcall\/status of .*: it is not there\. Fetch it .* --base <commit>/u,
    );
  });

  it("folds what is the same for many clusters and names a wrong revision", async () => {
    const { run } = await planChange("fold", { "rules/labels.yaml": rule("tiers", { env: "prod" }, { tier: "gold" }) });
    const { text } = await run();
    expect(text.split("\n").filter((line) => line.includes("tier"))).toHaveLength(1);
    expect(text).toContain("~ 20 clusters: fleet/eu-1, ");
    await expect(run({ commit: "nowhere" })).rejects.toThrow(/there is no commit, branch or tag of that name/u);
  });
});
