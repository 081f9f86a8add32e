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

  const clean = { message: "push: refused", data: { text: "refused", tries: 3 }, cause: new Error("refused") };
  it.each([
    ["its message", { ...clean, message: "push: hunter2" }, ["push: ***", "refused", "refused"]],
    ["its data", { ...clean, data: { ...clean.data, text: "hunter2" } }, ["push: refused", "***", "refused"]],
    ["its cause", { ...clean, cause: new Error("hunter2") }, ["push: refused", "refused", "***"]],
    [
      "its message, and has no cause",
      { ...clean, message: "hunter2", cause: undefined },
      ["***", "refused", undefined],
    ],
    [
      "its message, and has another cause",
      { ...clean, message: "hunter2", cause: "text" },
      ["***", "refused", undefined],
    ],
  ])("has a secret taken out that is in %s alone", (_where, { message, data, cause }, shown) => {
    const error = new AppError("E_GIT_REMOTE", message, { data, cause });
    const redacted = redactError(error, ["other-secret", "hunter2"]) as AppError;
    const found = redacted.cause instanceof Error ? redacted.cause.message : redacted.cause;
    expect([redacted.message, redacted.data["text"], found]).toEqual(shown);
    expect(redacted.data["tries"]).toBe(3);
    expect(redactError(error, [])).toBe(error);
  });

  it("is the same error with data and a cause where no secret is in them", () => {
    const error = new AppError("E_GIT_REMOTE", clean.message, clean);
    expect(redactError(error, ["hunter2"])).toBe(error);
  });

  it("is the same error where there is nothing to take out, and for what is none of this program's", () => {
    const error = new AppError("E_GIT_REMOTE", "push: refused");
    expect(redactError(error, ["hunter2"])).toBe(error);
    const other = new Error("hunter2");
    expect(redactError(other, ["hunter2"])).toBe(other);
  });
});
