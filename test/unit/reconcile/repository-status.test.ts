import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { creation } from "./phase-builders.ts";
import { plan, problem, statusOf, verifying } from "./run-results.ts";

describe("a status", () => {
  it("has no field that nothing is known of", () => {
    const fields = ["conditions", "observedCommit", "appliedCommit", "problems", "recentCommits", "scannedCommit"];
    expect(Object.keys(statusOf({ plan })).sort()).toEqual([...fields, "settledCommit", "settledFrom", "url"].sort());
    expect(Object.keys(statusOf({}))).toEqual(["conditions"]);
    expect(Object.keys(statusOf({ plan }).recentCommits?.[0] ?? {})).not.toContain("author");
  });

  it("counts errors and warnings, and has the first twenty problems", () => {
    const problems = Array.from({ length: 25 }, (_, index) => problem(`${index}`, index < 22 ? "error" : "warning"));
    expect(statusOf({ plan: { ...plan, problems } }).problems).toEqual({
      ...{ errors: 22, warnings: 3 },
      first: problems.slice(0, 20),
    });
  });

  it("forgets the verified commit when no signatures are asked for", () => {
    const status = { verifiedCommit: "v" };
    expect(statusOf({ plan }, { status })).not.toHaveProperty("verifiedCommit");
    expect(statusOf({ plan }, { status, spec: verifying }).verifiedCommit).toBe("v");
  });

  it("remembers which protocols the daemon serves", () => {
    const serves = [{ name: "clusternet" as const, controllers: "Rollcall" as const, bootstrapTokens: true }];
    expect(statusOf({ serves }).serves).toEqual(serves);
  });

  it("does not count a removal any more that was carried out by the start of a cluster in its place", () => {
    const hour = "1970-01-01T00:00:00Z";
    const status = { removing: { hour, groups: [{ removals: ["a"] }] }, deletions: { hours: [{ hour, count: 1 }] } };
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "old" };
    const former = { ref, uid: "u", resourceVersion: "1", patchAnnotations: {} };
    const removals = [{ kind: "move" as const, cluster: "fleet/old", reason: "moved" }];
    const moved = { ...plan, removals, account: { ...plan.account, charges: [{ id: "a" }] } };
    const after = (change: object) =>
      statusOf({ plan: moved, outcomes: [{ change: change as never }] }, { status }).removing?.groups;
    expect(after({ ...creation("new"), former })).toBeUndefined();
    expect(after(creation("new"))).toEqual([{ removals: ["a"] }]);
  });
});
