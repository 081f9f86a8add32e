/** One wrong edit of the source that a test must notice. */
export interface PlantedFault {
  readonly name: string;
  readonly file: string;
  /** Is in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** Wrong ways to count removals, spend approvals and record both. */
export const removalFaults: readonly PlantedFault[] = [
  {
    name: "an approval is not spent",
    file: "src/planning/repository-state.ts",
    from: "const spent = spendApprovals(approvals, charges, 1);",
    to: "const spent = approvals;",
  },
  {
    name: "a day has 23 hours",
    file: "src/planning/repository-state.ts",
    from: "const dayMs = 24 *",
    to: "const dayMs = 23 *",
  },
  {
    name: "the budget is one too large",
    file: "src/planning/budget.ts",
    from: "wanted + recent <= limit;",
    to: "wanted + recent <= limit + 1;",
  },
  {
    name: "removals of the last day are not counted",
    file: "src/planning/plan-fleet.ts",
    from: "recent: Math.max(0, inputs.recentRemovals -",
    to: "recent: Math.max(0, 0 -",
  },
  {
    name: "removals are recorded after they happened",
    file: "src/reconcile/run-once.ts",
    from: `  { run: countRemovals },
  { run: executePlan, timedAs: "execute" },`,
    to: `  { run: executePlan, timedAs: "execute" },
  { run: countRemovals },`,
  },
  {
    name: "the count does not ask whether the Repository has changed",
    file: "src/reconcile/count-removals.ts",
    from: "isStrict: true",
    to: "isStrict: false",
  },
  {
    name: "status is written without the version it was computed from",
    file: "src/reconcile/apply-status.ts",
    from: "...(resourceVersion === undefined ? {} : { resourceVersion }),",
    to: "",
  },
  {
    name: "older records of removals replace newer ones",
    file: "src/reconcile/apply-status.ts",
    from: "!hasSameRecords(live, repository)",
    to: "false",
  },
  {
    name: "the trailer of an older commit counts for all removals",
    file: "src/review/read-approvals.ts",
    from: "return new Set([...a].filter((id) => b.has(id)));",
    to: "return a;",
  },
  {
    name: "an approval stays when the branch moves back",
    file: "src/review/read-approvals.ts",
    from: "const approvals = isContinued ?",
    to: "const approvals = true ?",
  },
  {
    name: "an approval counts for clusters of a commit that is not contained",
    file: "src/review/bound-approvals.ts",
    from: "if (outside.size === 0) return",
    to: "if (outside.size >= 0) return",
  },
  {
    name: "the use of an approval is left out of the record",
    file: "src/planning/repository-state.ts",
    from: "...(spent.length === 0 ? {} : { approvals: [...spent] }),",
    to: "...(spent.length === 0 ? {} : { approvals: [...(status?.approvals ?? [])] }),",
  },
  {
    name: "a commit whose removals are withheld is taken as applied",
    file: "src/reconcile/repository-status.ts",
    from: 'outcome.outcome === "Applied" ?',
    to: "failed.length === 0 ?",
  },
  {
    name: "a commit whose removals are withheld is taken as settled",
    file: "src/reconcile/repository-status.ts",
    from: " && !isRangeWithheld(plan);",
    to: ";",
  },
  {
    name: "moves are not counted",
    file: "src/planning/plan-removals.ts",
    from: "moreAllowed.push({ removal: move.removal });",
    to: "",
  },
  {
    name: "labels that rules take away are not counted",
    file: "src/planning/plan-removals.ts",
    from: "if (lost.length === 0) return undefined;",
    to: "return undefined;",
  },
  {
    name: "changes of the protocol are not counted",
    file: "src/planning/plan-removals.ts",
    from: "if (from !== to) {",
    to: 'if (from === "") {',
  },
  {
    name: "a new file that cannot be identified holds nothing",
    file: "src/planning/holds.ts",
    from: "if (holds.hasUnidentifiedNewFile &&",
    to: "if (false &&",
  },
];
