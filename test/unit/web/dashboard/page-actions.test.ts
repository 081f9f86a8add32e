import { describe, expect, it } from "vitest";
import { readAction } from "../../../../src/web/dashboard/page-actions.ts";

describe("readAction", () => {
  it.each([
    { body: { action: "Reconcile", extra: 1 }, action: { action: "Reconcile" } },
    {
      body: { action: "RevokeCluster", workspace: "one", name: "a" },
      action: { action: "RevokeCluster", target: { workspace: "one", name: "a" } },
    },
    {
      body: { action: "ApproveRemovals", commit: "0123456", count: 0 },
      action: { action: "ApproveRemovals", commit: "0123456", count: 0 },
    },
    {
      body: { action: "ApproveRemovals", commit: "a".repeat(64), count: 999_999 },
      action: { action: "ApproveRemovals", commit: "a".repeat(64), count: 999_999 },
    },
  ])("reads $body", ({ body, action }) => {
    expect(readAction(body)).toEqual(action);
  });

  it.each([
    { reason: "no action", body: {} },
    { reason: "an unknown action", body: { action: "Uninstall" } },
    { reason: "the name of a prototype", body: { action: "constructor" } },
    { reason: "a cluster without a name", body: { action: "SuspendCluster", workspace: "one" } },
    { reason: "a workspace that is no text", body: { action: "ResumeCluster", workspace: 1, name: "a" } },
    { reason: "a commit behind other text", body: { action: "ApproveRemovals", commit: "main 0123456", count: 1 } },
    { reason: "a commit in a list", body: { action: "ApproveRemovals", commit: ["0123456"], count: 1 } },
    { reason: "a name that is no text", body: { action: "ResumeCluster", workspace: "one", name: ["a"] } },
    { reason: "an approval without a commit", body: { action: "ApproveRemovals", count: 1 } },
    { reason: "a commit that is too short", body: { action: "ApproveRemovals", commit: "012345", count: 1 } },
    { reason: "a commit with a space", body: { action: "ApproveRemovals", commit: "0123456 9", count: 1 } },
    { reason: "a count that is text", body: { action: "ApproveRemovals", commit: "0123456", count: "1" } },
    { reason: "half a removal", body: { action: "ApproveRemovals", commit: "0123456", count: 0.5 } },
    { reason: "less than none", body: { action: "ApproveRemovals", commit: "0123456", count: -1 } },
    { reason: "very many", body: { action: "ApproveRemovals", commit: "0123456", count: 1_000_000 } },
  ])("refuses $reason", ({ body }) => {
    expect(readAction(body)).toBeUndefined();
  });
});
