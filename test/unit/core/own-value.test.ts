import { describe, expect, it } from "vitest";
import { ownValue } from "../../../src/core/own-value.ts";
import { errorOfStatus } from "../../../src/kube/kube-errors.ts";

const inherited = ["constructor", "__proto__", "valueOf", "hasOwnProperty", "toString"];

describe("ownValue", () => {
  it.each(inherited)("A58 finds nothing at %s, which every object inherits", (key) => {
    expect(ownValue({ a: 1 }, key)).toBeUndefined();
    expect(ownValue({ a: 1 }, "a")).toBe(1);
  });

  it.each(inherited)("A58 takes the reason %s of an API server for one that it does not know", (reason) => {
    const status = { kind: "Status", code: 403, reason, message: "no" };
    expect(errorOfStatus(status, { verb: "get", object: "Secret/a" })).toMatchObject({ code: "E_KUBE_FORBIDDEN" });
  });
});
