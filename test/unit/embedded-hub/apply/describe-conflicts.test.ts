import { describe, expect, it } from "vitest";
import { describeConflicts } from "../../../../src/embedded-hub/apply/describe-conflicts.ts";
import { emptyFieldSet } from "../../../../src/embedded-hub/apply/field-set.ts";
import type { ManagerFields } from "../../../../src/embedded-hub/apply/managed-fields.ts";
import { fieldElement, keysElement, parsePathElement } from "../../../../src/embedded-hub/apply/path-element.ts";

const owner: ManagerFields = {
  manager: "one",
  operation: "Apply",
  apiVersion: "v1",
  subresource: "",
  set: emptyFieldSet,
};

describe("describeConflicts", () => {
  it("names each conflict by its owner and its path", () => {
    const path = [fieldElement("spec"), keysElement([{ name: "name", value: "a" }])];
    expect(describeConflicts([{ owner, path }])).toEqual({
      message: 'Apply failed with 1 conflict: conflict with "one": .spec[name="a"]',
      causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: '.spec[name="a"]' }],
    });
  });

  it.each([
    { key: 'k:{"port":80}', field: "[port=80]" },
    { key: 'k:{"id":999999}', field: "[id=999999]" },
    { key: 'k:{"id":1000000}', field: "[id=1e+06]" },
    { key: 'k:{"id":9007199254740993}', field: "[id=9.007199254740992e+15]" },
    { key: "v:-12345678", field: "[=-1.2345678e+07]" },
    { key: "v:0.5", field: "[=0.5]" },
  ])("writes the number of an item as kube-apiserver does, which reads it as a float: $field", ({ key, field }) => {
    const element = parsePathElement(key);
    if (typeof element !== "object") throw new Error("no element");
    expect(describeConflicts([{ owner, path: [element] }]).causes[0]?.field).toBe(field);
  });

  it("names owners in the order of Kubernetes, with the version of an updater and the subresource", () => {
    const owners: ManagerFields[] = [
      { ...owner, manager: "b", operation: "Update" },
      { ...owner, manager: "b", operation: "Update", apiVersion: "v0" },
      { ...owner, manager: "b", subresource: "status" },
      { ...owner, manager: "b", subresource: "scale" },
      { ...owner, manager: "b" },
      { ...owner, manager: "", operation: "Update" },
      { ...owner, manager: "a" },
    ];
    const path = [fieldElement("x")];
    const { message } = describeConflicts(owners.map((one) => ({ owner: one, path })));
    expect(message).toBe(
      [
        'Apply failed with 7 conflicts: conflicts with "a":\n- .x',
        'conflicts with "b" with subresource "scale":\n- .x',
        'conflicts with "b" with subresource "status":\n- .x',
        'conflicts with "b":\n- .x',
        'conflicts with "b" using v0:\n- .x',
        'conflicts with "b" using v1:\n- .x',
        'conflicts with "" using v1:\n- .x',
      ].join("\n"),
    );
  });

  it("names the one conflict with its subresource", () => {
    const one = { ...owner, operation: "Update", subresource: "status" } as const;
    expect(describeConflicts([{ owner: one, path: [fieldElement("x")] }]).message).toBe(
      'Apply failed with 1 conflict: conflict with "one" with subresource "status" using v1: .x',
    );
  });

  it("A96 names the first thousand of many conflicts, and how many more there are", () => {
    const conflicts = Array.from({ length: 1_500 }, (_, index) => ({ owner, path: [fieldElement(`f${index}`)] }));
    const { message, causes } = describeConflicts(conflicts);
    expect(causes).toHaveLength(1_000);
    expect(message).toMatch(/^Apply failed with 1500 conflicts: conflicts with "one":\n- \.f0\n/u);
    expect(message).toMatch(/\n- \.f999\nand 500 more conflicts$/u);
  });

  it("A96 names fewer below an item whose key is a long text", () => {
    const item = keysElement([{ name: "name", value: "k".repeat(300_000) }]);
    const conflicts = Array.from({ length: 20_000 }, (_, index) => ({
      owner,
      path: [item, fieldElement(`f${index}`)],
    }));
    const { message, causes } = describeConflicts(conflicts);
    expect(causes).toHaveLength(4);
    expect(message.endsWith("and 19996 more conflicts")).toBe(true);
  });
});
