import { expect, it } from "vitest";
import { isDiskFull } from "../../../src/core/is-disk-full.ts";

it.each([
  ["ENOSPC", true],
  ["EDQUOT", true],
  ["EACCES", false],
  [undefined, false],
])("isDiskFull is true for a full disk and a used quota alone: %s", (code, isFull) => {
  expect(isDiskFull(Object.assign(new Error("x"), { code }))).toBe(isFull);
});
