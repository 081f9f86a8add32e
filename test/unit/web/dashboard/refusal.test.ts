import { describe, expect, it } from "vitest";
import { AskError } from "../../../../src/web/dashboard/browser/data/ask.ts";
import { findRefusal, isPassing, isRefusal } from "../../../../src/web/dashboard/browser/data/refusal.ts";

const codes = ["SignIn", "Forbidden", "NotFound", "BadRequest", "Refused", "HubAway", "Failed", "Unreachable"] as const;

describe("findRefusal", () => {
  it("ends the page for a viewer whose token ended, or whose rights were taken away", async () => {
    for (const code of ["SignIn", "Forbidden"] as const)
      for (const takesToken of [true, false])
        expect(await findRefusal(() => Promise.reject(new AskError(code, "why", takesToken)))).toEqual({
          code,
          message: "why",
          takesToken,
        });
  });

  it("ends it for no other failure: the daemon restarts, or the hub is away", async () => {
    for (const code of ["HubAway", "Failed", "Unreachable"] as const)
      expect(await findRefusal(() => Promise.reject(new AskError(code, "why")))).toBeUndefined();
    expect(await findRefusal(() => Promise.reject(new TypeError("no JSON")))).toBeUndefined();
    expect(await findRefusal(() => Promise.resolve({}))).toBeUndefined();
  });
});

it("asks again only where another answer may come", () => {
  expect(codes.filter(isPassing)).toEqual(["HubAway", "Failed", "Unreachable"]);
  expect(codes.filter(isRefusal)).toEqual(["SignIn", "Forbidden"]);
});
