import { describe, expect, it } from "vitest";
import type { Plan } from "../../../src/model/plan.ts";
import { describeWithheld, withheldObjects } from "../../../src/reconcile/withheld-removals.ts";
import { commit, held, statusOf, withheld, plan } from "./run-results.ts";

describe("removals that are withheld", () => {
  const budget = { wanted: 4, recent: 1, limit: 3, isExceeded: true };

  it("come with clusters first, those first that an approval lets through, each in natural order", () => {
    const clusters = [
      withheld("b", "protected"),
      withheld("c10", "budget"),
      withheld("c9", "budget"),
      withheld("a", "suspended"),
    ];
    expect(withheldObjects({ ...plan, withheld: clusters, heldDeletes: [held("t", "budget")] })).toEqual([
      ...["Cluster/fleet/c9", "Cluster/fleet/c10", "Cluster/fleet/a", "Cluster/fleet/b"],
      "ClusterRegistrationToken/fleet/t",
    ]);
  });

  it.each([0, 1])("have the reason of the object that is named, in whatever order the hub lists them (%i)", (from) => {
    const clusters = [withheld("a", "suspended"), withheld("b", "held-by-bad-file")];
    const tokens = [held("t", "budget"), held("s", "empty-tree")];
    const turn = <T>(items: readonly T[]): T[] => [...items.slice(from), ...items.slice(0, from)];
    const ofClusters = { ...plan, withheld: turn(clusters), heldDeletes: turn(tokens) };
    expect(statusOf({ plan: ofClusters }).withheld).toMatchObject({
      reason: "suspended",
      objects: [
        "Cluster/fleet/a",
        "Cluster/fleet/b",
        ...["s", "t"].map((name) => `ClusterRegistrationToken/fleet/${name}`),
      ],
    });
    expect(describeWithheld(ofClusters)).toContain(
      "the cluster is suspended: it leaves after rollcall resume (Cluster/fleet/a)",
    );
    expect(statusOf({ plan: { ...plan, heldDeletes: turn(tokens) } }).withheld).toMatchObject({ reason: "empty-tree" });
  });

  it.each<[string, Partial<Plan>, object]>([
    [
      "of clusters",
      { withheld: [withheld("a", "budget")] },
      { count: 1, reason: "budget", objects: ["Cluster/fleet/a"] },
    ],
    [
      "of tokens alone",
      { heldDeletes: [held("t", "not-synced")] },
      { count: 1, reason: "not-synced", objects: ["ClusterRegistrationToken/fleet/t"] },
    ],
    [
      "of both",
      { withheld: [withheld("a", "empty-tree")], heldDeletes: [held("t", "not-synced")] },
      { count: 2, reason: "empty-tree" },
    ],
  ])("are recorded with their count and reason: those %s", (_what, more, expected) => {
    expect(statusOf({ plan: { ...plan, ...more } }).withheld).toMatchObject({ ...expected, commit, allowed: 3 });
  });

  it.each([
    { limit: 3, recent: 1, allowed: 2 },
    { limit: 3, recent: 5, allowed: 0 },
  ])("name how many are allowed: of $limit with $recent recent ones, $allowed", ({ limit, recent, allowed }) => {
    const counted = { ...budget, limit, recent };
    expect(
      statusOf({ plan: { ...plan, withheld: [withheld("a", "budget")], budget: counted } }).withheld?.allowed,
    ).toBe(allowed);
  });

  it.each([
    { more: {}, expected: {} },
    { more: { approvable: 4 }, expected: { approvable: 4 } },
    { more: { approvable: 4, needsDocument: true }, expected: {} },
  ])("name what an approval may count: $more", ({ more, expected }) => {
    const { withheld: record } = statusOf({
      plan: { ...plan, withheld: [withheld("a", "budget")], budget: { ...budget, ...more } },
    });
    expect(record && "approvable" in record ? { approvable: record.approvable } : {}).toEqual(expected);
  });

  it.each<[string, Partial<Plan>, string]>([
    [
      "more than the budget",
      { budget: { ...budget, recent: 0 }, withheld: ["a", "b", "c", "d"].map((name) => withheld(name, "budget")) },
      "4 removals are more than the deletion budget of 3: none of them happens.",
    ],
    [
      "one that is too many with those before",
      { budget: { ...budget, wanted: 1, recent: 3 }, withheld: [withheld("a", "budget")] },
      "1 removal and 3 of the last 24 hours are more than the deletion budget of 3: none of them happens.",
    ],
    [
      "one with a budget of none",
      { budget: { ...budget, wanted: 1, recent: 0, limit: 0 }, withheld: [withheld("a", "budget")] },
      "1 removal is more than the deletion budget of 0: none of them happens.",
    ],
    [
      "one more for another reason",
      {
        budget: { ...budget, wanted: 1, recent: 0, limit: 0 },
        withheld: [withheld("a", "budget")],
        heldDeletes: [held("t", "protected")],
      },
      "1 removal is more than the deletion budget of 0: none of them happens. 1 other waits for another reason.",
    ],
    [
      "two more for another reason, and what approves the rest",
      {
        budget: { ...budget, wanted: 1, recent: 0, limit: 0, approvable: 1, trailer: "Approve: 1" },
        withheld: [withheld("a", "budget"), withheld("b", "suspended")],
        heldDeletes: [held("t", "protected")],
      },
      "1 removal is more than the deletion budget of 0: none of them happens. 2 others wait for another reason.",
    ],
    [
      "two for a reason of their own",
      { withheld: [withheld("a", "empty-tree")], heldDeletes: [held("t", "protected")] },
      "2 removals withheld, the commit has no readable document of a fleet, and without one nothing is removed (Cluster/fleet/a).",
    ],
  ])("are described in a sentence: %s", (_what, more, expected) => {
    const described = describeWithheld({ ...plan, ...more });
    expect(described.slice(0, expected.length)).toBe(expected);
    expect(described.includes("Approve: 1")).toBe(more.budget?.trailer !== undefined);
  });
});
