import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Environment } from "@marcbachmann/cel-js";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/core/json.ts";
import { listWorkTree } from "../../../src/work-tree/read-work-tree.ts";
import { runValidate } from "../../../src/cli/commands/validate.ts";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import { compilePathPatterns } from "../../../src/core/path-patterns.ts";

const root = join(import.meta.dirname, "../../../examples-repo");
const schemaId = "https://rollcall.dev/schemas/v1alpha1/rollcall.schema.json";
const paths = listWorkTree(root).map(({ path }) => path);
const manifests = paths.filter((path) => path.endsWith(".yaml"));

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function readFleet() {
  const parse = createFileParser();
  const files = manifests.map((path) => parse({ path, blobId: path, bytes: readFileSync(join(root, path)) }));
  return checkFleet(files, {}).fleet;
}

describe("examples-repo", () => {
  it("is valid without any configuration, and without warnings", async () => {
    let text = "";
    expect(await runValidate({ dir: root, isColour: false, out: (part) => (text += part) })).toBe(0);
    expect(text).toMatch(
      /^3 clusters, 1 token, 2 groups, 4 rules, 1 policy in \d+ files: no problems\nNot checked here: .*\n$/u,
    );
  });

  it("takes the example file of the README as it is there", async () => {
    const readme = readFileSync(join(root, "../README.md"), "utf8");
    const [, example = ""] = /^```yaml\n(apiVersion: rollcall\.dev[^`]*)```$/mu.exec(readme) ?? [];
    const dir = mkdtempSync(join(tmpdir(), "rollcall-readme-"));
    try {
      cpSync(root, dir, { recursive: true });
      writeFileSync(join(dir, "clusters/readme.yaml"), example);
      let text = "";
      const out = (part: string): void => void (text += part);
      expect(await runValidate({ dir, workspaces: ["fleet"], isColour: false, isStrict: true, out }), text).toBe(0);
      expect(text).toContain("4 clusters");
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it("declares exactly three clusters that the hub can start by itself", () => {
    const clusters = readFleet().clusters.map(({ object: { metadata, spec } }) => ({
      name: metadata.name,
      workspace: metadata.namespace,
      secret: spec?.kubeConfigSecretRef?.name,
    }));
    expect(clusters).toEqual(
      ["dev-us-1", "prod-eu-1", "staging-eu-1"].map((name) => ({
        name,
        workspace: "fleet",
        secret: `${name}-kubeconfig`,
      })),
    );
  });

  it("keeps its own policies", () => {
    const { clusters, policies } = readFleet();
    const environment = new Environment().registerVariable("object", "dyn");
    const rules = policies.flatMap(({ object }) => object.spec.rules);
    expect(rules.length).toBeGreaterThan(1);
    for (const { expression } of rules) {
      const holds = environment.parse(expression);
      for (const { object } of clusters) expect(holds({ object })).toBe(true);
    }
    const bad = { metadata: { name: "a", labels: { env: "prod" } } };
    expect(rules.map(({ expression }) => environment.parse(expression)({ object: bad }) as boolean)).toContain(false);
  });

  it("names the schema of every file for editors, in the file and in the settings", () => {
    const settings: unknown = JSON.parse(read(".vscode/settings.json"));
    const schemas = isJsonObject(settings) ? settings["yaml.schemas"] : undefined;
    const patterns = isJsonObject(schemas) && Array.isArray(schemas[schemaId]) ? schemas[schemaId].map(String) : [];
    const covered = compilePathPatterns(patterns);
    for (const path of manifests) {
      expect(read(path)).toMatch(new RegExp(`^# yaml-language-server: \\$schema=${schemaId}\n`, "u"));
      expect(covered.matches(path), path).toBe(true);
    }
    const published: unknown = JSON.parse(
      readFileSync(join(root, "../schemas/generated/rollcall.schema.json"), "utf8"),
    );
    expect(isJsonObject(published) && published["$id"]).toBe(schemaId);
  });

  it("has owners and a page for every folder", () => {
    const folders = [...new Set(manifests.map((path) => `${path.split("/").slice(0, -1).join("/")}/`))];
    const readme = read("README.md");
    expect(folders.filter((folder) => !readme.includes(`\`${folder}\``))).toEqual([]);
    expect(read("CODEOWNERS")).toMatch(/^\/clusters\/prod\/ +@/mu);
  });
});
