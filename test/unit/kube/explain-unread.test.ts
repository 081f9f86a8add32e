import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { explainUnread } from "../../../src/kube/explain-unread.ts";

describe("explainUnread", () => {
  it("has the reason, and a command that can be typed", () => {
    const cause = Object.assign(new Error("x"), { code: "EACCES", path: "my config" });
    const error = new AppError("E_KUBECONFIG", "x", { cause, recovery: "waiting" });
    expect(explainUnread(error)).toMatchObject({
      code: "E_KUBECONFIG",
      recovery: "waiting",
      message: "read my config: this user may not read it",
      remedy: expect.stringContaining("`ls -ld 'my config'` shows its owner and rights.") as string,
    });
  });

  it("leaves another error as it is", () => {
    for (const error of [new Error("x"), new AppError("E_KUBECONFIG", "the token is empty")])
      expect(explainUnread(error)).toBe(error);
  });
});
