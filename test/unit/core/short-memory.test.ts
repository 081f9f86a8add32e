import { describe, expect, it } from "vitest";
import { ShortMemory } from "../../../src/core/short-memory.ts";
import { createManualClock } from "../../support/manual-clock.ts";

function open(most = 2) {
  const clock = createManualClock();
  const memory = new ShortMemory<string>(clock, { keptMs: 1000, most });
  const asked: string[] = [];
  const recall = (key: string, answer: Promise<string> = Promise.resolve(`${key} ${asked.length}`)): Promise<string> =>
    memory.recall(key, () => {
      asked.push(key);
      return answer;
    });
  return { asked, clock, recall };
}

describe("ShortMemory", () => {
  it("asks once in its time, and again after it", async () => {
    const { asked, clock, recall } = open();
    const first = await recall("a");
    await clock.advance(999);
    expect(await recall("a")).toBe(first);
    await clock.advance(1);
    expect(await recall("a")).not.toBe(first);
    expect(asked).toEqual(["a", "a"]);
  });

  it("asks once for all who want the answer at the same time", async () => {
    const { asked, recall } = open();
    const [one, other] = await Promise.all([recall("a"), recall("a")]);
    expect([one === other, asked]).toEqual([true, ["a"]]);
  });

  it("forgets the oldest one beyond its bound", async () => {
    const { asked, recall } = open();
    for (const key of ["a", "b", "a", "c", "b", "c", "a"]) await recall(key);
    expect(asked).toEqual(["a", "b", "c", "a"]);
  });

  it("takes one that was asked again for the newest", async () => {
    const { asked, clock, recall } = open();
    await recall("a");
    await clock.advance(500);
    await recall("b");
    await clock.advance(500);
    for (const key of ["a", "c", "a"]) await recall(key);
    expect(asked).toEqual(["a", "b", "a", "c"]);
  });

  it("does not remember what failed, nor forgets a newer answer for it", async () => {
    const { asked, clock, recall } = open();
    await expect(recall("a", Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await recall("a")).toBe("a 1");
    await clock.advance(1000);
    let fail: (error: Error) => void = () => undefined;
    const slow = recall("a", new Promise<string>((_resolve, reject) => (fail = reject)));
    await clock.advance(1000);
    const newer = await recall("a");
    fail(new Error("late"));
    await expect(slow).rejects.toThrow("late");
    expect(await recall("a")).toBe(newer);
    expect(asked).toHaveLength(4);
  });
});
