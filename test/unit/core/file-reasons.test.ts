import { describe, expect, it } from "vitest";
import { reasonOfRead } from "../../../src/core/file-reasons.ts";

describe("reasonOfRead", () => {
  it.each([
    [Object.assign(new Error("a"), { code: "ENOENT" }), "it is not there"],
    [Object.assign(new Error("a"), { code: "EMFILE" }), undefined],
    [new Error("a"), undefined],
  ])("of %s is %s", (error, reason) => {
    expect(reasonOfRead(error)).toBe(reason);
  });
});
