import { describe, expect, it } from "vitest";
import type { CommitStatus } from "../../../src/forge/forge.ts";
import { fitStatus, isSameStatus } from "../../../src/forge/status-text.ts";

const status: CommitStatus = { state: "success", context: "rollcall/ns.fleet", description: "applied" };

describe("fitStatus", () => {
  it.each([
    { description: "applied", fitted: "applied" },
    { description: "  two\n \tlines ", fitted: "two lines" },
    { description: "x".repeat(20), fitted: "x".repeat(20) },
    { description: "x".repeat(21), fitted: `${"x".repeat(19)}…` },
    { description: "🎉".repeat(20), fitted: "🎉".repeat(20) },
    { description: "🎉".repeat(21), fitted: `${"🎉".repeat(19)}…` },
  ])("makes one line of at most 20 characters of $description", ({ description, fitted }) => {
    expect(fitStatus({ ...status, description }, 20)).toEqual({ ...status, description: fitted });
  });
});

describe("isSameStatus", () => {
  const linked = { ...status, targetUrl: "https://page.example.com/" };
  it.each<{ what: string; left: CommitStatus | undefined; right: CommitStatus; isSame: boolean }>([
    { what: "none", left: undefined, right: status, isSame: false },
    { what: "the same", left: linked, right: { ...linked }, isSame: true },
    { what: "no link, written in another way", left: { ...status, targetUrl: "" }, right: status, isSame: true },
    { what: "another state", left: { ...status, state: "error" }, right: status, isSame: false },
    { what: "another text", left: { ...status, description: "held" }, right: status, isSame: false },
    { what: "a new link", left: status, right: linked, isSame: false },
    { what: "a link that was removed", left: linked, right: status, isSame: false },
    { what: "another link", left: linked, right: { ...linked, targetUrl: "https://b.example.com/" }, isSame: false },
  ])("$what: $isSame", ({ left, right, isSame }) => {
    expect(isSameStatus(left, right)).toBe(isSame);
  });
});
