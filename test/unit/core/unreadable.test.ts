import { describe, expect, it } from "vitest";
import { isAbsent, unreadable } from "../../../src/core/unreadable.ts";

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: what the system says`), { code });
}

describe("unreadable", () => {
  it.each([
    ["ENOENT", "it is not there"],
    ["ENOTDIR", "a part of the path is no folder"],
    ["EACCES", "this user may not read it"],
    ["EPERM", "this user may not read it"],
    ["ELOOP", "it is a link"],
    ["ENAMETOOLONG", "the path is too long"],
    ["EIO", "EIO: what the system says"],
  ])("describes %s as: %s", (code, reason) => {
    expect(unreadable("a/b.yaml", systemError(code))).toMatchObject({
      code: "E_READ",
      message: `read a/b.yaml: ${reason}`,
      data: { path: "a/b.yaml" },
    });
  });
});

it.each([undefined, "transient", "stalled"] as const)("unreadable has the recovery %s", (recovery) => {
  const plain = unreadable("a", systemError("EIO")).recovery;
  expect(unreadable("a", systemError("EIO"), recovery).recovery).toBe(recovery ?? plain);
});

describe("the remedy of unreadable", () => {
  it("is a command that can be typed where the user lacks a right, and what else applies elsewhere", () => {
    expect(unreadable("my files/b.yaml", systemError("EACCES")).remedy).toBe(
      "Let this user read it: `ls -ld 'my files/b.yaml'` shows its owner and rights.",
    );
    expect(unreadable("b.yaml", systemError("ENOENT")).remedy).toMatch(/^Correct the path/u);
  });
});

describe("isAbsent", () => {
  it("is true for what is not there, and for no other failure", () => {
    expect(isAbsent(systemError("ENOENT"))).toBe(true);
    expect(isAbsent(systemError("EACCES"))).toBe(false);
    expect(isAbsent(new Error("ENOENT"))).toBe(false);
    expect(isAbsent(undefined)).toBe(false);
  });
});
