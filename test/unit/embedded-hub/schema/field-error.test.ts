import { expect, it } from "vitest";
import * as errors from "../../../../src/embedded-hub/schema/field-error.ts";
import { firstPlaces } from "../../../../src/embedded-hub/schema/first-places.ts";

// The texts are those of apimachinery util/validation/field.
it.each([
  [errors.invalid("a", "b", "c"), "FieldValueInvalid", 'Invalid value: "b": c'],
  [errors.invalid("a", 1.5, ""), "FieldValueInvalid", "Invalid value: 1.5"],
  [errors.invalid("a", { x: "<" }, "c"), "FieldValueInvalid", String.raw`Invalid value: {"x":"\u003c"}: c`],
  [
    errors.invalidStruct("a", { Verb: "<", Path: "" }, "c"),
    "FieldValueInvalid",
    String.raw`Invalid value: {"Verb":"\u003c","Path":""}: c`,
  ],
  [errors.typeInvalid("a", "b", "c"), "FieldValueTypeInvalid", 'Invalid value: "b": c'],
  [errors.required("a"), "FieldValueRequired", "Required value"],
  [errors.required("a", "c"), "FieldValueRequired", "Required value: c"],
  [errors.forbidden("a", "c"), "FieldValueForbidden", "Forbidden: c"],
  [errors.duplicate("a", "b"), "FieldValueDuplicate", 'Duplicate value: "b"'],
  [errors.notFound("a", "b"), "FieldValueNotFound", 'Not found: "b"'],
  [
    errors.notSupported("a", "b", ["c", 1]),
    "FieldValueNotSupported",
    'Unsupported value: "b": supported values: "c", "1"',
  ],
  [errors.notSupported("a", "b", []), "FieldValueNotSupported", 'Unsupported value: "b"'],
  [errors.tooLong("a", 1), "FieldValueTooLong", "Too long: may not be more than 1 byte"],
  [errors.tooLong("a", 2), "FieldValueTooLong", "Too long: may not be more than 2 bytes"],
  [errors.tooMany("a", 2, 1), "FieldValueTooMany", "Too many: 2: must have at most 1 item"],
  [errors.tooMany("a", 3, 2), "FieldValueTooMany", "Too many: 3: must have at most 2 items"],
  [errors.internalError("a", "c"), "InternalError", "Internal error: c"],
])("an error of a field is worded as by kube-apiserver: %j", (error, reason, message) => {
  expect(error).toEqual({ field: "a", reason, message });
});

it("the path of a field is that of its parent with its name, key or index", () => {
  expect([errors.childPath("", "a"), errors.childPath("a", "b")]).toEqual(["a", "a.b"]);
  expect([errors.keyPath("a", "b"), errors.indexPath("a", 1)]).toEqual(["a[b]", "a[1]"]);
});

it("the first place of a value is that of its first occurrence", () => {
  expect(firstPlaces(["a", "b", "a", "b", "c"])).toEqual(
    new Map([
      ["a", 0],
      ["b", 1],
      ["c", 4],
    ]),
  );
});
