import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { checkApproval } from "../../../src/planning/check-approval.ts";

const head = "c".repeat(40);
const older = "a".repeat(40);
const repository = (withheld?: NonNullable<Repository["status"]>["withheld"]): Repository => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "system" },
  spec: { url: "https://git.example.com/fleet.git" },
  status: {
    recentCommits: [{ commit: older, time: "2026-11-21T04:00:00Z", outcome: "Applied" }],
    ...(withheld ? { withheld } : {}),
  },
});
const four = repository({ count: 4, approvable: 4, commit: head, reason: "budget", objects: ["Cluster/fleet/a"] });

describe("A59 approve-deletions", () => {
  it("names the whole commit, what is removed and when", () => {
    expect(checkApproval(four, { commit: "ccccccc", count: 9 })).toEqual({
      commit: head,
      message: expect.stringMatching(/^4 withheld removals of commit c{12} .*Cluster\/fleet\/a.*next run/u) as string,
    });
  });

  it.each([
    ["a commit that does not exist", four, "1234567", 9, "is not the commit"],
    ["a superseded commit", four, "aaaaaaa", 9, "is superseded"],
    ["a count that is too small", four, "ccccccc", 3, "too few"],
    ["a repository that withholds nothing", repository(), "ccccccc", 9, "no removal"],
    [
      "what no approval lets through",
      repository({ count: 1, commit: head, reason: "protected" }),
      "ccccccc",
      9,
      "protected",
    ],
  ])("refuses %s", (...[, given, commit, count, message]) => {
    expect(() => checkApproval(given, { commit, count })).toThrow(message);
  });
});
