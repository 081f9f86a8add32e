import { describe, expect, it } from "vitest";
import {
  isAddress,
  isStrictSubset,
  validateTargetAddress,
} from "../../../../src/embedded-hub/validation/checks-network.ts";

describe("isAddress", () => {
  it.each(["192.0.2.7", "192.0.2.07", "2001:db8::1", "::ffff:192.0.2.7"])("is true for %s", (text) => {
    expect(isAddress(text)).toBe(true);
  });

  it.each(["", "192.0.2", "192.0.2.256", "a.example.org", "fe80::1%eth0", "192.0.2.7/24"])(
    "is false for %j",
    (text) => {
      expect(isAddress(text)).toBe(false);
    },
  );
});

describe("isStrictSubset", () => {
  it.each([
    ["10.0.0.0/8", "10.1.0.0/16", true],
    ["010.0.0.0/8", "10.1.0.0/16", true],
    ["10.0.0.0/8", "010.001.0.0/16", true],
    ["10.0.0.0/8", "10.0.0.0/8", false],
    ["10.0.0.0/8", "11.0.0.0/16", false],
    ["2001:db8::/32", "2001:db8:1::/48", true],
    ["2001:db8::/32", "10.0.0.0/16", false],
  ])("compares %s and %s", (outer, inner, isSubset) => {
    expect(isStrictSubset(outer, inner)).toBe(isSubset);
  });
});

describe("validateTargetAddress", () => {
  it.each([
    ["10.0.0.1", 0],
    ["127.0.0.1", 1],
    ["127.000.000.001", 1],
    ["000.0.0.0", 1],
    ["::1", 1],
  ])("counts what is wrong with %s", (address, count) => {
    expect(validateTargetAddress(address, "ip")).toHaveLength(count);
  });
});
