import { describe, expect, it } from "vitest";
import { checkDeclared } from "../../../../../src/hub/members/phases/check-declared.ts";
import { fieldManagers, labelKeys } from "../../../../../src/model/well-known.ts";
import { findCondition } from "../../../../../src/planning/conditions.ts";
import type { ClusterParts } from "../member-world.ts";
import { openMemberWorld } from "../member-world.ts";

const labels = { [labelKeys.repository]: "rollcall.fleet" };

describe("checkDeclared", () => {
  it.each<{ who: string; parts: ClusterParts; isRefused: boolean }>([
    { who: "git", parts: { labels }, isRefused: false },
    { who: "git's manager without a Repository", parts: { labels: {} }, isRefused: true },
    { who: "a registration", parts: { manager: fieldManagers.hub, labels: {} }, isRefused: false },
    { who: "a person", parts: { manager: "kubectl", labels: {} }, isRefused: true },
    { who: "a person, with the label of a Repository", parts: { manager: "kubectl", labels }, isRefused: true },
    { who: "a person, of a member", parts: { manager: "kubectl", labels: {}, state: {} }, isRefused: false },
  ])("refuses a Cluster ($isRefused) that was made by $who", async ({ parts, isRefused }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", parts);
    const scope = world.scopeOf("eu-1");
    const result = await checkDeclared(scope, world.ports);
    expect(result).toEqual(isRefused ? { kind: "done", requeueAfterMs: undefined } : { kind: "next" });
    const accepted = findCondition(scope.readAgain().cluster.status?.conditions, "Accepted");
    expect(accepted?.reason).toBe(isRefused ? "NotInGit" : undefined);
  });
});
