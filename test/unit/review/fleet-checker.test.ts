import { describe, expect, it } from "vitest";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { fleetChecker, workspaceRules } from "../../../src/review/fleet-checker.ts";

const repositoryOf = (spec: Partial<Repository["spec"]>): Repository => ({
  ...{ apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata: { name: "fleet", namespace: "system" } },
  spec: { url: "memory", ...spec },
});

describe("workspaceRules", () => {
  it("has what the Repository and the daemon bound, and nothing else", () => {
    expect(workspaceRules(undefined, "system")).toEqual({ daemonNamespace: "system" });
    expect(workspaceRules(repositoryOf({}), "system")).toEqual({ daemonNamespace: "system" });
    expect(
      workspaceRules(repositoryOf({ workspaces: ["eu-*"], defaultWorkspace: "eu-1" }), "system", ["eu-1", "eu-2"]),
    ).toEqual({
      ...{ daemonNamespace: "system", workspaces: ["eu-*"], defaultWorkspace: "eu-1", limit: ["eu-1", "eu-2"] },
    });
  });
});

describe("fleetChecker", () => {
  const text = `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n`;
  const file = createFileParser()({ path: "a.yaml", blobId: "1", bytes: new TextEncoder().encode(text) });

  it.each<[string, Partial<Repository["spec"]>, string[] | undefined, string[]]>([
    ["takes a cluster into the default workspace", { defaultWorkspace: "eu" }, undefined, []],
    ["refuses one without a workspace", {}, undefined, ["E_NAMESPACE"]],
    ["refuses one outside the workspaces", { defaultWorkspace: "eu", workspaces: ["us"] }, undefined, ["E_NAMESPACE"]],
    ["refuses one outside those of the daemon", { defaultWorkspace: "eu" }, ["us"], ["E_NAMESPACE"]],
    ["refuses one in the daemon's namespace", { defaultWorkspace: "system" }, undefined, ["E_NAMESPACE"]],
  ])("%s", (_what, spec, limit, codes) => {
    const { fleet, problems } = fleetChecker("system", limit)([file], repositoryOf(spec));
    expect(problems.map(({ code }) => code)).toEqual(codes);
    expect(fleet.clusters).toHaveLength(codes.length === 0 ? 1 : 0);
  });
});
