import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { createBranchPlanner } from "../../../../src/daemon/page/page-branch-plan.ts";
import type { BranchPlanOptions } from "../../../../src/daemon/page/page-branch-plan.ts";

/** A repository whose branches are deleted once it answers. */
function openPlanner() {
  const fetched: string[] = [];
  const open: (() => void)[] = [];
  const fetchHead = (branch: string): Promise<never> =>
    new Promise((_, reject) => {
      fetched.push(branch);
      open.push(() => reject(new AppError("E_GIT_BRANCH_MISSING", `fetch ${branch}`)));
    });
  const options = { git: { fetchHead }, repository: () => ({ spec: {} }) };
  const plan = createBranchPlanner(options as unknown as BranchPlanOptions);
  return { plan, fetched, open };
}

describe("createBranchPlanner", () => {
  it("plans no branch for a name that none can have", async () => {
    const { plan, fetched } = openPlanner();
    expect(await plan("-x")).toBeUndefined();
    expect(fetched).toEqual([]);
  });

  it("A76 plans one branch at a time, lets twenty wait, and refuses the others", async () => {
    const { plan, fetched } = openPlanner();
    const all = Array.from({ length: 60 }, (_, index) => plan(`branch-${index}`));
    const refused = await Promise.allSettled(all.slice(21));
    expect(refused.filter(({ status }) => status === "rejected")).toHaveLength(39);
    expect(fetched).toEqual(["branch-0"]);
    for (const waiting of all) waiting.catch(() => undefined);
  });
});
