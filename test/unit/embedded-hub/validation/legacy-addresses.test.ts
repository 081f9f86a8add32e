import { describe, expect, it } from "vitest";
import {
  isAddress,
  isOfIpv6,
  plainAddress,
  warnOfAddress,
  warnOfCidr,
} from "../../../../src/embedded-hub/validation/legacy-addresses.ts";

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

describe("plainAddress", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7", false],
    ["010.096.000.009", "10.96.0.9", false],
    ["::ffff:10.96.0.9", "10.96.0.9", false],
    ["::ffff:a60:9", "10.96.0.9", false],
    ["FE80:0::1", "fe80::1", true],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1", true],
    ["::", "::", true],
  ])("of %s is %s", (text, plain, isLong) => {
    expect([plainAddress(text), isOfIpv6(text)]).toEqual([plain, isLong]);
  });
});

describe("warnOfAddress and warnOfCidr", () => {
  it.each([
    ["192.0.2.7", []],
    ["2001:db8::1", []],
    ["x", []],
    [
      "010.0.0.9",
      [
        'a: non-standard IP address "010.0.0.9" will be considered invalid in a future Kubernetes release: use "10.0.0.9"',
      ],
    ],
    ["FE80::1", ['a: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")']],
  ])("warn of the address %s with %j", (address, warnings) => {
    expect(warnOfAddress(address, "a")).toEqual(warnings);
  });

  it.each([
    ["10.0.0.0/8", []],
    ["2001:db8::/32", []],
    ["x", []],
    [
      "10.1.2.3/8",
      ['a: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)'],
    ],
    [
      "2001:db8::1/64",
      ['a: CIDR value "2001:db8::1/64" is ambiguous in this context (should be "2001:db8::/64" or "2001:db8::1/128"?)'],
    ],
    [
      "010.0.0.0/8",
      [
        'a: non-standard CIDR value "010.0.0.0/8" will be considered invalid in a future Kubernetes release: use "10.0.0.0/8"',
      ],
    ],
    [
      "::ffff:10.0.0.0/104",
      [
        'a: non-standard CIDR value "::ffff:10.0.0.0/104" will be considered invalid in a future Kubernetes release: use "10.0.0.0/8"',
      ],
    ],
    ["2001:DB8::/32", ['a: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")']],
  ])("warn of the network %s with %j", (cidr, warnings) => {
    expect(warnOfCidr(cidr, "a")).toEqual(warnings);
  });
});
