import { expect, it } from "vitest";
import { mapConcurrently } from "../../../src/core/map-concurrently.ts";

it("works on so many items at a time and keeps their order", async () => {
  const state = { active: 0, most: 0 };
  const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item) => {
    state.active += 1;
    state.most = Math.max(state.most, state.active);
    for (let turn = 0; turn < item; turn++) await Promise.resolve();
    state.active -= 1;
    return item * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(state).toEqual({ active: 0, most: 2 });
});

it("rejects with the first failure, and starts nothing after it", async () => {
  const started: number[] = [];
  const work = async (item: number): Promise<void> => {
    started.push(item);
    await Promise.resolve();
    if (item === 2) throw new Error("no");
  };
  await expect(mapConcurrently([1, 2, 3, 4, 5, 6, 7, 8], 2, work)).rejects.toThrow("no");
  expect(started.length).toBeLessThanOrEqual(4);
  expect(await mapConcurrently([], 3, work)).toEqual([]);
});
