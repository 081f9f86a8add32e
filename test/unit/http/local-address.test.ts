import { describe, expect, it } from "vitest";
import { isLinkLocal, isThisMachine } from "../../../src/http/local-address.ts";

describe("isThisMachine", () => {
  it.each(["localhost", "127.0.0.1", "0.0.0.0", "[::]", "[::ffff:0:0]", "::ffff:0.0.0.0", "::ffff:127.0.0.1"])(
    "A197 is true for %s, by which systems connect to themselves",
    (host) => expect(isThisMachine(host)).toBe(true),
  );

  it.each(["0.0.0.1", "::2", "[::ffff:a00:1]", "example.com"])("is false for %s", (host) =>
    expect(isThisMachine(host)).toBe(false),
  );
});

describe("isLinkLocal", () => {
  it.each([
    ...["169.254.169.254", "169.254.0.1", "fe80::1", "[febf::1]", "[FE80::1]", "[::ffff:a9fe:a9fe]"],
    ...["fd00:ec2::254", "[fd00:ec2::23]", "fd20:ce::254", "fd00:c1::a9fe:a9fe"],
    ...["100.100.100.200", "[::ffff:6464:64c8]", "168.63.129.16", "192.0.0.192", "[64:ff9b::a9fe:a9fe]"],
  ])("A88 is true for %s, where a cloud may give credentials", (host) => {
    expect(isLinkLocal(host)).toBe(true);
  });

  it.each([
    ...["169.253.0.1", "169.255.0.1", "fec0::1", "fd00:ec3::254", "fd20:ce::255", "fd00:c1::a9fe:a9ff"],
    ...["169.254.169.254.example.com", "x::ffff:a9fe", "::ffff:a9fd:1", ""],
  ])("is false for %s", (host) => {
    expect(isLinkLocal(host)).toBe(false);
  });
});
