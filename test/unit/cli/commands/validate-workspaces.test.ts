import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ValidateOptions } from "../../../../src/cli/commands/validate.ts";
import { runValidate } from "../../../../src/cli/commands/validate.ts";

const good = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: eu-1\n";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "rollcall-validate-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function validate(options: Partial<ValidateOptions> = {}): Promise<{ code: number; text: string }> {
  let text = "";
  const code = await runValidate({ dir, isColour: false, out: (part) => (text += part), ...options });
  return { code, text };
}

describe("runValidate, where documents name workspaces", () => {
  it("prints once that it does not know which workspaces the Repository allows, where documents name some", async () => {
    const inWorkspace = (name: string): string => good.replace("name: eu-1", `name: eu-1\n  namespace: ${name}`);
    for (const number of [10, 2, 1, 3, 4, 5, 6])
      writeFileSync(join(dir, `${number}.yaml`), inWorkspace(`edge-${number}`));
    const { code, text } = await validate();
    expect(code).toBe(0);
    expect(text.split("\n").slice(-2)).toEqual([
      "Not checked here: whether the Repository allows workspaces edge-1, edge-2, edge-3, edge-4, edge-5 and 2 more. rollcall plan checks it.",
      "",
    ]);
    expect((await validate({ workspaces: ["edge-*"] })).text).not.toContain("Not checked");
    for (const number of [5, 6]) rmSync(join(dir, `${number}.yaml`));
    writeFileSync(join(dir, "7.yaml"), inWorkspace("edge-4"));
    const five = (await validate()).text;
    expect(five).toContain("allows workspaces edge-1, edge-2, edge-3, edge-4, edge-10. rollcall plan checks it.");
  });

  it.each([
    ["a cluster", "Cluster", "spec: {clientID: a}"],
    ["a token", "ClusterRegistrationToken", "spec: {ttl: 24h}"],
  ])("names the option that a daemon needs for another project's protocol, of %s alone", async (_what, kind, spec) => {
    const header = `apiVersion: fleet.cattle.io/v1alpha1\nkind: ${kind}\nmetadata: {name: old, namespace: fleet}\n`;
    writeFileSync(join(dir, "a.yaml"), `${header}${spec}\n`);
    const { code, text } = await validate();
    expect(code).toBe(0);
    expect(text).toContain("Not checked here: whether the daemon runs with --serve-fleet. rollcall plan checks it.\n");
  });

  it("takes no namespace of a ManagedCluster for a workspace", async () => {
    const spec = "spec: {clusterId: 4bb4fb4c-9a3c-4a77-8b3c-3a4f3f3f3f3f, syncMode: Dual}";
    const metadata = "metadata: {name: edge-1, namespace: clusternet-dhxfs}";
    writeFileSync(
      join(dir, "a.yaml"),
      `apiVersion: clusters.clusternet.io/v1beta1\nkind: ManagedCluster\n${metadata}\n${spec}\n`,
    );
    const { code, text } = await validate();
    expect(code).toBe(0);
    expect(text).not.toContain("clusternet-dhxfs");
  });
});
