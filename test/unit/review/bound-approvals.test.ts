import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import type { RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { approvalKey } from "../../../src/planning/approvals.ts";
import type { OutsideRemoval } from "../../../src/review/bound-approvals.ts";
import { coverAtHead, findOutside } from "../../../src/review/bound-approvals.ts";

const removalOf = (name: string, commit: string) => [`Leave/${name}`, { cluster: `fleet/${name}`, commit }] as const;

describe("findOutside", () => {
  const removals = new Map([removalOf("a", "c1"), removalOf("b", "later"), removalOf("c", "aside")]);
  const asked: string[] = [];

  async function find(status?: RepositoryStatus) {
    asked.length = 0;
    const found = await findOutside(removals, {
      git: {
        isAncestor: (ancestor, descendant) => {
          asked.push(descendant);
          return Promise.resolve(ancestor === "head" && descendant === "later");
        },
      },
      ...{ head: "head", status },
      isInHistory: (commit) => Promise.resolve(commit === "c1"),
    });
    return [...found.values()].map(({ cluster, isAfterHead, isReported }) => ({ cluster, isAfterHead, isReported }));
  }

  it("finds the removals of clusters that were applied from commits which the head does not have", async () => {
    expect(await find()).toEqual([
      { cluster: "fleet/b", isAfterHead: true, isReported: false },
      { cluster: "fleet/c", isAfterHead: false, isReported: false },
    ]);
    expect(asked).toEqual(["later", "aside"]);
  });

  it.each<[string, NonNullable<RepositoryStatus["withheld"]>, readonly boolean[]]>([
    ["names one of them", { commit: "head", count: 1, objects: ["Cluster/fleet/b"] }, [true, false]],
    ["counts more than it names", { commit: "head", count: 3, objects: ["Cluster/fleet/x"] }, [true, true]],
    ["counts all that it names", { commit: "head", count: 1, objects: ["Cluster/fleet/x"] }, [false, false]],
    ["names and counts none", { commit: "head" } as never, [false, false]],
    ["is of another commit", { commit: "c1", count: 9, objects: ["Cluster/fleet/b"] }, [false, false]],
  ])("takes those for reported that the status withholds at this head: it %s", async (_reason, withheld, expected) => {
    expect((await find({ withheld })).map(({ isReported }) => isReported)).toEqual(expected);
  });
});

describe("coverAtHead", () => {
  const approval = { by: "Trailer", commit: "c1", count: 3 } as RemovalApproval;
  const key = approvalKey(approval);
  const outsideOf = (fields: Partial<OutsideRemoval>): OutsideRemoval => ({
    ...{ cluster: "fleet/b", commit: "later", isAfterHead: false, isReported: false },
    ...fields,
  });

  function cover(outside: Partial<OutsideRemoval> | undefined, { isNew = true, reserved = false } = {}) {
    const [covering] = coverAtHead([approval], {
      wanted: new Set(["Leave/a", "Leave/b"]),
      outside: new Map(outside ? [["Leave/b", outsideOf(outside)]] : []),
      isNew: new Set(isNew ? [key] : []),
      reserved: new Map(reserved ? [["Leave/b", key]] : []),
    });
    expect(covering?.approval).toBe(approval);
    return covering?.covers && [...covering.covers];
  }

  it("does not limit an approval where every cluster is of the head's history", () => {
    expect(cover(undefined)).toBeUndefined();
  });

  it.each<[string, Partial<OutsideRemoval>, { isNew?: boolean; reserved?: boolean }, boolean]>([
    ["of a cluster of another history", {}, {}, true],
    ["of a cluster of a later commit: the branch was reset", { isAfterHead: true }, {}, false],
    ["of such a cluster that was reported before", { isAfterHead: true, isReported: true }, {}, true],
    ["by an approval that was counted before", { isReported: true }, { isNew: false }, false],
    ["that is charged to the approval already", { isAfterHead: true }, { isNew: false, reserved: true }, true],
  ])("covers the removal %s: %s", (_reason, outside, options, isCovered) => {
    expect(cover(outside, options)).toEqual(["Leave/a", ...(isCovered ? ["Leave/b"] : [])]);
  });
});
