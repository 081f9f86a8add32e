import { describe, expect, it } from "vitest";
import { isRedirect, redirectOf } from "../../../src/http/redirect.ts";

const from = new URL("https://host.example/a/b?c=d");

describe("a redirect", () => {
  it.each([
    ["/e", "https://host.example/e"],
    ["e", "https://host.example/a/e"],
    ["https://host.example:443/e", "https://host.example/e"],
  ])("A30 to %s stays within the origin", (location, url) => {
    expect(redirectOf(from, location)).toEqual({ kind: "within", url: new URL(url) });
  });

  it.each([
    ["https://other.example/e", "https://other.example"],
    ["//other.example/e", "https://other.example"],
    ["http://host.example/e", "http://host.example"],
    ["https://host.example:8443/e", "https://host.example:8443"],
    ["https://user@host.example/e", "https://host.example"],
    ["https://user:word@host.example/e", "https://host.example"],
    ["https://:word@host.example/e", "https://host.example"],
    ["javascript:alert(1)", "javascript:"],
    ["file:///etc/passwd", "file:"],
  ])("A30 to %s gets no credentials", (location, origin) => {
    expect(redirectOf(from, location)).toEqual({ kind: "elsewhere", origin });
  });

  it.each([undefined, "https://", "http://[::1"])("without an address leads nowhere: %s", (location) => {
    expect(redirectOf(from, location)).toEqual({ kind: "nowhere" });
  });

  it("is one of five statuses", () => {
    const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
    expect(statuses.filter(isRedirect)).toEqual([301, 302, 303, 307, 308]);
  });
});
