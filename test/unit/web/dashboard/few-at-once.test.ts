import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { fewAtOnce } from "../../../../src/web/dashboard/few-at-once.ts";

describe("fewAtOnce", () => {
  it("does some at a time, lets some wait in their order, and refuses the others", async () => {
    const done: number[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const work = fewAtOnce(
      async (number: number) => {
        await released;
        done.push(number);
      },
      { atOnce: 1, waiting: 2, refusal: (waiting) => new AppError("E_BRANCH_LIMIT", `${waiting} wait`) },
    );
    const all = [work(1), work(2), work(3)];
    await expect(work(4)).rejects.toMatchObject({ code: "E_BRANCH_LIMIT" });
    release();
    await Promise.all(all);
    await work(5);
    expect(done).toEqual([1, 2, 3, 5]);
  });

  it("makes room when the work fails", async () => {
    const work = fewAtOnce((error: Error) => Promise.reject(error), {
      atOnce: 1,
      waiting: 0,
      refusal: () => new AppError("E_BRANCH_LIMIT", "full"),
    });
    await expect(work(new Error("first"))).rejects.toThrow("first");
    await expect(work(new Error("second"))).rejects.toThrow("second");
  });
});
