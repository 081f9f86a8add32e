import { describe, expect, it } from "vitest";
import { renderPlan } from "../../../../src/cli/render/render-plan.ts";
import type { ObjectChange, PlanReport } from "../../../../src/model/generated/plan-report.ts";

const [base, commit] = ["1".repeat(40), "2".repeat(40)];

function planOf(change: Partial<PlanReport>): PlanReport {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "PlanReport",
    metadata: { name: "fleet" },
    basis: { source: "Records" },
    counts: { remove: 0, create: 0, update: 0, withheld: 0, errors: 0, warnings: 0 },
    changes: [],
    withheld: [],
    budget: { wanted: 0, recent: 0, limit: 1, isExceeded: false },
    selectors: [],
    agents: [],
    problems: [],
    notes: [],
    ...change,
  };
}

const waiting = {
  ...({ action: "Leave", kind: "Cluster", namespace: "fleet" } as const),
  ...{ name: "x", because: "budget", reason: "no file has it" },
};
const textOf = (change: Partial<PlanReport>): string => renderPlan(planOf(change), { isColour: false });
const changeOf = (action: ObjectChange["action"], name: string, change: Partial<ObjectChange> = {}): ObjectChange => ({
  ...{ action, kind: "Cluster", namespace: "fleet", name, effects: [], fields: [] },
  ...change,
});

function created(kind: string, name: string, effect: string): ObjectChange {
  const fields = [{ path: "spec.own", to: JSON.stringify(`${name}-own`) }];
  return changeOf("Create", name, { kind, effects: [effect], fields });
}

it("A204 shows what a new token admits, among however many new clusters", () => {
  const clusters = Array.from({ length: 11 }, (_value, index) => created("Cluster", `c-${index}`, "joins at once"));
  const token = created("ClusterRegistrationToken", "edge", "any number of clusters may join");
  const text = textOf({ changes: [...clusters, token] });
  expect(text).toContain("any number of clusters may join");
  expect(text).toContain('spec.own: "edge-own"');
  expect(text).not.toContain("joins at once");
  expect(textOf({ changes: clusters.slice(1) })).toContain("joins at once");
});

it("shows removals first, then what waits, what is made and what changes", () => {
  const update = changeOf("Update", "c", {
    file: "c.yaml",
    fields: [
      { path: "spec.a", from: "1", to: "2" },
      { path: "spec.b", from: "1" },
      { path: "spec.c", to: "2", isHidden: true },
      { path: "spec.d", from: "1", to: "1" },
      { path: "spec.e" },
    ],
  });
  const text = textOf({
    ...{ base, commit, basis: { source: "Hub" }, notes: ["one\u001b", "two"] },
    changes: [
      changeOf("Create", "new", {
        file: "new.yaml",
        line: 3,
        fields: [{ path: "spec.a", to: "1" }],
        effects: ["joins"],
      }),
      update,
      changeOf("Move", "b", { former: "other/b" }),
      changeOf("Leave", "a", { reason: "no file has it", effects: ["its agent is removed"] }),
      changeOf("Delete", "t", { kind: "ClusterRegistrationToken" }),
    ],
    withheld: [{ ...waiting, name: "w" }],
    waitingOnBase: [waiting],
    budget: { wanted: 2, recent: 0, limit: 1, isExceeded: true, trailer: "Rollcall-Allow-Deletions: 2" },
    selectors: [
      { kind: "ClusterGroup", namespace: "fleet", name: "g", before: 1, after: 2, gains: ["a", "b"], loses: ["c"] },
      { kind: "ClusterGroup", namespace: "fleet", name: "h", before: 1, after: 1, gains: [], loses: [] },
    ],
    agents: [
      { cluster: "fleet/a", from: "1", to: "2", wave: 1, reasons: [] },
      { cluster: "fleet/b", to: "2", wave: 2, reasons: [] },
      { cluster: "fleet/c", from: "1", wave: 2, reasons: [] },
      { cluster: "fleet/d", from: "2", to: "2", reasons: [] },
    ],
    problems: [{ file: "p.yaml", line: 1, column: 2, code: "E_X", severity: "error", message: "m", fix: "f" }],
  });
  expect(text.split("\n")).toEqual([
    "note: one\\u{1b}",
    "note: two",
    "",
    "!!!  REMOVES 1 cluster and 1 token  !!!",
    "  - Cluster fleet/a: no file has it",
    "      its agent is removed",
    "  - ClusterRegistrationToken fleet/t: ",
    "",
    "WITHHELD 1: these will not happen",
    "  ! Cluster fleet/w would leave the fleet (no file has it): more removals than the deletion budget allows",
    "  Deletion budget: 2 removals (1 of them on the base already) are more than the deletion budget of 1: none of them happens, everything else does.",
    "  If they are meant, put this line into the message of a commit, or run `rollcall approve-deletions 222222222222 2` after the daemon has read this commit:",
    "    Rollcall-Allow-Deletions: 2",
    "",
    "Removals that wait on the base: 1",
    "  fleet/x",
    "",
    "Moves 1 cluster",
    "  → Cluster other/b -> fleet/b",
    "",
    "Creates 1 cluster",
    "  + Cluster fleet/new  (new.yaml:3)",
    "      joins",
    "      spec.a: 1",
    "",
    "Changes 1 cluster",
    "  ~ Cluster fleet/c  (c.yaml:1)",
    "      spec.a: 1 -> 2",
    "      spec.b: 1 -> unset",
    "      spec.c: unset -> 2 (and a secret)",
    "      spec.d: 1 (reverted: another writer changed it)",
    "      spec.e: changes (secret)",
    "",
    "Groups and rules that select other clusters",
    "  ClusterGroup fleet/g: 1 -> 2 clusters",
    "      gains 2: a, b",
    "      loses 1: c",
    "  ClusterGroup fleet/h: 1 -> 1 cluster",
    "",
    "4 agents are rolled out anew, 1 at the same time",
    "  wave 1: fleet/a (1 -> 2)",
    "  wave 2: fleet/b (unset -> 2), fleet/c (1 -> unset)",
    "  fleet/d",
    "",
    "p.yaml:1:2 E_X m",
    "    fix: f",
    "",
    "Plan (111111111111 to 222222222222, against the hub): removes 1 cluster and 1 token; moves 1 cluster; creates 1 cluster; changes 1 cluster; withholds 1 removal.",
    "",
  ]);
});

describe("a plan of nothing", () => {
  it.each([
    [{}, "no commit yet to the work tree, by files alone"],
    [{ base }, "111111111111 to the work tree, by files alone"],
    [{ commit }, "no commit yet to 222222222222, by files alone"],
    [
      { basis: { source: "Records", time: "10:00" } },
      "no commit yet to the work tree, against the status branch of 10:00",
    ],
    [{ basis: { source: "Hub", time: "10:00" } }, "no commit yet to the work tree, against the hub"],
  ] as const)("of %j is one line: %s", (change, range) => {
    expect(textOf(change)).toBe(`Plan (${range}): nothing changes.\n`);
  });
});

it.each<[string, Partial<PlanReport>, string | undefined]>([
  ["is within it", {}, "Deletion budget: 1 removal: within the deletion budget of 1."],
  ["waits on the base", { waitingOnBase: [waiting] }, "Removals that wait on the base: 1\n  fleet/x"],
])("shows the deletion budget where no removal is withheld, and what is removed %s", (_what, change, line) => {
  const budget = { wanted: 1, recent: 0, limit: 1, isExceeded: false };
  expect(
    textOf({ budget, ...change })
      .split("\n\n")
      .at(-2),
  ).toBe(line);
});

it("bounds each part but that of removals, and counts what is left out", () => {
  const count = (text: string, part: string): number => text.split(part).length - 1;
  const names = (length: number): string[] => Array.from({ length }, (_, index) => `c-${index}`);
  const creates = (length: number) => textOf({ changes: names(length).map((name) => created("Cluster", name, name)) });
  expect([count(creates(100), "  + "), count(creates(101), "  + ")]).toEqual([100, 100]);
  expect([creates(100).includes("json has all"), creates(103).includes("  and 3 more; --output json has all")]).toEqual(
    [...[false, true]],
  );
  const selects = (length: number) =>
    textOf({
      selectors: names(length).map((name) => ({
        kind: "ClusterGroup",
        name,
        before: 1,
        after: 2,
        gains: [],
        loses: [],
      })),
    });
  expect([count(selects(100), "1 -> 2"), count(selects(101), "1 -> 2")]).toEqual([100, 100]);
  expect([selects(100).includes("json has all"), selects(103).includes("  and 3 more; --output json has all")]).toEqual(
    [...[false, true]],
  );
  const labels = (length: number) =>
    textOf({
      changes: [
        changeOf("Update", "a", { fields: names(length).map((name) => ({ path: `labels[${name}]`, to: "1" })) }),
      ],
    });
  expect([count(labels(12), "labels["), count(labels(14), "labels[")]).toEqual([12, 12]);
  expect([labels(12).includes("more field"), labels(14).includes("      and 2 more fields\n")]).toEqual([false, true]);
  expect(count(textOf({ changes: names(150).map((name) => changeOf("Leave", name)) }), "  - ")).toBe(150);
});

it("folds equal changes of several clusters, without a place", () => {
  const fields = [{ path: "spec.a", from: "1", to: "2" }];
  const changes = ["a", "b"].map((name) => changeOf("Update", name, { file: `${name}.yaml`, fields }));
  expect(textOf({ changes })).toContain("  ~ 2 clusters: fleet/a, fleet/b\n      spec.a: 1 -> 2\n");
});

it.each(["Leave", "Delete", "Move", "Update"] as const)("paints a plan that has %s: red where it removes", (action) => {
  const text = renderPlan(planOf({ changes: [changeOf(action, "a", { former: "b" })] }), { isColour: true });
  const isRed = text.split("\n").at(-2)?.startsWith("\u001b[31m") === true;
  expect(isRed).toBe(action === "Leave" || action === "Delete");
});
