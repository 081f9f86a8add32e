import { describe, expect, it } from "vitest";
import { emptyFleet } from "../../../src/model/declared-fleet.ts";
import type { Plan, WithheldRemoval } from "../../../src/model/plan.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { reportMerge } from "../../../src/reconcile/report-merge.ts";
import { planOfNothing, repository } from "./phase-builders.ts";

const observed = { isComplete: true, get: () => undefined, list: () => [], isWorkspace: () => true };

function problem(file: string, severity: Problem["severity"] = "error"): Problem {
  return { code: "E_SCHEMA", severity, file, line: 1, column: 1, message: "is wrong" };
}

interface Given {
  readonly plan?: Partial<Plan>;
  /** Problems of the main branch. */
  readonly before?: readonly Problem[];
  readonly conflicts?: readonly string[];
  readonly squashMessage?: string;
}

/** The report on a branch that changed `a.yaml` and `b.yaml`. */
function report({ plan = {}, before = [], conflicts = [], squashMessage }: Given) {
  const { markdown, statuses } = reportMerge({
    repository,
    problems: before,
    merge: {
      plan: { ...planOfNothing, ...plan },
      fleet: emptyFleet,
      changed: new Set(["a.yaml", "b.yaml"]),
      conflicts,
    } as never,
    observed,
    fleetBefore: emptyFleet,
    hubWork: { work: new Map(), notes: [] },
    ...(squashMessage === undefined ? {} : { squashMessage }),
  });
  const [validation, planned] = statuses;
  return { markdown, validation, planned };
}

const withheld: WithheldRemoval = {
  ...{ cluster: "fleet/a", kind: "Leave", because: "budget", reason: "its file is deleted" },
  ref: { type: resourceTypes.cluster, namespace: "fleet", name: "a" },
} as never;

describe("the statuses of a pull request", () => {
  it.each<[string, Given, string]>([
    ["without problems", {}, "success: No errors; plan success"],
    [
      "with an error of its own",
      { plan: { problems: [problem("a.yaml")] } },
      "failure: 1 error in files; plan failure",
    ],
    [
      "with errors and warnings of its own",
      { plan: { problems: [problem("a.yaml"), problem("b.yaml"), problem("a.yaml", "warning")] } },
      "failure: 2 errors, 1 warning in files; plan failure",
    ],
    [
      "with a warning",
      { plan: { problems: [problem("a.yaml", "warning")] } },
      "success: No errors, 1 warning; plan success",
    ],
    [
      "with an error that the main branch has already",
      { plan: { problems: [problem("c.yaml")] }, before: [problem("c.yaml")] },
      "success: No errors; plan success",
    ],
    ["with a removal that waits", { plan: { withheld: [withheld] } }, "success: No errors; plan pending"],
    [
      "with a removal that waits and an error",
      { plan: { withheld: [withheld], problems: [problem("a.yaml")] } },
      "failure: 1 error in files; plan failure",
    ],
  ])("%s", (_what, given, expected) => {
    const { validation, planned } = report(given);
    expect(`${validation?.state}: ${validation?.description}; plan ${planned?.state}`).toBe(expected);
    expect([validation?.context, planned?.context]).toEqual([
      "rollcall/rollcall.fleet/validation",
      "rollcall/rollcall.fleet",
    ]);
  });
});

describe("the comment on a pull request", () => {
  it.each<[string, Given, RegExp | undefined]>([
    ["no conflict", {}, undefined],
    ["one file in conflict", { conflicts: ["a.yaml"] }, /changed a(?:\.|&#46;)yaml since they parted/u],
    ["two files in conflict", { conflicts: ["a.yaml", "b.yaml"] }, /changed a\S*yaml and 1 more file since/u],
    ["three files in conflict", { conflicts: ["a.yaml", "b.yaml", "c"] }, /changed a\S*yaml and 2 more files since/u],
  ])("names %s", (_what, given, text) => {
    if (text) expect(report(given).markdown).toMatch(text);
    else expect(report(given).markdown).not.toMatch(/since they parted/u);
  });

  it.each([
    { older: 0, text: undefined },
    { older: 1, text: "1 of the errors below was there before this branch." },
    { older: 2, text: "2 of the errors below were there before this branch." },
  ])("states that $older errors are older than the branch", ({ older, text }) => {
    const before = [problem("c.yaml"), problem("d.yaml")].slice(0, older);
    const { markdown } = report({
      before,
      plan: { problems: [...before, problem("a.yaml"), problem("c.yaml", "warning")] },
    });
    if (text === undefined) expect(markdown).not.toContain("before this branch");
    else expect(markdown).toContain(text);
  });

  it.each([
    ["names what a squash does with an approval", "Fix", /squash withholds the removals/u],
    ["is silent of a squash whose message is not known", undefined, undefined],
  ])("%s", (_what, squashMessage, text) => {
    const budget = { wanted: 4, recent: 0, limit: 3, isExceeded: false };
    const { markdown } = report({ plan: { budget }, ...(squashMessage === undefined ? {} : { squashMessage }) });
    if (text) expect(markdown).toMatch(text);
    else expect(markdown).not.toMatch(/squash/iu);
  });
});
