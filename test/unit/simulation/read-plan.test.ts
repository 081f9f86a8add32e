import { describe, expect, it } from "vitest";
import { renderPlanComment } from "../../../src/forge/plan-comment.ts";
import type { ReadPlan } from "../../simulation/forge/read-plan.ts";
import { readPlan } from "../../simulation/forge/read-plan.ts";

const [base, head] = ["a".repeat(40), "b".repeat(40)];
const repository = "rollcall-system.fleet";
const comment = { id: 1, pull: 2, authorId: 7, authorType: "User", isSystem: false } as const;

function read(markdown: string): ReadPlan | undefined {
  return readPlan({
    ...comment,
    body: renderPlanComment({ pullRequest: 2, repository, base, head, markdown }, 65_000),
  });
}

describe("a plan as the simulator reads it", () => {
  it("has the clusters of each section", () => {
    const lines = [
      "## Rollcall plan: removes 1 cluster; creates 2 clusters; changes 1 cluster; withholds 1 removal",
      "> [!CAUTION]\n> **🛑 This removes 1 cluster:**\n>\n> - **Cluster** <code>fleet&#47;c1</code>: at once",
      "> [!WARNING]\n> **✋ 1 removal is withheld, and will not happen:**\n>\n> - **Cluster** <code>fleet&#47;c2</code> waits\n> - **Cluster** <code>fleet&#47;c5</code> would leave: the cluster is suspended: it leaves after rollcall resume",
      "### Removals that wait on the base: 2\n\n<code>fleet&#47;c3</code>, <code>fleet&#47;c4</code>",
      "### Creates 2 clusters\n\n- **2 clusters**: <code>fleet&#47;n0</code>, <code>fleet&#47;n&#45;1</code>",
      "### Changes 1 cluster\n\n- **Cluster** <code>fleet&#47;c0</code>\n  - <code>spec</code>: <code>fleet&#47;x</code>",
    ];
    const names = (...list: string[]): ReadonlySet<string> => new Set(list);
    expect(read(lines.join("\n\n"))).toEqual({
      base,
      head,
      isVoid: false,
      removed: names("c1"),
      withheld: names("c2", "c5"),
      leavesOnceResumed: names("c5"),
      waiting: names("c3", "c4"),
      created: names("n0", "n-1"),
      changed: names("c0"),
    });
  });

  it("is none in a comment of another user", () => {
    const body = renderPlanComment({ pullRequest: 2, repository, base, head, markdown: "nothing changes" }, 65_000);
    expect(readPlan({ ...comment, authorId: 66, body })).toBeUndefined();
  });
});
