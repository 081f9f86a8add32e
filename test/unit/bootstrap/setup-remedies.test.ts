import { describe, expect, it } from "vitest";
import { withSetupRemedy } from "../../../src/bootstrap/setup-remedies.ts";
import { AppError } from "../../../src/core/errors.ts";

describe("withSetupRemedy", () => {
  it("names the rights and the options of a setup, not those of a daemon", () => {
    const error = new AppError("E_FORGE_FORBIDDEN", "add a deploy key: no", { data: { statusCode: 403 } });
    expect(error.remedy).toContain("docs/forges.md");
    const told = withSetupRemedy(error) as AppError;
    const { code, message, data } = error;
    expect(told).toMatchObject({ code, message, data, cause: error });
    expect(told.remedy).toContain("docs/bootstrap.md");
    for (const code of ["E_FORGE_AUTH", "E_FORGE_URL", "E_GIT_AUTH", "E_GIT_PUSH_DENIED"] as const) {
      const { remedy } = withSetupRemedy(new AppError(code, "x")) as AppError;
      expect(remedy, code).not.toMatch(/Repository\.spec|--git-token-file|--write-back/u);
    }
  });

  it("keeps a remedy that an error has of its own, and every other failure", () => {
    const own = new AppError("E_GIT_AUTH", "push: no", { remedy: "Add the key." });
    const other = new AppError("E_BUG", "x");
    const plain = new Error("x");
    expect([own, other, plain].map(withSetupRemedy)).toEqual([own, other, plain]);
    expect(withSetupRemedy(own)).toBe(own);
  });
});
