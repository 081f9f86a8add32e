import { describe, expect, it } from "vitest";
import type { Plan } from "../../../src/model/plan.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { repositoryLabelOf } from "../../../src/model/repository-label.ts";
import type { IndexInputs } from "../../../src/review/base-index.ts";
import { asBaseIndex, baseIndexKey, indexBase } from "../../../src/review/base-index.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { creation } from "../reconcile/phase-builders.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";
import { createMemoryHub } from "../reconcile/removals/memory-hub.ts";

const repository = (name: string, paths?: string[]) => ({
  apiVersion: "rollcall.dev/v1alpha1" as const,
  kind: "Repository" as const,
  metadata: { name, namespace: "system" },
  spec: { url: "", ...(paths ? { paths } : {}) },
});

describe("baseIndexKey", () => {
  it("is another one for another tree, another Repository and other settings of it", () => {
    const keys = [
      baseIndexKey("a", repository("fleet")),
      baseIndexKey("b", repository("fleet")),
      baseIndexKey("a", repository("other")),
      baseIndexKey("a", repository("fleet", ["clusters"])),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(baseIndexKey("a", repository("fleet"))).toBe(keys[0]);
  });
});

describe("asBaseIndex", () => {
  const whole = { size: {}, fleet: {}, selected: {}, problems: [], entangled: [], clusterCount: 1, ownedCount: 1 };

  it("takes what has every part", () => {
    expect(asBaseIndex(whole)).toBe(whole);
  });

  it.each([undefined, null, "text", [], {}, { ...whole, selected: [] }, { ...whole, entangled: {} }])(
    "refuses %j",
    (value) => {
      expect(asBaseIndex(value)).toBeUndefined();
    },
  );

  it("refuses counts that are no numbers", () => {
    expect(asBaseIndex({ ...whole, clusterCount: "1" })).toBeUndefined();
    expect(asBaseIndex({ ...whole, ownedCount: null })).toBeUndefined();
    expect(asBaseIndex({ ...whole, selectionRoom: null })).toBeUndefined();
  });
});

describe("indexBase", () => {
  const clusterText = (name: string, spec: string): string =>
    `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\nspec: ${spec}\n`;

  /** The index of these clusters, on a hub that has them. */
  async function indexOf(specs: Readonly<Record<string, string>>, change: (inputs: IndexInputs) => IndexInputs) {
    const git = createMemoryGit();
    const entries = Object.entries(specs).map(([name, spec]) => [`${name}.yaml`, clusterText(name, spec)] as const);
    const head = git.commit(Object.fromEntries(entries), "First\n");
    const observed = createMemoryHub().openView();
    const planner = createRepositoryPlanner({
      ...{ git, source: sourceOptions(() => undefined), checkFleet: fleetChecker("system"), observed },
      ...{ rememberedLabels: () => undefined, nowMs: () => 0 },
    });
    const ofFleet = repository("fleet");
    const snapshot = await planner.read(ofFleet, head);
    const { plan, fleet } = await planner.plan(ofFleet, snapshot);
    const planned = { fleet, plan: { ...plan, changes: [], problems: [] }, fileProblemCount: 0 };
    return indexBase(
      change({ repository: ofFleet, snapshot, planned, observed, repositoryLabel: repositoryLabelOf(ofFleet) }),
    );
  }

  const problem: Problem = { code: "E_SCHEMA", severity: "error", file: "a.yaml", line: 1, column: 1, message: "no" };
  const withPlan = (plan: Partial<Plan>) => (inputs: IndexInputs) => ({
    ...inputs,
    planned: {
      ...inputs.planned,
      plan: { ...inputs.planned.plan, ...plan },
      fileProblemCount: plan.problems?.length ?? 0,
    },
  });
  const foreign = { object: { apiVersion: "x.org/v1", kind: "Thing", metadata: { name: "x" } } };

  it.each<[string, boolean, (inputs: IndexInputs) => IndexInputs]>([
    ["that is on the hub", true, (inputs) => inputs],
    ["with a warning", true, withPlan({ problems: [{ ...problem, severity: "warning" }] })],
    ["with an error", false, withPlan({ problems: [problem] })],
    ["of which a change waits", false, withPlan({ changes: [creation("a")] })],
    [
      "whose size is not known",
      false,
      ({ snapshot: { size: _, ...snapshot }, ...inputs }) => ({ ...inputs, snapshot }),
    ],
    [
      "with objects of other projects",
      false,
      (inputs) => ({
        ...inputs,
        planned: { ...inputs.planned, fleet: { ...inputs.planned.fleet, foreignObjects: [foreign as never] } },
      }),
    ],
  ])("has a base %s: %j", async (_what, isIndexed, change) => {
    expect((await indexOf({ a: "{}" }, change)) !== undefined).toBe(isIndexed);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      "none, where each has its own",
      { a: "{kubeConfigSecretRef: {name: a}}", b: "{kubeConfigSecretRef: {name: b}}" },
      [],
    ],
    ["none, without Secrets", { a: "{}", b: "{}" }, []],
    [
      "those that share a Secret",
      { a: "{kubeConfigSecretRef: {name: x}}", b: "{}", c: "{kubeConfigSecretRef: {name: x}}" },
      ["fleet/a", "fleet/c"],
    ],
    ["one that takes the place of another, and that", { a: "{previousName: old}", b: "{}" }, ["fleet/a", "fleet/old"]],
    ["one that moves, and where it was", { a: "{previousName: eu/b}", b: "{}" }, ["eu/b", "fleet/a"]],
  ])("names the clusters that depend on others: %s", async (_what, specs, entangled) => {
    const found = (await indexOf(specs, (inputs) => inputs))?.entangled;
    expect([...(found ?? ["no index"])].sort()).toEqual(entangled);
  });
});
