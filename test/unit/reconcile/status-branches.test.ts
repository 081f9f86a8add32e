import { describe, expect, it } from "vitest";
import { continuedCommit, continuesTrailer, statusBranchesOf } from "../../../src/reconcile/status-branches.ts";

const id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

describe("the branches of the status", () => {
  it.each([
    { reason: "that has no report", spec: {}, branches: ["rollcall/status", "rollcall/status-past"] },
    { reason: "with a branch", spec: { writeBack: { branch: "s" } }, branches: ["s", "s-past"] },
  ])("are those of a Repository $reason", ({ spec, branches }) => {
    expect(statusBranchesOf({ spec } as never)).toEqual(branches);
  });

  it("are the default ones without a Repository", () => {
    expect(statusBranchesOf(undefined)).toEqual(["rollcall/status", "rollcall/status-past"]);
  });
});

describe("the commit that a first commit continues", () => {
  it.each([
    { reason: "in its trailer", message: `status\n\nA: b\n${continuesTrailer(id)}\n`, found: id },
    { reason: "nowhere", message: "status\n", found: undefined },
    { reason: "in no whole id", message: `status\n\n${continuesTrailer(id.slice(1))}\n`, found: undefined },
    { reason: "in an id of SHA-256", message: `${continuesTrailer("a".repeat(64))}\n`, found: "a".repeat(64) },
    { reason: "in no id of 41 letters", message: `${continuesTrailer(`${id}a`)}\n`, found: undefined },
    { reason: "in no id behind a letter", message: `${continuesTrailer(`x${id}`)}\n`, found: undefined },
    {
      reason: "in no id of other letters",
      message: `${continuesTrailer(`${id}${"x".repeat(24)}`)}\n`,
      found: undefined,
    },
    { reason: "behind other text", message: `status: ${continuesTrailer(id)}\n`, found: undefined },
  ])("is named $reason", ({ message, found }) => {
    expect(continuedCommit(message)).toBe(found);
  });
});
