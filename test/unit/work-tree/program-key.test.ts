import { expect, it } from "vitest";
import { programKey } from "../../../src/work-tree/program-key.ts";

it("names one build of the program by 32 hexadecimal digits, the same each time", () => {
  expect(programKey()).toMatch(/^[0-9a-f]{32}$/u);
  expect(programKey()).toBe(programKey());
});
