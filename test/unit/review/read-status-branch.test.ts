import { describe, expect, it } from "vitest";
import type { GitReader } from "../../../src/git/git.ts";
import { readStatusBranch } from "../../../src/review/read-status-branch.ts";

describe("readStatusBranch", () => {
  it("refuses records of a newer version in one sentence", async () => {
    const summary = { apiVersion: "rollcall.dev/v2", kind: "FleetSummary", metadata: { name: "fleet" } };
    const git = {
      readCommit: async () => ({ committedAtMs: 0 }),
      listFiles: async () => [{ path: "summary.yaml", mode: "file", blobId: "1" }],
      readBlob: async () => Buffer.from(JSON.stringify(summary)),
    } as unknown as GitReader;
    await expect(readStatusBranch(git, "1")).rejects.toMatchObject({
      code: "E_STORE_VERSION",
      message: "read the status branch: its records are of rollcall.dev/v2, this program reads rollcall.dev/v1alpha1",
    });
  });
});
