import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { receivedError, sentError } from "../../../../src/daemon/unmerged/sent-error.ts";

const there = (error: unknown): Error => receivedError(structuredClone(sentError(error)));

describe("an error that is sent to another thread", () => {
  it("keeps its own remedy, where that is not the remedy of its code", () => {
    const error = new AppError("E_UNSUPPORTED", "read the branch: it is a partial clone", {
      remedy: "Make a full clone.",
      recovery: "transient",
      data: { ref: "refs/heads/main" },
    });
    const { message, code, recovery, remedy, data } = error;
    expect(there(error)).toMatchObject({ message, code, recovery, remedy, data });
    expect(there(error)).toBeInstanceOf(AppError);
  });

  it("is an error without a code when it had none, or one that this program does not know", () => {
    expect(there(new TypeError("no"))).toEqual(new Error("no"));
    expect(there("no")).toEqual(new Error("no"));
    expect(receivedError({ message: "no", code: "E_OF_LATER", recovery: "never" })).toEqual(new Error("no"));
  });
});
