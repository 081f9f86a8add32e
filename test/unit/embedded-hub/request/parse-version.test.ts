import { describe, expect, it } from "vitest";
import { parseVersion, revisionOf } from "../../../../src/embedded-hub/request/parse-version.ts";

function fault(text: string, reason: string): object {
  return { kind: "fault", fault: `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${reason}` };
}

const refuse = (message: string): Error => new Error(message);

describe("a resourceVersion", () => {
  it.each<[string, number | bigint]>([
    ["", 0],
    ["0", 0],
    ["007", 7],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740992", 9_007_199_254_740_992n],
    ["18446744073709551615", 18_446_744_073_709_551_615n],
    [`${"0".repeat(30)}12`, 12],
  ])("%j is %s", (text, revision) => {
    expect(parseVersion(text)).toEqual({ kind: "version", revision });
    expect(revisionOf(text, refuse)).toBe(revision);
  });

  it.each(["18446744073709551616", "99999999999999999999", "100000000000000000000"])("%s is too large", (text) => {
    expect(parseVersion(text)).toEqual(fault(text, "value out of range"));
  });

  it.each(["a", "1a", "a1", "-1", "+1", "0x1", "1_0", " 1", "1.0", "\n1"])("%j is no number", (text) => {
    expect(parseVersion(text)).toEqual(fault(text, "invalid syntax"));
  });

  it("of a request is refused with its name, its text and the fault", () => {
    expect(() => revisionOf("x", refuse)).toThrow(
      'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    );
  });
});
