import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { findCondition } from "../../../src/planning/conditions.ts";
import type { RunResult } from "../../../src/reconcile/run-result.ts";
import { outcome, repository } from "./phase-builders.ts";
import { held, plan, problem, refused, statusOf, verifying, withheld } from "./run-results.ts";

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
      reason: "a file of a proposal that would not be read",
      result: { writeBackError: new AppError("E_PROPOSAL_UNREAD", "propose a.txt", { remedy: "Set another path" }) },
      expected: {
        status: "False",
        reason: "ProposalUnread",
        message: "E_PROPOSAL_UNREAD: propose a.txt. Set another path",
      },
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
