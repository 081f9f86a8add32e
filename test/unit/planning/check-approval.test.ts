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
      message: expect.stringMatching(
        /^4 withheld removals of commit c{12} .*Cluster\/fleet\/a.*next run of the daemon removes them/u,
      ) as string,
    });
  });

  it("does not promise a removal by the next run while the repository is suspended", () => {
    const suspended = { ...four, spec: { ...four.spec, suspend: true } };
    const { message } = checkApproval(suspended, { commit: "ccccccc", count: 4 });
    expect(message).toContain("is suspended: the first run after it is resumed removes them.");
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
      "deletionProtection is set on the hub",
    ],
  ])("refuses %s", (...[, given, commit, count, message]) => {
    expect(() => checkApproval(given, { commit, count })).toThrow(message);
  });

  it("names what is approved and no more, and reports what stays withheld for another reason", () => {
    const mixed = repository({
      count: 3,
      approvable: 1,
      commit: head,
      reason: "budget",
      objects: ["Cluster/fleet/a", "ClusterGroup/fleet/b", "Cluster/fleet/c"],
    });
    const { message } = checkApproval(mixed, { commit: "ccccccc", count: 1 });
    expect(message).toContain("1 withheld removal of commit cccccccccccc is approved (Cluster/fleet/a).");
    expect(message).toContain(
      "2 more of the 3 are tokens, groups or Secrets, which no approval counts, or wait for another reason",
    );
  });

  it("counts the deletions of tokens and groups, which need no count", () => {
    const objects = ["ClusterRegistrationToken/fleet/door", "ClusterGroup/fleet/prod"];
    const given = repository({ count: 2, approvable: 0, commit: head, reason: "not-applied-before", objects });
    expect(checkApproval(given, { commit: "ccccccc", count: 0 }).message).toContain(
      "2 withheld deletions of commit cccccccccccc are approved (ClusterRegistrationToken/fleet/door, ClusterGroup/fleet/prod)",
    );
  });

  it("counts what it does not name", () => {
    const objects = Array.from({ length: 20 }, (_, index) => `Cluster/fleet/c${index + 1}`);
    const given = repository({ count: 30, approvable: 30, commit: head, reason: "budget", objects });
    expect(checkApproval(given, { commit: "ccccccc", count: 30 }).message).toContain("Cluster/fleet/c5 and 25 more)");
  });

  it("ends where everything that is withheld is named: no count, and nothing of other reasons", () => {
    const objects = ["Cluster/fleet/a", "Cluster/fleet/b"];
    const given = repository({ count: 2, approvable: 2, commit: head, reason: "budget", objects });
    expect(checkApproval(given, { commit: head, count: 2 }).message).toBe(
      "2 withheld removals of commit cccccccccccc are approved (Cluster/fleet/a, Cluster/fleet/b). The next run of the daemon removes them. The approval does not count for a later commit.",
    );
    const unnamed = repository({ count: 1, approvable: 1, commit: head, reason: "budget", objects: [] });
    expect(checkApproval(unnamed, { commit: head, count: 1 }).message).toBe(
      "1 withheld removal of commit cccccccccccc is approved (1 more). The next run of the daemon removes it. The approval does not count for a later commit.",
    );
  });

  it.each(["bbbbbbb", "c".repeat(6) + "d", "d" + "c".repeat(6)])(
    "takes no end of a commit's id for it: %s",
    (commit) => {
      expect(() => checkApproval(four, { commit, count: 4 })).toThrow(
        "is not the commit that removals are withheld at",
      );
    },
  );

  it("takes a commit for superseded when any of the last ones has it, by its beginning", () => {
    const recent = [older, "e".repeat(33) + "bbbbbbb"].map((commit) => ({
      commit,
      time: "2026-11-21T04:00:00Z",
      outcome: "Applied" as const,
    }));
    const given = { ...four, status: { ...four.status, recentCommits: recent } };
    expect(() => checkApproval(given, { commit: "aaaaaaa", count: 4 })).toThrow("commit aaaaaaa is superseded");
    expect(() => checkApproval(given, { commit: "bbbbbbb", count: 4 })).toThrow("is not the commit");
  });

  it("is refused for a repository without a status, and one that withholds none", () => {
    const { status: _none, ...bare } = four;
    for (const given of [bare, repository({ count: 0, approvable: 0, commit: head, objects: [] })])
      expect(() => checkApproval(given, { commit: "ccccccc", count: 9 })).toThrow(
        expect.objectContaining({
          code: "E_APPROVAL",
          message: "approve removals: no removal of Repository system/fleet is withheld",
        }),
      );
  });
});
