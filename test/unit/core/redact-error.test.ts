import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { redactError } from "../../../src/core/redact-error.ts";

describe("redactError", () => {
  it("keeps what a person does about an error whose message had a secret in it", () => {
    const remedy = "Give the account of the token write access.";
    const error = new AppError("E_GIT_REMOTE", "push https://user:hunter2@git.example.com: refused", {
      remedy,
      recovery: "stalled",
      data: { url: "https://user:hunter2@git.example.com", tries: 3 },
      cause: new Error("sent hunter2"),
    });
    const redacted = redactError(error, ["hunter2"]);
    expect(redacted).toMatchObject({ code: "E_GIT_REMOTE", remedy, recovery: "stalled", data: { tries: 3 } });
    expect(JSON.stringify(redacted)).not.toContain("hunter2");
  });

  it("is the same error where there is nothing to take out, and for what is none of this program's", () => {
    const error = new AppError("E_GIT_REMOTE", "push: refused");
    expect(redactError(error, ["hunter2"])).toBe(error);
    const other = new Error("hunter2");
    expect(redactError(other, ["hunter2"])).toBe(other);
  });
});
