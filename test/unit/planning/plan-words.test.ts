import { describe, expect, it } from "vitest";
import type { AgentRoll, ObjectChange, PlanReport, WithheldChange } from "../../../src/model/generated/plan-report.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import {
  agentsByWave,
  boundWaves,
  countByKind,
  countOfKind,
  explainAgents,
  explainApproval,
  explainBudget,
  explainHold,
  explainRemoval,
  foldChanges,
  hasChanges,
  joinWords,
  listNames,
  nameOfChange,
  nameWithPredecessor,
  summarizePlan,
} from "../../../src/planning/plan-words.ts";

function change(name: string, rest: Partial<ObjectChange> = {}): ObjectChange {
  return {
    action: "Update",
    kind: "Cluster",
    namespace: "fleet",
    name,
    fields: [],
    effects: [],
    ...rest,
  };
}

function report(rest: object): PlanReport {
  return { changes: [], withheld: [], counts: { errors: 0 }, ...rest } as unknown as PlanReport;
}

const held = { action: "Leave" } as WithheldChange;

describe("counts and lists in words", () => {
  it.each([
    ["Cluster", 1, "1 cluster"],
    ["ClusterRegistrationToken", 2, "2 tokens"],
    ["ClusterGroup", 2, "2 groups"],
    ["Repository", 2, "2 Repositories"],
    ["Secret", 1, "1 Secret"],
    ["toString", 1, "1 toString"],
  ])("%s %s times: %s", (kind, count, words) => {
    expect(countOfKind(kind, count)).toBe(words);
  });

  it.each([
    [[], ""],
    [["a"], "a"],
    [["a", "b"], "a and b"],
    [["a", "b", "c"], "a, b and c"],
  ])("%j: %s", (words, text) => {
    expect(joinWords(words)).toBe(text);
  });

  it("count changes by kind", () => {
    expect(countByKind([change("a"), change("t", { kind: "ClusterRegistrationToken" }), change("b")])).toBe(
      "2 clusters and 1 token",
    );
  });
});

describe("the sentence of a plan", () => {
  const [leave, remove] = [change("a", { action: "Leave" }), change("b", { action: "Delete", kind: "Secret" })];
  const [create, update] = [change("c", { action: "Create" }), change("d")];
  const move = change("e", { action: "Move" });

  it.each([
    [{}, "nothing changes"],
    [
      { changes: [update, create, move, remove, leave] },
      "removes 1 Secret and 1 cluster; moves 1 cluster; creates 1 cluster; changes 1 cluster",
    ],
    [{ withheld: [held, held] }, "withholds 2 removals"],
    [{ changes: [create], counts: { errors: 1 } }, "creates 1 cluster; 1 error in files"],
  ])("of %j is: %s", (rest, words) => {
    expect(summarizePlan(report(rest))).toBe(words);
  });

  it.each([
    [{}, false],
    [{ changes: [create] }, true],
    [{ withheld: [held] }, true],
  ])("has changes in %j: %s", (rest, is) => {
    expect(hasChanges(report(rest))).toBe(is);
  });
});

describe("foldChanges", () => {
  const label = { path: "metadata.labels[env]", from: '"dev"', to: '"prod"' };
  const bookkeeping = [
    { path: `metadata.labels[${labelKeys.repository}]`, to: '"x"' },
    { path: `metadata.annotations[${annotationKeys.labelRules}]`, to: '"y"' },
  ];

  it("brings together what is the same for several objects, without what follows from it", () => {
    const folds = foldChanges([
      change("a", { fields: [label, ...bookkeeping], effects: ["x"] }),
      change("b", { fields: [label], effects: ["x"] }),
      change("c", { fields: [label], effects: ["y"] }),
      change("d", { fields: [{ ...label, to: '"other"' }], effects: ["x"] }),
    ]);
    expect(folds.map(({ changes, effects, fields }) => [changes.map(({ name }) => name), effects, fields])).toEqual([
      [["a", "b"], ["x"], [label]],
      [["c"], ["y"], [label]],
      [["d"], ["x"], [{ ...label, to: '"other"' }]],
    ]);
  });

  it.each([
    { own: "a", shown: '"<name>"' },
    { own: "fleet/a", shown: '"<namespace>/<name>"' },
  ])("A193 shows the own name $own in a field of several objects as $shown", ({ own, shown }) => {
    const named = (name: string, from = '"x"') => ({
      path: "spec.agent.image",
      from,
      to: JSON.stringify(own.replace("a", name)),
    });
    const folds = foldChanges([
      change("a", { fields: [named("a"), label] }),
      change("b", { fields: [named("b"), label] }),
      change("c", { fields: [named("c", '"y"'), label] }),
      change("d", { fields: [named("other"), label] }),
    ]);
    expect(folds.map(({ changes, fields }) => [changes.length, fields])).toEqual([
      [2, [{ ...named("a"), to: shown }, label]],
      [1, [named("c", '"y"'), label]],
      [1, [named("other"), label]],
    ]);
  });

  it.each([{ kind: "ClusterGroup" }, { action: "Create" as const }])("keeps %j apart", (rest) => {
    expect(foldChanges([change("a"), change("b", rest)])).toHaveLength(2);
  });
});

describe("the waves of agents", () => {
  const roll = (cluster: string, wave?: number): AgentRoll => ({
    cluster,
    reasons: [],
    ...(wave === undefined ? {} : { wave }),
  });

  it("come in their order, those without one last", () => {
    const waves = agentsByWave([roll("d"), roll("c", 2), roll("a", 1), roll("b", 1)]);
    expect([...waves].map(([wave, agents]) => [wave, agents.map(({ cluster }) => cluster)])).toEqual([
      [1, ["a", "b"]],
      [2, ["c"]],
      [undefined, ["d"]],
    ]);
  });

  it.each([
    [[roll("a", 1)], "1 agent is rolled out anew"],
    [[roll("a", 1), roll("b", 1), roll("c", 2)], "3 agents are rolled out anew, 2 at the same time"],
    [[roll("a"), roll("b")], "2 agents are rolled out anew"],
    [[roll("a", 2), roll("b", 3)], "2 agents are rolled out anew"],
  ])("in a sentence: %j", (agents, words) => {
    expect(explainAgents(agents)).toBe(words);
  });

  it.each([
    [
      ["1", "2", "3"],
      ["1", "2", "3"],
    ],
    [
      ["1", "2", "3", "4"],
      ["1", "2", "  and 1 more wave", "4"],
    ],
    [
      ["1", "2", "3", "4", "5"],
      ["1", "2", "  and 2 more waves", "5"],
    ],
  ])("at most three lines of %j", (lines, shown) => {
    expect(boundWaves(lines, 3)).toEqual(shown);
  });
});

describe("names and reasons", () => {
  it("have the namespace and the former name", () => {
    expect(nameOfChange({ namespace: "fleet", name: "a" })).toBe("fleet/a");
    expect(nameOfChange({ name: "a" })).toBe("a");
    expect(nameWithPredecessor({ namespace: "fleet", name: "a", former: "fleet/b" }, "->")).toBe("fleet/b -> fleet/a");
    expect(nameWithPredecessor({ namespace: "fleet", name: "a" }, "→")).toBe("fleet/a");
  });

  it("of reasons that are unknown are shown as they are", () => {
    expect([explainHold("protected"), explainHold("constructor")]).toEqual([
      "deletionProtection is set on the hub: an applied commit must take it away first",
      "constructor",
    ]);
    expect(["Leave", "valueOf"].map((action) => explainRemoval({ action } as WithheldChange))).toEqual([
      "would leave the fleet",
      "valueOf",
    ]);
  });
});

describe("what a person can do about withheld removals", () => {
  const budget = { wanted: 4, recent: 0, limit: 2, isExceeded: true };
  const line = "If they are meant, put this line into the message of a commit";
  const command = "or run `rollcall approve-deletions";
  it.each([
    [{ budget }, {}, `${line}, ${command} <commit> 4\``],
    [{ budget: { ...budget, approvable: 3 }, commit: "c".repeat(40) }, {}, `${line}, ${command} cccccccccccc 3\``],
    [{ budget }, { isCommandNamed: false }, line],
    [{ budget }, { isPlanned: true }, `${line}, ${command} <commit> 4\` after the daemon has read this commit`],
    [{ budget: { ...budget, needsSignature: true } }, { isCommandNamed: false }, `${line} that a listed key signs`],
    [
      { budget: { ...budget, needsDocument: true } },
      {},
      "If they are meant, keep one file of the fleet, such as a Policy, and put this line into the message of that commit",
    ],
  ])("of %j with %j: %s", (of, options, words) => {
    expect(explainApproval(of as Parameters<typeof explainApproval>[0], options)).toBe(words);
  });
});

describe("the deletion budget in a sentence", () => {
  const none = "none of them happens, everything else does";
  const onBase = [{ because: "budget" }, { because: "protected" }];
  it.each([
    [{ wanted: 0, recent: 3 }, undefined, undefined],
    [{ wanted: 1 }, undefined, "1 removal: within the deletion budget of 2"],
    [{ wanted: 2 }, onBase, "2 removals (1 of them on the base already): within the deletion budget of 2"],
    [{ wanted: 1 }, onBase, "1 removal (1 of it on the base already): within the deletion budget of 2"],
    [{ wanted: 1 }, [{ because: "protected" }], "1 removal: within the deletion budget of 2"],
    [{ wanted: 1, recent: 1 }, undefined, "1 removal and 1 of the last 24 hours: within the deletion budget of 2"],
    [{ wanted: 3, approved: 3 }, undefined, "3 removals: over the deletion budget of 2, but approved for 3"],
    [{ wanted: 3 }, undefined, "3 removals: over the deletion budget of 2, but approved for 0"],
    [
      { wanted: 1, recent: 2, isExceeded: true },
      undefined,
      `1 removal and 2 of the last 24 hours are more than the deletion budget of 2: ${none}`,
    ],
    [
      { wanted: 3, approved: 1, isExceeded: true },
      undefined,
      `3 removals are more than the deletion budget of 2 (1 approved, which is not enough): ${none}`,
    ],
    [{ wanted: 1, limit: 0, isExceeded: true }, undefined, `1 removal is more than the deletion budget of 0: ${none}`],
  ])("of %j with %j on the base: %s", (budget, waitingOnBase, words) => {
    const whole = {
      budget: { recent: 0, limit: 2, isExceeded: false, ...budget },
      ...(waitingOnBase ? { waitingOnBase } : {}),
    };
    expect(explainBudget(report(whole))).toBe(words);
  });
});

describe("listNames", () => {
  it("A200 has a bound, however many there are", () => {
    const names = Array.from({ length: 3000 }, (_value, index) => `n-${index}`);
    expect(listNames(names)).toBe(`${names.slice(0, 20).join(", ")} and 2980 more`);
    expect(listNames(["a", "b"])).toBe("a, b");
  });
});
