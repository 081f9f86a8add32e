import { describe, expect, it } from "vitest";
import { createRenewOnce } from "../../../src/agent/renew-once.ts";

/** A hub that is asked, and answers when the test lets it. */
function scene() {
  let number = 1;
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const renewOnce = createRenewOnce(
    () => number,
    (by) => {
      asked.push(by);
      return new Promise((resolve, reject) => {
        answers.push(() => {
          number += 1;
          resolve();
        });
        answers.push(() => reject(new Error("no answer in time")));
      });
    },
  );
  return { asked, answers, renewOnce };
}

describe("createRenewOnce", () => {
  it("asks for no second credential where the request that it waited for has brought one", async () => {
    const { asked, answers, renewOnce } = scene();
    const both = [renewOnce(1, "recovery"), renewOnce(1, "working")];
    answers[0]?.();
    await Promise.all(both);
    expect(asked).toEqual(["recovery"]);
  });

  it("asks after a request that failed, whose caller alone gets the error", async () => {
    const { asked, answers, renewOnce } = scene();
    const first = renewOnce(1, "recovery");
    const second = renewOnce(1, "working");
    answers[1]?.();
    await expect(first).rejects.toThrow("no answer in time");
    await new Promise((resolve) => setImmediate(resolve));
    answers[2]?.();
    await second;
    expect(asked).toEqual(["recovery", "working"]);
  });

  it("asks for nothing where another credential is in use", async () => {
    const { asked, renewOnce } = scene();
    await renewOnce(7, "working");
    expect(asked).toEqual([]);
  });
});
