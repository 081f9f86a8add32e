import { describe, expect, it } from "vitest";
import type { GitReader } from "../../../src/git/git.ts";
import { readStatusBranch } from "../../../src/review/read-status-branch.ts";

function branchOf(apiVersion: unknown): GitReader {
  const summary = { apiVersion, kind: "FleetSummary", metadata: { name: "fleet" } };
  return {
    readCommit: async () => ({ committedAtMs: 0 }),
    listFiles: async () => [{ path: "summary.yaml", mode: "file", blobId: "1" }],
    readBlob: async () => Buffer.from(JSON.stringify(summary)),
  } as unknown as GitReader;
}

describe("readStatusBranch", () => {
  it("refuses records of a newer version in one sentence", async () => {
    await expect(readStatusBranch(branchOf("rollcall.dev/v2"), "1")).rejects.toMatchObject({
      code: "E_STORE_VERSION",
      message: "read the status branch: its records are of rollcall.dev/v2, this program reads rollcall.dev/v1alpha1",
    });
  });

  it.each([{ apiVersion: {} }, { apiVersion: [{}] }, { apiVersion: 1 }, { apiVersion: null }])(
    "refuses $apiVersion as a version, and does not fail on it",
    async ({ apiVersion }) => {
      await expect(readStatusBranch(branchOf(apiVersion), "1")).rejects.toMatchObject({ code: "E_SCHEMA" });
    },
  );
});
