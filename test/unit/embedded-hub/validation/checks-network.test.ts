import { describe, expect, it } from "vitest";
import {
  checkHost,
  isStrictSubset,
  validateDomainPath,
  validateTargetAddress,
} from "../../../../src/embedded-hub/validation/checks-network.ts";
import { textsOf } from "./validation-builders.ts";

describe("isStrictSubset", () => {
  it.each([
    ["10.0.0.0/8", "10.1.0.0/16", true],
    ["010.0.0.0/8", "10.1.0.0/16", true],
    ["10.0.0.0/8", "010.001.0.0/16", true],
    ["10.0.0.0/8", "10.0.0.0/8", false],
    ["10.0.0.0/8", "11.0.0.0/16", false],
    ["2001:db8::/32", "2001:db8:1::/48", true],
    ["2001:db8::/32", "10.0.0.0/16", false],
    ["10.0.0.0/8", "2001:db8::/32", false],
    ["::/0", "10.0.0.0/16", false],
    ["100.0.0.0/8", "100.1.0.0/16", true],
    ["10.0.0.0/8", "100.1.0.0/16", false],
    ["2001:db8:0:100::/56", "2001:db8:0:100::/64", true],
    ["2001:db8:0:100::/56", "2001:db8:0:1::/64", false],
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
    ["::", 1],
    ["::2", 0],
    ["2001:db8::1", 0],
    ["fe80::1", 1],
    ["ff02::1", 1],
    ["169.254.0.1", 1],
    ["224.0.0.1", 1],
    ["224.0.1.1", 0],
  ])("counts what is wrong with %s", (address, count) => {
    expect(validateTargetAddress(address, "ip")).toHaveLength(count);
  });
});

describe("checkHost", () => {
  const long = `*.${"a".repeat(62)}.${"b".repeat(62)}.${"c".repeat(62)}.${"d".repeat(62)}`;

  it.each([
    ["a.example.org", true],
    ["*.example.org", true],
    ["*.a", true],
    ["*.a-b.c.d", true],
    ["*.ab.c.de-f.gh", true],
    [long, true],
    [`${long}d`, false],
    ["*", false],
    ["*.", false],
    ["a.*.org", false],
    ["*.*.org", false],
    ["*.A.org", false],
    ["*.example.org_", false],
    ["*.-a.org", false],
    ["*.a-.org", false],
    ["A.org", false],
  ])("of %s is %s", (host, isGood) => {
    expect(checkHost(host)).toHaveLength(isGood ? 0 : 1);
  });
});

describe("validateDomainPath", () => {
  const prefixed = 'must be a domain-prefixed path (such as "acme.io/foo")';

  it.each<[text: string, faults: readonly string[]]>([
    ["acme.io/foo", []],
    ["acme.io/foo/bar", []],
    ["", ["Required value"]],
    ["acme.io", [`Invalid value: "acme.io": ${prefixed}`]],
    ["acme.io/", [`Invalid value: "acme.io/": ${prefixed}`]],
    ["/foo", [`Invalid value: "/foo": ${prefixed}`]],
    [
      "acme.io/a b",
      [`Invalid value: "a b": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`],
    ],
  ])("of %j finds %j", (text, faults) => {
    expect(textsOf(validateDomainPath(text, "p"))).toEqual(faults.map((fault) => `p: ${fault}`));
  });

  it("names what is wrong with the domain", () => {
    expect(textsOf(validateDomainPath("A_/foo", "p"))[0]).toContain('p: Invalid value: "A_": a lowercase RFC 1123');
  });
});
