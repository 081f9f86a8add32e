import { describe, expect, it } from "vitest";
import { findEntries, paletteEntries } from "../../../../src/web/dashboard/browser/data/palette.ts";
import type { PaletteSources } from "../../../../src/web/dashboard/browser/data/palette.ts";
import { filterRows } from "../../model/filter/example-rows.ts";

const sources: PaletteSources = {
  rows: filterRows,
  tokens: [],
  overview: {
    version: "1.0.0",
    counts: { clusters: 3, ready: 2, notReady: 0, unknown: 1, leaving: 0, tokens: 0, waiting: 0 },
    reasons: [],
    tokens: [],
    repository: {
      ...{ url: "https://x/y.git", branch: "main", state: "stalled", message: "", errors: 1, warnings: 0 },
      problems: [
        {
          code: "E_X",
          severity: "error",
          file: "clusters/eu-2.yaml",
          line: 3,
          message: "",
          link: "javascript:alert(1)",
        },
      ],
    },
  },
};

function found(typed: string): string[] {
  return findEntries(paletteEntries(sources), typed).map(({ kind, title, href }) => `${kind} ${title} ${href}`);
}

describe("findEntries", () => {
  it("offers the pages before a letter is typed", () => {
    expect(found("")).toHaveLength(6);
  });

  it("puts what begins with the text first, and the filter of the text last", () => {
    expect(found("eu")).toEqual([
      "group europe /clusters?q=workspace%3Dfleet+group%3Deurope",
      "cluster eu-2 /clusters/fleet/eu-2",
      "cluster eu-10 /clusters/fleet/eu-10",
      "file clusters/eu-2.yaml /",
      "filter eu /clusters?q=eu",
    ]);
  });

  it("finds a cluster by its display name, and a reason", () => {
    expect(found("frankf")[0]).toBe("cluster eu-10 /clusters/fleet/eu-10");
    expect(found("heartbeatm")[0]).toBe("reason HeartbeatMissed /clusters?q=reason%3DHeartbeatMissed");
  });

  it("distinguishes clusters of one name and one display name by their workspaces", () => {
    const twins = ["a", "b"].map((workspace) => ({ ...filterRows[0], workspace, name: "prod", displayName: "Shop" }));
    const rows = twins as unknown as PaletteSources["rows"];
    const entries = findEntries(paletteEntries({ ...sources, rows }), "prod");
    expect(entries.slice(0, 2).map(({ title, detail }) => [title, detail])).toEqual([
      ["prod", "a, Shop"],
      ["prod", "b, Shop"],
    ]);
  });

  it("offers a dozen of ten thousand, and last the filter of the text", () => {
    const row = filterRows[0];
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ ...row, name: `edge-${index}` }));
    const entries = findEntries(paletteEntries({ ...sources, rows: rows as PaletteSources["rows"] }), "edge");
    expect(entries).toHaveLength(12);
    expect(entries.at(-1)?.kind).toBe("filter");
  });

  it("keeps a text that means no place as a filter, and follows no link but https", () => {
    expect(found("a<1")).toEqual(["filter a<1 /clusters?q=a%3C1"]);
    expect(found("").concat(found("clusters/")).join()).not.toContain("javascript:");
  });
});
