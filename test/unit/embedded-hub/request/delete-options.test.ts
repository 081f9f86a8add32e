import { describe, expect, it } from "vitest";
import { checkPropagation, readDeleteOptions } from "../../../../src/embedded-hub/request/delete-options.ts";

describe("readDeleteOptions", () => {
  it("reads what a client asks for", () => {
    const preconditions = { uid: "u", resourceVersion: "7", other: 1 };
    const options = { preconditions, gracePeriodSeconds: 5, propagationPolicy: "Foreground", dryRun: ["All"] };
    expect(readDeleteOptions(options)).toEqual({
      preconditions: { uid: "u", resourceVersion: "7" },
      gracePeriodSeconds: 5,
      propagationPolicy: "Foreground",
      dryRun: ["All"],
    });
    expect(readDeleteOptions({ orphanDependents: false })).toEqual({ orphanDependents: false, dryRun: [] });
    expect(readDeleteOptions(undefined)).toEqual({ dryRun: [] });
  });

  it("has nothing that a client did not ask for", () => {
    expect(Object.keys(readDeleteOptions({ orphanDependents: null, other: 1 }))).toEqual(["dryRun"]);
    expect(readDeleteOptions({ preconditions: {} })).toStrictEqual({ dryRun: [], preconditions: {} });
  });
});

describe("checkPropagation", () => {
  it.each([
    [{}, []],
    [{ orphanDependents: true }, []],
    [{ propagationPolicy: "Orphan" }, []],
    [{ propagationPolicy: "Foreground" }, []],
    [{ propagationPolicy: "Background" }, []],
    [{ propagationPolicy: "Sideways", orphanDependents: false }, ["FieldValueInvalid", "FieldValueNotSupported"]],
    [{ propagationPolicy: "Sideways" }, ["FieldValueNotSupported"]],
    [{ propagationPolicy: "Orphan", orphanDependents: true }, ["FieldValueInvalid"]],
  ])("finds what is wrong with %j", (options, reasons) => {
    expect(checkPropagation(readDeleteOptions(options)).map(({ reason }) => reason)).toEqual(reasons);
  });
});
