import { describe, expect, it } from "vitest";
import type { HubObjectPolicy } from "../../../src/model/generated/repository.ts";
import { hasHubPolicy, hubPolicyOf } from "../../../src/planning/hub-policy.ts";

const labs: HubObjectPolicy = { workspaces: ["labs-*"], policy: "Commit", deletions: "Propose" };
const tokens: HubObjectPolicy = { kinds: ["ClusterRegistrationToken", "MemberCluster"], policy: "Propose" };

describe("hubPolicyOf", () => {
  it.each<[HubObjectPolicy[], string, string, string]>([
    [[], "Cluster", "labs-1", "Ignore Ignore"],
    [[labs], "Cluster", "labs-1", "Commit Propose"],
    [[labs], "Cluster", "prod", "Ignore Ignore"],
    [[labs], "MemberCluster", "labs-1", "Ignore Ignore"],
    [[labs], "ManagedCluster", "labs-1", "Ignore Ignore"],
    [[tokens], "MemberCluster", "labs-1", "Propose Ignore"],
    [[tokens], "Cluster", "labs-1", "Ignore Ignore"],
    [[tokens, labs], "ClusterRegistrationToken", "labs-1", "Propose Ignore"],
    [[tokens, labs], "Cluster", "labs-1", "Commit Propose"],
  ])("the first entry that matches workspace and kind counts: %j %s %s", (onHubObjects, kind, workspace, expected) => {
    const { policy, deletions } = hubPolicyOf({ onHubObjects }, { kind, workspace });
    expect(`${policy} ${deletions}`).toBe(expected);
  });

  it("is none where every entry declares Ignore", () => {
    expect(hasHubPolicy({})).toBe(false);
    expect(hasHubPolicy({ onHubObjects: [{ policy: "Ignore" }] })).toBe(false);
    expect(hasHubPolicy({ onHubObjects: [{ policy: "Ignore", deletions: "Propose" }] })).toBe(true);
  });
});
