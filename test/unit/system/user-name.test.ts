import { userInfo } from "node:os";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { userName } from "../../../src/system/user-name.ts";

describe("userName", () => {
  it("is the name that the system has for this user", () => {
    expect(userName()).toBe(userInfo().username);
  });

  // Another user than root may not become one without a name.
  it.runIf(process.geteuid?.() === 0)("is a number for a user without a name, as that of the image", () => {
    process.seteuid?.(65_532);
    try {
      expect(() => userInfo()).toThrow();
      expect(userName()).toBe("uid-65532");
    } finally {
      process.seteuid?.(0);
    }
  });
});
