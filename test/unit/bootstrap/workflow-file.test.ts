import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workflowFile } from "../../../src/bootstrap/workflow-file.ts";
import type { ForgeProvider } from "../../../src/forge/forge.ts";

describe("workflowFile", () => {
  it.each<[ForgeProvider, string]>([
    ["GitHub", ".github/workflows/fleet.yml"],
    ["GitLab", ".gitlab-ci.yml"],
    ["Gitea", ".gitea/workflows/fleet.yml"],
    ["Forgejo", ".gitea/workflows/fleet.yml"],
  ])("is for %s the file %s of the example, which another test runs", (provider, place) => {
    const { path, text } = workflowFile(provider, "rollcall");
    expect(path).toBe(place);
    expect(text).toBe(readFileSync(join(import.meta.dirname, "../../../examples-repo", path), "utf8"));
    expect(workflowFile(provider, "r.example.com/rollcall:1").text).toContain(": r.example.com/rollcall:1 #");
  });
});
