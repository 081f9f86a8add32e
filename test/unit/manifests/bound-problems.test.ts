import { describe, expect, it } from "vitest";
import { boundProblems } from "../../../src/manifests/bound-problems.ts";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import type { Problem } from "../../../src/model/problem.ts";

const problem = (line: number, severity: "error" | "warning"): Problem => ({
  code: severity === "error" ? "E_SCHEMA" : "W_POLICY",
  severity,
  file: "a.yaml",
  line,
  column: 1,
  message: "m",
});

describe("boundProblems", () => {
  it("keeps errors before warnings, in order, and reports how many more there are", () => {
    const all = [1, 2, 3, 4, 5, 6].map((line) => problem(line, line % 2 === 0 ? "error" : "warning"));
    expect(boundProblems(all, 6)).toBe(all);
    const kept = boundProblems(all, 4);
    expect(kept.map(({ line, message }) => `${line} ${message}`)).toEqual([
      "1 m",
      "2 m",
      "4 m",
      "6 m",
      "1 and 2 more problems in these files",
    ]);
    expect(boundProblems(all, 2).map(({ line, severity }) => `${line} ${severity}`)).toEqual([
      "2 error",
      "4 error",
      "4 error",
    ]);
  });

  it.each([
    { reason: "warnings alone", kinds: "www", most: 1, kept: ["1 warning", "1 warning"], more: "and 2 more problems" },
    {
      reason: "one that is dropped",
      kinds: "ww",
      most: 1,
      kept: ["1 warning", "1 warning"],
      more: "and 1 more problem",
    },
    {
      reason: "as many errors as are kept",
      kinds: "wewe",
      most: 2,
      kept: ["2 error", "4 error", "4 error"],
      more: "and 2",
    },
    {
      reason: "room for one warning",
      kinds: "wwew",
      most: 2,
      kept: ["1 warning", "3 error", "1 warning"],
      more: "and 2",
    },
    {
      reason: "errors alone",
      kinds: "eeee",
      most: 3,
      kept: ["1 error", "2 error", "3 error", "3 error"],
      more: "and 1",
    },
    { reason: "a dropped error", kinds: "eew", most: 1, kept: ["1 error", "1 error"], more: "and 2 more problems" },
  ])("bounds $reason: $kinds to $most", ({ kinds, most, kept, more }) => {
    const all = [...kinds].map((kind, index) => problem(index + 1, kind === "e" ? "error" : "warning"));
    const bounded = boundProblems(all, most);
    expect(bounded.map(({ line, severity }) => `${line} ${severity}`)).toEqual(kept);
    expect(bounded.at(-1)?.message.startsWith(`${more}`)).toBe(true);
    expect(bounded.at(-1)?.message.endsWith(" in these files")).toBe(true);
  });

  it("keeps no problem where none may be kept", () => {
    expect(boundProblems([problem(1, "error")], 0)).toEqual([]);
  });
});

describe("checkFleet", () => {
  it("A16 keeps 2,000 problems of very many, and refuses each document all the same", () => {
    const text = "---\napiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: a\n".repeat(3000);
    const parse = createFileParser();
    const readAgain = new Set<string>();
    const files = ["a.yaml", "b.yaml", "c.yaml"].map((path) => {
      const file = parse({ path, blobId: path, bytes: new TextEncoder().encode(text) });
      return {
        ...file,
        get text() {
          readAgain.add(path);
          return file.text;
        },
      };
    });
    const { problems, fleet, brokenObjects } = checkFleet(files, { defaultWorkspace: "fleet" });
    expect(problems).toHaveLength(2001);
    expect(problems.at(-1)?.message).toBe("and 7000 more problems in these files");
    expect(fleet.clusters).toEqual([]);
    expect([...brokenObjects]).toEqual(["Cluster/fleet/a"]);
    // A place takes a second, slower read of its file: no more of them than of problems that may be kept.
    expect([...readAgain]).toEqual(["a.yaml"]);
  });
});
