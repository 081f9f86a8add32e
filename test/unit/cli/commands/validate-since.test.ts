import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runValidate } from "../../../../src/cli/commands/validate.ts";
import type { Problem } from "../../../../src/model/problem.ts";
import { runGit } from "../../../support/git-repositories.ts";

const header = "apiVersion: rollcall.dev/v1alpha1\n";
const cluster = (name: string): string => `${header}kind: Cluster\nmetadata: {name: ${name}}\n`;
const policy = (expression: string): string =>
  `${header}kind: Policy\nmetadata: {name: p}\nspec:\n  rules:\n    - expression: "object.kind != 'Cluster' || ${expression}"\n      message: none of these\n`;

let dir: string;
const write = (path: string, text: string): void => writeFileSync(join(dir, path), text);
async function commitAll(): Promise<void> {
  await runGit(dir, ["add", "-A"]);
  await runGit(dir, ["commit", "-q", "-m", "x"]);
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "rollcall-validate-"));
  await runGit(dir, ["init", "-q"]);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function problemsSince(changedSince: string): Promise<readonly string[]> {
  let text = "";
  await runValidate({ dir, isColour: false, out: (part) => (text += part), format: "json", changedSince });
  const { problems } = JSON.parse(text) as { readonly problems: readonly Problem[] };
  return problems.map(({ code, file }) => `${code} ${file}`);
}

describe("runValidate --changed-since", () => {
  it("refuses a revision that there is not, also where nothing is wrong", async () => {
    write("a.yaml", cluster("a"));
    await commitAll();
    await expect(problemsSince("no-such-branch")).rejects.toThrow("no-such-branch");
  });

  it("reports what a change of a policy makes wrong in other files, and what was wrong before of none", async () => {
    write("a.yaml", cluster("a"));
    write("b.yaml", cluster("b"));
    write("policy.yaml", policy("object.metadata.name != 'b'"));
    await commitAll();
    expect(await problemsSince("HEAD")).toEqual([]);
    write("policy.yaml", policy("object.metadata.name == 'none'"));
    expect(await problemsSince("HEAD")).toEqual(["E_POLICY a.yaml"]);
    rmSync(join(dir, "policy.yaml"));
    expect(await problemsSince("HEAD")).toEqual([]);
  });

  it("reports a comment in a changed file that hides nothing, also where nothing is wrong", async () => {
    const comment = "# rollcall-ignore W_POLICY: because\n";
    write("a.yaml", cluster("a"));
    write("b.yaml", `${comment}${cluster("b")}`);
    await commitAll();
    expect(await problemsSince("HEAD")).toEqual([]);
    write("a.yaml", `${comment}${cluster("a")}`);
    expect(await problemsSince("HEAD")).toEqual(["W_SUPPRESSION a.yaml"]);
  });
});

it("counts the documents of each kind of a fleet", async () => {
  const labels = "spec: {selector: {matchLabels: {a: b}}, labels: {c: d}}";
  write("labels.yaml", `${header}kind: ClusterLabels\nmetadata: {name: l}\n${labels}\n`);
  const defaults = "spec: {selector: {}, heartbeat: {periodSeconds: 30}}";
  write("defaults.yaml", `${header}kind: ClusterDefaults\nmetadata: {name: d}\n${defaults}\n`);
  write("policy.yaml", policy("true"));
  for (const name of ["a", "b"]) write(`${name}.yaml`, cluster(name));
  let text = "";
  await runValidate({ dir, isColour: false, out: (part) => (text += part), format: "json" });
  const { counts } = JSON.parse(text) as { readonly counts: object };
  expect(counts).toEqual({ clusters: 2, tokens: 0, groups: 0, rules: 2, policies: 1, secrets: 0, foreignObjects: 0 });
});
