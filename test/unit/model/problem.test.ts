import { describe, expect, it } from "vitest";
import { adviceOf } from "../../../src/model/problem.ts";

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
