import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { GitReader, TreeFile } from "../../../src/git/git.ts";
import { readStatusBranch } from "../../../src/review/read-status-branch.ts";

const apiVersion = "rollcall.dev/v1alpha1";
const summary = { apiVersion, kind: "FleetSummary", metadata: { name: "fleet" } };
const recordOf = (kind: string, name: string) => ({ apiVersion, kind, metadata: { name, namespace: "fleet" } });

/** A commit of the status branch with these records as files. */
function branchOf(records: Readonly<Record<string, unknown>>, links: readonly string[] = []): GitReader {
  return {
    readCommit: async () => ({ committedAtMs: 5 }),
    listFiles: async () =>
      Object.keys(records).map((path): TreeFile => ({
        ...{ path, blobId: path, mode: links.includes(path) ? "link" : "file" },
      })),
    readBlob: async (path: string, { maximumBytes = Infinity } = {}) => {
      const bytes = Buffer.from(JSON.stringify(records[path]));
      if (bytes.length > maximumBytes) throw new AppError("E_FILE_TOO_LARGE", "too large");
      return bytes;
    },
  } as unknown as GitReader;
}

describe("readStatusBranch", () => {
  it("reads the records of clusters and tokens, and passes over other kinds, other files and links", async () => {
    const records = {
      "summary.yaml": summary,
      "clusters/fleet/a.yaml": recordOf("ClusterRecord", "a"),
      "clusters/fleet/b.yaml": recordOf("ClusterRecord", "b"),
      "clusters/fleet/link.yaml": recordOf("ClusterRecord", "link"),
      "clusters/fleet/new.yaml": recordOf("NewRecord", "new"),
      "tokens/fleet/t.yaml": recordOf("TokenRecord", "t"),
      ...Object.fromEntries(
        ["clusters/fleet/a.txt", "old/clusters/c.yaml", "clusters.yaml", "other/summary.yaml", "README.md"].map(
          (path) => [path, recordOf("ClusterRecord", path)],
        ),
      ),
    };
    const { clusters, tokens, ...others } = await readStatusBranch(
      branchOf(records, ["clusters/fleet/link.yaml"]),
      "c1",
    );
    expect(clusters.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect(tokens.map(({ metadata }) => metadata.name)).toEqual(["t"]);
    expect(others).toEqual({ commit: "c1", committedAtMs: 5, summary });
  });

  it.each<[string, unknown]>([
    ["is a text", "ClusterRecord"],
    ["has no metadata", { apiVersion, kind: "ClusterRecord" }],
    ["has metadata that are a text", { apiVersion, kind: "ClusterRecord", metadata: "a" }],
    ["has no name", { apiVersion, kind: "ClusterRecord", metadata: {} }],
    ["has a number as name", { apiVersion, kind: "ClusterRecord", metadata: { name: 1 } }],
  ])("refuses a record that %s: another writer changed the branch", async (_what, record) => {
    const path = "clusters/fleet/a.yaml";
    await expect(readStatusBranch(branchOf({ "summary.yaml": summary, [path]: record }), "c1")).rejects.toMatchObject({
      ...{ code: "E_SCHEMA", recovery: "stalled" },
      message: `read ${path} of the status branch (clusters/fle): it is no record`,
    });
  });

  it("refuses a record that is larger than any", async () => {
    const large = { ...recordOf("ClusterRecord", "a"), more: "a".repeat(4 * 1024 * 1024) };
    const branch = branchOf({ "summary.yaml": summary, "clusters/fleet/a.yaml": large });
    await expect(readStatusBranch(branch, "c1")).rejects.toMatchObject({ code: "E_FILE_TOO_LARGE" });
  });

  it("refuses a branch without a summary", async () => {
    const branch = branchOf({ "clusters/fleet/a.yaml": recordOf("ClusterRecord", "a") });
    await expect(readStatusBranch(branch, "c1")).rejects.toMatchObject({
      ...{ code: "E_SCHEMA", message: "read summary.yaml of the status branch (c1): it has no FleetSummary" },
    });
  });

  it("refuses records of a newer version in one sentence", async () => {
    const newer = branchOf({ "summary.yaml": { ...summary, apiVersion: "rollcall.dev/v2" } });
    await expect(readStatusBranch(newer, "1")).rejects.toMatchObject({
      code: "E_STORE_VERSION",
      message: "read the status branch: its records are of rollcall.dev/v2, this program reads rollcall.dev/v1alpha1",
    });
  });

  it.each([{ apiVersion: {} }, { apiVersion: [{}] }, { apiVersion: 1 }, { apiVersion: null }])(
    "refuses $apiVersion as a version, and does not fail on it",
    async (fields) => {
      const branch = branchOf({ "summary.yaml": { ...summary, ...fields } });
      await expect(readStatusBranch(branch, "1")).rejects.toMatchObject({ code: "E_SCHEMA" });
    },
  );
});
