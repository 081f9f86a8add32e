import { describe, expect, it } from "vitest";
import { adviceOf, countProblems } from "../../../src/model/problem.ts";

describe("adviceOf", () => {
  it.each([
    { code: "E_PLAIN_SECRET" as const, file: "my files/a.yaml", advice: / --age RECIPIENT 'my files\/a\.yaml'`/u },
    { code: "E_SYMLINK" as const, file: "a$&b.yaml", advice: /`cp 'a\$&b\.yaml' COPY && mv COPY 'a\$&b\.yaml'`/u },
    { code: "E_YAML" as const, file: "a.yaml", fix: "Run `fix FILE`.", advice: /^Run `fix a\.yaml`\.$/u },
    { code: "E_YAML" as const, file: "a.yaml", fix: "Rename the PROFILE.", advice: /^Rename the PROFILE\.$/u },
  ])("has commands that can be typed for $file: $code", ({ advice, ...problem }) => {
    expect(adviceOf(problem)).toMatch(advice);
  });
});

describe("countProblems", () => {
  it.each<[number, number, string]>([
    [0, 0, ""],
    [1, 0, "1 error"],
    [0, 2, "2 warnings"],
    [2, 1, "2 errors and 1 warning"],
  ])("names %i and %i as %j", (errors, warnings, text) => {
    expect(countProblems(errors, warnings)).toBe(text);
  });

  it("uses another noun where one is given", () => {
    expect(countProblems(2, 1, "problem")).toBe("2 problems and 1 warning");
  });
});
