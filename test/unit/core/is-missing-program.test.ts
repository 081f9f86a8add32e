import { expect, it } from "vitest";
import { isMissingProgram } from "../../../src/core/is-missing-program.ts";

it("takes a program for missing that no folder of PATH has, or none that may be searched", () => {
  const withCode = (code: string): Error => Object.assign(new Error("spawn x"), { code });
  expect(["ENOENT", "EACCES", "EMFILE"].map((code) => isMissingProgram(withCode(code)))).toEqual([true, true, false]);
  expect(isMissingProgram(undefined)).toBe(false);
});
