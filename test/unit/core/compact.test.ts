import { expect, it } from "vitest";
import { compact } from "../../../src/core/compact.ts";

it("leaves out what is undefined, at the top only", () => {
  expect(compact({ a: undefined, b: null, c: { d: undefined } })).toStrictEqual({ b: null, c: { d: undefined } });
});
