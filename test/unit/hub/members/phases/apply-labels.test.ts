import { describe, expect, it } from "vitest";
import { applyLabels } from "../../../../../src/hub/members/phases/apply-labels.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { openMemberWorld } from "../member-world.ts";

describe("applyLabels", () => {
  it.each<{
    reason: string;
    git: Record<string, string>;
    labels: MemberState["labels"];
    expected: object;
    writes: number;
  }>([
    { reason: "no label is remembered", git: { a: "git" }, labels: undefined, expected: { a: "git" }, writes: 0 },
    {
      reason: "the token has a label",
      git: {},
      labels: { token: { tier: "gold" } },
      expected: { tier: "gold" },
      writes: 1,
    },
    {
      reason: "the token and the agent name one key: the token has precedence",
      git: {},
      labels: { token: { tier: "gold" }, agent: { tier: "lead", zone: "a" } },
      expected: { tier: "gold", zone: "a" },
      writes: 1,
    },
    {
      reason: "a file names the key",
      git: { tier: "file" },
      labels: { token: { tier: "gold" } },
      expected: { tier: "file" },
      writes: 0,
    },
  ])("applies the right labels when $reason", async ({ git, labels, expected, writes }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { labels: git, state: labels === undefined ? {} : { labels } });
    expect(await applyLabels(world.scopeOf("eu-1"))).toEqual({ kind: "next" });
    expect(world.asked()).toHaveLength(writes);
    expect(world.clusterOf("eu-1")?.metadata.labels).toEqual(expected);
    await applyLabels(world.scopeOf("eu-1"));
    expect(world.asked()).toEqual([]);
  });
});
