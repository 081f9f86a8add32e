import { describe, expect, it } from "vitest";
import type { Visit } from "../../../../src/git/objects/visit-queue.ts";
import { VisitQueue } from "../../../../src/git/objects/visit-queue.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";

const author = { name: "", email: "" };

function visitOf(id: string, committedAtMs: number): Visit {
  const commit = { id, treeId: "t", parents: [], author, committedAtMs, message: "" };
  return { commit, isIncluded: false, isExcluded: false };
}

const included = { isIncluded: true, isExcluded: false };
const excluded = { isIncluded: false, isExcluded: true };

describe("VisitQueue", () => {
  it("gives the newest commit first, and of the same age the first one that was added", () => {
    const queue = new VisitQueue();
    for (const [id, atMs] of [
      ["a", 3],
      ["b", 5],
      ["c", 3],
      ["d", 1],
      ["e", 5],
      ["f", 4],
    ] as const)
      queue.reach(visitOf(id, atMs), included);
    const taken = Array.from({ length: 7 }, () => queue.take()?.commit.id);
    expect(taken).toEqual(["b", "e", "f", "a", "c", "d", undefined]);
  });

  it("counts from where those that wait were reached, also when one is reached again", () => {
    const queue = new VisitQueue();
    const counts = (): unknown => [queue.size, queue.hasOnlyIncluded, queue.hasUncommon];
    const visit = visitOf("a", 1);
    expect(counts()).toEqual([0, false, false]);
    queue.reach(visit, included);
    expect(counts()).toEqual([1, true, true]);
    queue.reach(visit, excluded);
    expect(counts()).toEqual([1, false, false]);
    queue.reach(visitOf("b", 2), excluded);
    expect(counts()).toEqual([2, false, true]);
    queue.take();
    expect(counts()).toEqual([1, false, false]);
    expect(queue.take()).toBe(visit);
    expect(counts()).toEqual([0, false, false]);
  });

  it("A105 takes time in proportion to how many wait", () => {
    const walk = (): void => {
      const queue = new VisitQueue();
      for (let index = 0; index < 100_000; index++) queue.reach(visitOf(`${index}`, index % 1000), included);
      while (queue.take() !== undefined);
    };
    expect(leastCpuMs(walk, 1_000)).toBeLessThan(2_000);
  });
});
