import { describe, expect, it } from "vitest";
import { requestForbidden } from "../../../../src/embedded-hub/auth/forbidden.ts";

describe("requestForbidden", () => {
  it.each([
    ["/a\u0000", '"/a\\x00"'],
    ["/a\b\u007f\n", '"/a\\b\\x7f\\n"'],
    ["/a\u202e", '"/a\\u202e"'],
    ["/a\u{e0001}", '"/a\\U000e0001"'],
    ["/ä\u{1f600} \\", '"/ä\u{1f600} \\\\"'],
  ])("A48 prints a path as Go does: %j", (path, printed) => {
    const user = { username: "alpha", groups: [] };
    const { message } = requestForbidden({ kind: "path", user, verb: "get", path }, "");
    expect(message).toBe(`forbidden: User "alpha" cannot get path ${printed}`);
  });
});
