import { describe, expect, it } from "vitest";
import { describeNextSteps, describeRunning, resumeCommand } from "../../../src/demo/up-next-steps.ts";

describe("what to try next", () => {
  it("has commands that a shell reads, also of a folder with a space in its path", () => {
    const dir = "/srv/my fleets";
    const text = describeNextSteps({
      dir,
      kubeconfigPath: `${dir}/hub.kubeconfig`,
      clusters: [{ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "eu-1" } }],
      hasWorkTree: true,
      pageUrl: "http://127.0.0.1:1/",
      committed: [],
    });
    const commands = text.split("\n").filter((line) => line.startsWith("  "));
    expect(commands).toHaveLength(5);
    for (const command of commands) {
      expect(command).toMatch(/ (?:--kubeconfig|-C) '\/srv\/my fleets\//u);
      expect(command.replaceAll(/'[^']*'/gu, "")).not.toContain("fleets");
    }
  });
});

describe("which clusters run", () => {
  it.each([
    { names: [], wanted: 0, lines: ["clusters    none"] },
    { names: ["a", "b"], wanted: 2, lines: ["clusters    2 running: a, b"] },
    {
      names: ["a", "b"],
      wanted: 9,
      lines: ["clusters    2 running: a, b", expect.stringContaining(" --clusters 9: the repository declares no more")],
    },
  ])("are $names, of the $wanted that the user wants", ({ names, wanted, lines }) => {
    expect(describeRunning(names, wanted)).toEqual(lines);
  });
});

describe("the command that resumes a fleet", () => {
  it.each([
    { args: ["up"], again: "" },
    { args: ["up", "--dir", "demo", "--clusters", "5"], again: " --dir demo --clusters 5" },
    { args: ["up", "--dir=demo", "--exit-when-healthy"], again: " --dir=demo" },
    { args: ["up", "--protocol", "fleet", "--restore", "--dir", "a b"], again: " --protocol fleet --dir 'a b'" },
    { args: ["up", "--dir", "it's"], again: " --dir 'it'\\''s'" },
  ])("of $args has the options$again", ({ args, again }) =>
    expect(resumeCommand(["node", "/usr/bin/rollcall", ...args])).toBe(`rollcall up${again}`),
  );
});
