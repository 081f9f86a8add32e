import { describe, expect, it } from "vitest";
import { fitsFormat, isKnownFormat } from "../../../../src/core/formats/named-formats.ts";

describe("formats", () => {
  it.each([
    ["date-time", ["2024-02-29T00:00:00Z", "2024-01-01t00:00:00z"], ["2023-02-29T00:00:00Z", "2024-01-01"]],
    ["date", ["2024-02-29"], ["2024-13-01", "x"]],
    ["uri", ["https://a.b/c", "/path", "mailto:x"], ["", "x", "http://a b"]],
    ["hostname", ["a.example", "a"], ["-a", "a_b", ""]],
    ["ipv4", ["1.2.3.4"], ["1.2.3", "::1", "256.1.1.1"]],
    ["ipv6", ["::1"], ["1.2.3.4", "fe80::1%eth0"]],
    ["cidr", ["10.0.0.0/8", "::/0"], ["10.0.0.0/33", "x"]],
    ["uuid", ["12345678-1234-1234-1234-123456789012"], ["x"]],
    ["byte", ["YQ=="], ["YQ", "!"]],
    ["duration", ["1h30m", "3 days"], ["x"]],
    ["email", ["a@b", "A <a@b.c>"], ["a", "@b"]],
    ["mac", ["00:11:22:33:44:55"], ["00:11"]],
  ])("%s", (format, good, bad) => {
    for (const text of good) expect(fitsFormat(format, text), text).toBe(true);
    for (const text of bad) expect(fitsFormat(format, text), text).toBe(false);
  });

  it("are ignored when they are unknown", () => {
    expect(isKnownFormat("int32")).toBe(false);
    expect(fitsFormat("k8s-short-name", "NOT A NAME")).toBe(true);
  });
});
