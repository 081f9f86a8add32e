import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldSet } from "../../../../src/embedded-hub/apply/field-set.ts";
import {
  countFields,
  differenceOf,
  fieldSetOf,
  fromFieldsV1,
  hasPath,
  intersectionOf,
  isFieldSetEmpty,
  pathsOf,
  recursiveDifferenceOf,
  toFieldsV1,
  unionOf,
} from "../../../../src/embedded-hub/apply/field-set.ts";
import type { Path, PathElement } from "../../../../src/embedded-hub/apply/path-element.ts";
import {
  comparePathElements,
  describePath,
  fieldElement,
  indexElement,
  keysElement,
  parsePathElement,
  valueElement,
} from "../../../../src/embedded-hub/apply/path-element.ts";

const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.constantFrom("a", "b", "c:d", "").map(fieldElement),
  fc.constantFrom("x", 1, true).map(valueElement),
  fc.constantFrom(0, 3).map(indexElement),
  fc.constantFrom("n", "m").map((value) => keysElement([{ name: "name", value }])),
);
const path: fc.Arbitrary<Path> = fc.array(element, { minLength: 1, maxLength: 3 });
const set: fc.Arbitrary<FieldSet> = fc.array(path, { maxLength: 6 }).map((paths) => fieldSetOf(...paths));

describe("a set of fields", () => {
  it("is the same again after it was written and read", () => {
    fc.assert(
      fc.property(set, (one) => {
        const written = JSON.parse(JSON.stringify(toFieldsV1(one))) as ReturnType<typeof toFieldsV1>;
        const read = fromFieldsV1(written);
        expect(read && pathsOf(read)).toEqual(pathsOf(one));
      }),
    );
  });

  it("does what sets do", () => {
    fc.assert(
      fc.property(set, set, path, (left, right, one) => {
        const isLeft = hasPath(left, one);
        const isRight = hasPath(right, one);
        expect(hasPath(unionOf(left, right), one)).toBe(isLeft || isRight);
        expect(hasPath(intersectionOf(left, right), one)).toBe(isLeft && isRight);
        expect(hasPath(differenceOf(left, right), one)).toBe(isLeft && !isRight);
        expect(toFieldsV1(unionOf(left, right))).toEqual(toFieldsV1(unionOf(right, left)));
        expect(isFieldSetEmpty(differenceOf(left, left))).toBe(true);
        expect(isFieldSetEmpty(recursiveDifferenceOf(left, left))).toBe(true);
        expect(isFieldSetEmpty(intersectionOf(differenceOf(left, right), right))).toBe(true);
      }),
    );
  });

  it("loses what is below a path with the path, in a recursive difference", () => {
    fc.assert(
      fc.property(set, set, (left, right) => {
        const rest = recursiveDifferenceOf(left, right);
        const removed = pathsOf(right);
        const isBelow = (one: Path): boolean =>
          removed.some(
            (above) =>
              above.length <= one.length &&
              above.every((part, index) => comparePathElements(part, one[index] ?? part) === 0),
          );
        for (const one of pathsOf(left)) expect(hasPath(rest, one)).toBe(!isBelow(one));
        expect(pathsOf(rest).every((one) => hasPath(left, one))).toBe(true);
      }),
    );
  });

  it("is written as Kubernetes writes it", () => {
    const one = fieldSetOf(
      [fieldElement("spec"), fieldElement("z")],
      [fieldElement("spec")],
      [fieldElement("metadata")],
      [fieldElement("spec"), fieldElement("list"), keysElement([{ name: "name", value: "a" }])],
      [fieldElement("spec"), fieldElement("list"), keysElement([{ name: "name", value: "a" }]), fieldElement("v")],
      [fieldElement("finalizers"), valueElement("x/y")],
    );
    expect(JSON.stringify(toFieldsV1(one))).toBe(
      JSON.stringify({
        "f:finalizers": { 'v:"x/y"': {} },
        "f:metadata": {},
        "f:spec": { ".": {}, "f:list": { 'k:{"name":"a"}': { ".": {}, "f:v": {} } }, "f:z": {} },
      }),
    );
    expect(pathsOf(one).map(describePath)).toContain('.spec.list[name="a"].v');
  });

  it("counts the values of its JSON form without writing it", () => {
    const values = (json: object): number =>
      Object.values(json).reduce<number>((sum, below) => sum + 1 + values(below as object), 0);
    fc.assert(
      fc.property(set, (one) => {
        expect(countFields(one, Infinity)).toBe(values(toFieldsV1(one)));
      }),
    );
    const wide = fieldSetOf(...Array.from({ length: 9 }, (_, index) => [fieldElement(`a${index}`), fieldElement("b")]));
    expect(countFields(wide, 10)).toBeGreaterThan(10);
  });

  it("is not read from what is none", () => {
    expect(fromFieldsV1({ "k:{": {} })).toBeUndefined();
    expect(fromFieldsV1({ "f:a": { "v:": {} } })).toBeUndefined();
    expect(parsePathElement("f:a:b")).toEqual(fieldElement("a:b"));
    expect(parsePathElement("i:x")).toBe("malformed");
  });
});
