import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { HeldDelete, Plan, WithheldRemoval } from "../../../src/model/plan.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { findCondition } from "../../../src/planning/conditions.ts";
import type { RunResult } from "../../../src/reconcile/repository-status.ts";
import {
  computeRepositoryStatus,
  describeWithheld,
  withheldObjects,
} from "../../../src/reconcile/repository-status.ts";
import { creation, outcome, planOfNothing, repository } from "./phase-builders.ts";

const commit = "c".repeat(40);
const plan: Plan = { ...planOfNothing, commit };
const refused = new AppError("E_KUBE_FORBIDDEN", "no right");
const verifying: Repository["spec"] = { ...repository.spec, verify: { keysSecretRef: { name: "signers" } } };

function withheld(name: string, because: WithheldRemoval["because"], file?: string): WithheldRemoval {
  return { kind: "leave", cluster: `fleet/${name}`, reason: "gone", because, ...(file === undefined ? {} : { file }) };
}

function held(name: string, because: HeldDelete["because"], file?: string): HeldDelete {
  const ref = { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name };
  return { ref, because, reason: "gone", ...(file === undefined ? {} : { file }) };
}

function problem(file: string, severity: Problem["severity"]): Problem {
  return { code: "E_YAML", severity, file, line: 3, column: 5, message: "no map" };
}

function statusOf(result: Partial<RunResult>, changed: Partial<Repository> = {}) {
  return computeRepositoryStatus({ ...repository, ...changed }, { outcomes: [], ...result }, 0);
}

describe("the condition WriteBackReady", () => {
  it.each<{ reason: string; result: Partial<RunResult>; expected: object }>([
    {
      reason: "nothing else",
      result: {},
      expected: { status: "True", reason: "Written", message: "What is seen is written back." },
    },
    {
      reason: "old commits that cannot be squashed",
      result: { historyKept: "E_GIT_PUSH_DENIED: no; allow it" },
      expected: {
        status: "True",
        reason: "HistoryKept",
        message: "What is seen is written back; old commits stay: E_GIT_PUSH_DENIED: no; allow it.",
      },
    },
    {
      reason: "a push that failed",
      result: { historyKept: "no", writeBackError: new AppError("E_GIT_PUSH_DENIED", "no right") },
      expected: { status: "False", reason: "PushFailed", message: "E_GIT_PUSH_DENIED: no right" },
    },
    {
      reason: "a branch that another hub writes",
      result: { writeBackError: new AppError("E_OWNED_ELSEWHERE", "write status", { remedy: "Ask hub-2" }) },
      expected: { status: "False", reason: "BranchOfOtherHub", message: "E_OWNED_ELSEWHERE: write status. Ask hub-2" },
    },
  ])("with $reason", ({ result, expected }) => {
    expect(findCondition(statusOf(result).conditions, "WriteBackReady")).toMatchObject(expected);
  });
});

describe("the condition Applied", () => {
  const of = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => outcome(`${name}-${index + 1}`, refused));

  it.each<{ reason: string; result: Partial<RunResult>; expected: readonly [string, string, string] }>([
    { reason: "no commit", result: {}, expected: ["Unknown", "NoCommit", "No commit was read yet."] },
    {
      reason: "everything written",
      result: { plan, outcomes: [outcome("eu-1")] },
      expected: ["True", "Applied", "Commit cccccccccccc is on the hub."],
    },
    {
      reason: "one write that failed",
      result: { plan, outcomes: [outcome("eu-1"), ...of("us", 1)] },
      expected: ["False", "WritesFailed", "Cluster/fleet/us-1: E_KUBE_FORBIDDEN: no right"],
    },
    {
      reason: "three writes that failed",
      result: { plan: { ...plan, problems: [problem("a.yaml", "error")] }, outcomes: of("us", 3) },
      expected: ["False", "WritesFailed", "Cluster/fleet/us-1: E_KUBE_FORBIDDEN: no right (and 2 more)"],
    },
    {
      reason: "one file with an error",
      result: { plan: { ...plan, problems: [problem("w.yaml", "warning"), problem("a.yaml", "error")] } },
      expected: ["False", "ProblemsInFiles", "a.yaml:3:5 E_YAML no map"],
    },
    {
      reason: "three files with errors",
      result: {
        plan: {
          ...plan,
          problems: ["a", "b", "c", "d"].map((name) => problem(name, name === "b" ? "warning" : "error")),
        },
      },
      expected: ["False", "ProblemsInFiles", "a:3:5 E_YAML no map (and 2 more)"],
    },
    {
      reason: "a warning",
      result: { plan: { ...plan, problems: [problem("w.yaml", "warning")] } },
      expected: ["True", "Applied", "Commit cccccccccccc is on the hub."],
    },
    {
      reason: "a token that stays",
      result: { plan: { ...plan, heldDeletes: [held("t", "not-synced")] } },
      expected: [
        "False",
        "RemovalsWithheld",
        "1 removal withheld, the hub could not be listed whole (ClusterRegistrationToken/fleet/t).",
      ],
    },
  ])("with $reason", ({ result, expected }) => {
    const { status, reason, message } = findCondition(statusOf(result).conditions, "Applied") ?? {};
    expect([status, reason, message]).toEqual(expected);
  });
});

describe("the conditions of a run", () => {
  const fight = { object: "Cluster/fleet/eu-1", path: "spec.x", managers: ["kubectl"], reverts: 3 };
  const fights = [{ ...fight, valueDigest: "", lastRevertMs: 0 }];
  const waits = { ...plan, withheld: [withheld("eu-1", "protected")] };
  const reasons = (result: Partial<RunResult>, spec = repository.spec): readonly string[] =>
    (statusOf(result, { spec }).conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`);

  it.each<{ what: string; result: Partial<RunResult>; spec?: Repository["spec"]; expected: readonly string[] }>([
    {
      what: "that applied everything",
      result: { plan },
      expected: ["Ready True Ready", "SourceReady True SourceRead", "Applied True Applied"],
    },
    {
      what: "that could not read",
      result: { plan, sourceError: refused },
      expected: ["Ready False SourceFailed", "SourceReady False SourceFailed", "Applied True Applied"],
    },
    {
      what: "of a verified commit",
      result: { plan },
      spec: verifying,
      expected: ["Ready True Ready", "SourceReady True SourceRead", "Verified True Verified", "Applied True Applied"],
    },
    {
      what: "of a commit that nobody vouches for",
      result: { plan, unverified: new AppError("E_UNVERIFIED", "apply") },
      spec: verifying,
      expected: [
        "Ready False UnverifiedCommit",
        "SourceReady True SourceRead",
        "Verified False UnverifiedCommit",
        "Applied True Applied",
      ],
    },
    {
      what: "with a removal that waits",
      result: { plan: waits },
      expected: [
        ...["Ready False RemovalsWithheld", "SourceReady True SourceRead", "Applied False RemovalsWithheld"],
        "Stalled True RemovalsWithheld",
      ],
    },
    {
      what: "whose writes another program changes back",
      result: { plan, fights },
      expected: [
        ...["Ready False FieldFight", "SourceReady True SourceRead", "Applied False FieldFight"],
        "Stalled True FieldFight",
      ],
    },
    {
      what: "whose writes another program changes back, while a removal waits",
      result: { plan: waits, fights },
      expected: [
        ...["Ready False RemovalsWithheld", "SourceReady True SourceRead", "Applied False RemovalsWithheld"],
        "Stalled True RemovalsWithheld",
      ],
    },
    {
      what: "whose writes another program changes back, and one failed",
      result: { plan, fights, outcomes: [outcome("eu-1", refused)] },
      expected: [
        ...["Ready False WritesFailed", "SourceReady True SourceRead", "Applied False WritesFailed"],
        "Stalled True FieldFight",
      ],
    },
  ])("$what", ({ result, spec, expected }) => {
    expect(reasons(result, spec)).toEqual(
      [
        ...expected.slice(0, expected.findIndex((each) => each.startsWith("Applied")) + 1),
        "WriteBackReady True Written",
      ].concat(expected.filter((each) => each.startsWith("Stalled"))),
    );
  });

  it("name the generation that they are about, as far as there is one", () => {
    const metadata = { ...repository.metadata, generation: 7 };
    const of = (changed: Partial<Repository>) => {
      const { observedGeneration, conditions } = statusOf({ plan }, changed);
      return [observedGeneration, ...new Set(conditions?.map((each) => each.observedGeneration))];
    };
    expect([of({ metadata }), of({})]).toEqual([
      [7, 7],
      [undefined, undefined],
    ]);
  });
});

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

describe("what waits of a commit", () => {
  it("is named file by file with the strongest reason, in natural order", () => {
    const source = { file: "c10.yaml", line: 1, column: 1 };
    const written = { ...creation("eu-1"), source };
    const result = {
      plan: {
        ...plan,
        withheld: [withheld("eu-2", "budget", "c9.yaml"), withheld("eu-3", "budget")],
        heldDeletes: [held("t", "budget", "t.yaml"), held("u", "budget")],
        problems: [problem("c9.yaml", "error"), problem("w.yaml", "warning")],
      },
      outcomes: [
        { change: written, error: refused },
        { change: creation("eu-4"), error: refused },
      ],
    };
    expect(statusOf(result as Partial<RunResult>).waiting).toEqual({
      count: 3,
      first: [
        { file: "c9.yaml", reason: "Errors", since: commit },
        { file: "c10.yaml", reason: "WriteFailed", since: commit },
        { file: "t.yaml", reason: "Withheld", since: commit },
      ],
    });
  });

  it("is not there when nothing waits, whatever was remembered", () => {
    const status = { waiting: { count: 1, first: [{ file: "a", reason: "Errors" as const }] } };
    expect(statusOf({ plan }, { status })).not.toHaveProperty("waiting");
  });
});

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
