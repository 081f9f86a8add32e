import { describe, expect, it } from "vitest";
import { applyLabels } from "../../../../../src/hub/members/phases/apply-labels.ts";
import type { Cluster } from "../../../../../src/model/generated/cluster.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import { labelKeys } from "../../../../../src/model/well-known.ts";
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

  const repository = { [labelKeys.repository]: "rollcall.fleet" };
  const gold = { labels: { token: { tier: "gold" } } };

  it.each<{ reason: string; spec: Cluster["spec"] }>([
    {
      reason: "the protocol and the ID of an agent of another project",
      spec: { protocol: "fleet", clientID: "uid-1" },
    },
    { reason: "the protocol of an agent without an ID", spec: { protocol: "kubefleet" } },
    { reason: "nothing of an agent of the own protocol", spec: {} },
  ])(
    "keeps the Repository of a cluster that was admitted without a file, and of its spec $reason",
    async ({ spec }) => {
      const world = await openMemberWorld();
      await world.addCluster("eu-1", { manager: "rollcall-hub", labels: repository, spec: { ...spec }, state: gold });
      const before = world.clusterOf("eu-1")?.["spec"];
      await applyLabels(world.scopeOf("eu-1"));
      expect(world.clusterOf("eu-1")?.metadata.labels).toEqual({ tier: "gold", ...repository });
      expect(world.clusterOf("eu-1")?.["spec"]).toEqual(before);
      expect(world.requests).toMatchObject([{ verb: "apply", name: "Cluster/eu-1", manager: "rollcall-hub" }]);
    },
  );

  it("takes neither the spec nor the Repository of a cluster of a file for its own", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { labels: repository, spec: { protocol: "fleet", clientID: "uid-1" }, state: gold });
    await applyLabels(world.scopeOf("eu-1"));
    const [{ object } = {}] = world.requests;
    expect(object).toEqual({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { namespace: "fleet", name: "eu-1", uid: expect.any(String) as string, labels: { tier: "gold" } },
    });
  });

  it("removes a label that is not remembered any more", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { labels: { a: "git" }, state: gold });
    await applyLabels(world.scopeOf("eu-1"));
    expect(world.clusterOf("eu-1")?.metadata.labels).toEqual({ a: "git", tier: "gold" });
    await world.put(memberStateObject("fleet", "eu-1", {}), "rollcall-hub");
    await applyLabels(world.scopeOf("eu-1"));
    expect(world.clusterOf("eu-1")?.metadata.labels).toEqual({ a: "git" });
  });
});
