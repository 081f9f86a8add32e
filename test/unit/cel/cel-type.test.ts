import { describe, expect, it } from "vitest";
import { compileCel } from "../../../src/cel/cel.ts";
import type { CelType } from "../../../src/cel/cel-type.ts";
import { describeType, parseType, resolve, unify } from "../../../src/cel/cel-type.ts";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("types that fit one another", () => {
  it.each([
    "type(net.IP) == type",
    "google.protobuf.Timestamp == type(timestamp(0))",
    "(true ? null : optional.of(1)) == null",
    "(true ? null : quantity('1')) == null",
    "(true ? null : duration('1s')) == null",
    "null == null",
    "[type(1), type(2)].size() == 2",
    "(true ? type(1) : type('a')) == int",
    "type(1) in [int]",
    "[1].map(x, type(x)) == [int]",
    "[int, int].size() == 2",
    "list == type([1])",
    "type(type(1)) == type",
    "type(dyn(1)) == int",
    "[1].map(x, type(x)).size() == 1",
    "[1, 2].map(x, type(x)) == [int, int]",
    "[].all(x, type(x) == type(1) && x == 1)",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "(true ? timestamp(0) : null) == null",
    "null == dyn(1)",
    "[null] == [timestamp(0)]",
    "{'a': null} == {'a': timestamp(0)}",
    "type(1) == list",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "google.protobuf.Timestamp.a == 1",
      "ERROR: <input>:1:26: type 'type(timestamp)' does not support field selection",
    ],
    ["type(1).a == 1", "ERROR: <input>:1:8: type 'type(int)' does not support field selection"],
    ["int.a", "ERROR: <input>:1:4: type 'type(int)' does not support field selection"],
    [
      "(true ? null : 1) == null",
      "ERROR: <input>:1:7: found no matching overload for '_?_:_' applied to '(bool, null, int)'",
    ],
    [
      "(true ? 1 : null) == null",
      "ERROR: <input>:1:7: found no matching overload for '_?_:_' applied to '(bool, int, null)'",
    ],
    [
      "(true ? null : [1]) == null",
      "ERROR: <input>:1:7: found no matching overload for '_?_:_' applied to '(bool, null, list(int))'",
    ],
    [
      "(true ? null : 'a') == null",
      "ERROR: <input>:1:7: found no matching overload for '_?_:_' applied to '(bool, null, string)'",
    ],
    ["null == type(1)", "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(null, type(int))'"],
    ["type(1) == null", "ERROR: <input>:1:9: found no matching overload for '_==_' applied to '(type(int), null)'"],
    ["b'a' == null", "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(bytes, null)'"],
    ["null == true", "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(null, bool)'"],
    ["[null] == [1]", "ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(list(null), list(int))'"],
    [
      "{'a': null} == {'a': 1}",
      "ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(map(string, null), map(string, int))'",
    ],
    ["type(1) == 1", "ERROR: <input>:1:9: found no matching overload for '_==_' applied to '(type(int), int)'"],
    ["[int, string].size() == 2", "ERROR: <input>:1:7: expected type 'type(int)' but found 'type(string)'"],
    ["[type(1), type('a')].size() == 2", "ERROR: <input>:1:15: expected type 'type(int)' but found 'type(string)'"],
    ["type(type(1)).a == 1", "ERROR: <input>:1:14: type 'type(type(int))' does not support field selection"],
    ["type([1]).a == 1", "ERROR: <input>:1:10: type 'type(list(int))' does not support field selection"],
    ["type({'a': 1}).a == 1", "ERROR: <input>:1:15: type 'type(map(string, int))' does not support field selection"],
    ["list.a == 1", "ERROR: <input>:1:5: type 'type(list(A))' does not support field selection"],
    ["map.a == 1", "ERROR: <input>:1:4: type 'type(map(A, B))' does not support field selection"],
    ["optional_type.a == 1", "ERROR: <input>:1:14: type 'type(optional_type)' does not support field selection"],
    ["null_type.a == 1", "ERROR: <input>:1:10: type 'type(null)' does not support field selection"],
    ["net.IP.a == 1", "ERROR: <input>:1:7: type 'type(net.IP)' does not support field selection"],
    ["type.a == 1", "ERROR: <input>:1:5: type 'type(type)' does not support field selection"],
    ["google.protobuf.Duration.a == 1", "ERROR: <input>:1:25: type 'type(duration)' does not support field selection"],
    [
      "type(optional.of(1)).a == 1",
      "ERROR: <input>:1:21: type 'type(optional_type(int))' does not support field selection",
    ],
    ["type(dyn(1)).a == 1", "ERROR: <input>:1:13: type 'type(dyn)' does not support field selection"],
    ["type(null).a == 1", "ERROR: <input>:1:11: type 'type(null)' does not support field selection"],
    ["type(timestamp(0)).a == 1", "ERROR: <input>:1:19: type 'type(timestamp)' does not support field selection"],
    ["type(ip('1.1.1.1')).a == 1", "ERROR: <input>:1:20: type 'type(net.IP)' does not support field selection"],
    [
      "type(1) in ['a']",
      "ERROR: <input>:1:9: found no matching overload for '@in' applied to '(type(int), list(string))'",
    ],
    ["type(1) + 1 == 2", "ERROR: <input>:1:9: found no matching overload for '_+_' applied to '(type(int), int)'"],
    ["type([]).a == 1", "ERROR: <input>:1:9: type 'type(list(_var0))' does not support field selection"],
    ["int + 1 == 2", "ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(type(int), int)'"],
    ["list + 1 == 2", "ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(type(list(dyn)), int)'"],
    [
      "map + 1 == 2",
      "ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(type(map(dyn, dyn)), int)'",
    ],
    [
      "type([]) + 1 == 2",
      "ERROR: <input>:1:10: found no matching overload for '_+_' applied to '(type(list(dyn)), int)'",
    ],
    [
      "[type([]), type([1])].size() == 2",
      "ERROR: <input>:1:16: expected type 'type(list(dyn))' but found 'type(list(int))'",
    ],
    ["[list, map].size() == 2", "ERROR: <input>:1:8: expected type 'type(list(dyn))' but found 'type(map(dyn, dyn))'"],
    [
      "[list, type([1])].size() == 2",
      "ERROR: <input>:1:12: expected type 'type(list(dyn))' but found 'type(list(int))'",
    ],
    ["[type(1), dyn(1)].size() == 2", "ERROR: <input>:1:14: expected type 'type(int)' but found 'dyn'"],
    ["[type(dyn(1)), type(1)].size() == 2", "ERROR: <input>:1:20: expected type 'type(dyn)' but found 'type(int)'"],
    ["type(int).a == 1", "ERROR: <input>:1:10: type 'type(type(int))' does not support field selection"],
    ["net.CIDR.a == 1", "ERROR: <input>:1:9: type 'type(net.CIDR)' does not support field selection"],
    [
      "type(optional.none()).a == 1",
      "ERROR: <input>:1:22: type 'type(optional_type(_var0))' does not support field selection",
    ],
    [
      "[optional_type, int].size() == 1",
      "ERROR: <input>:1:17: expected type 'type(optional_type)' but found 'type(int)'",
    ],
    [
      "[].all(x, x == type(x))",
      "ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(dyn, type(dyn))'",
    ],
    [
      "[].all(x, type(x) == x)",
      "ERROR: <input>:1:19: found no matching overload for '_==_' applied to '(type(dyn), dyn)'",
    ],
    ["[].map(x, [x, type(x)]) == []", "ERROR: <input>:1:19: expected type 'dyn' but found 'type(dyn)'"],
    ["[].all(x, x == [x])", "ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(dyn, list(dyn))'"],
    [
      "[].all(x, x == {'a': x})",
      "ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(dyn, map(string, dyn))'",
    ],
    [
      "[].all(x, x == optional.of(x))",
      "ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(dyn, optional_type(dyn))'",
    ],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

describe("unify", () => {
  const object = (name: string): CelType => ({ kind: "object", name, fields: new Map() });
  const opaque = parseType("a.B");

  it.each<[CelType, CelType, boolean]>([
    [object("a.B"), object("a.B"), true],
    [object("a.B"), object("a.C"), false],
    [object("a.B"), opaque, false],
    [opaque, object("a.B"), false],
    [opaque, opaque, true],
    [opaque, parseType("a.C"), false],
    [opaque, parseType("int"), false],
    [parseType("int"), object("a.B"), false],
    [parseType("null_type"), object("a.B"), true],
    [parseType("optional<int>"), parseType("optional<string>"), false],
    [parseType("optional<int>"), parseType("list<int>"), false],
    [parseType("A"), parseType("A"), true],
    [parseType("A"), parseType("list<A>"), false],
    [parseType("map<A, int>"), parseType("A"), false],
    [parseType("A"), parseType("map<int, A>"), false],
    [parseType("A"), parseType("optional<A>"), false],
    [parseType("A"), parseType("type<A>"), false],
    [parseType("A"), parseType("list<B>"), true],
    [parseType("A"), parseType("type"), true],
  ])("%j and %j: %s", (left, right, expected) => {
    expect(unify(left, right, new Map())).toBe(expected);
  });

  it("binds what is unknown, and the newer one of two", () => {
    const bindings = new Map<string, CelType>();
    expect(unify(parseType("map<A, optional<B>>"), parseType("map<int, optional<C>>"), bindings)).toBe(true);
    expect(unify(parseType("C"), parseType("string"), bindings)).toBe(true);
    expect(describeType(resolve(parseType("map<A, optional<C>>"), bindings))).toBe("map(int, optional_type(string))");
    expect(unify(parseType("B"), parseType("list<C>"), bindings)).toBe(false);
  });
});

/** The expression is no bool: its type is in the message. */
function typeIn(text: string): string {
  const compiled = compileCel(`${text} == 1`, { variables: {} });
  return compiled.kind === "refused" ? (compiled.issues[0]?.message ?? "") : "";
}

describe("a type of many parts", () => {
  const steps = 14;
  // Each map has the former type twice: 16,384 times after 14 steps.
  it.each(["{x: x}", "true ? {x: x} : {x: x}", "optional.of({x: x}).value()", "{[x]: [x]}"])(
    "A214 does not grow without a bound with the steps of a chain: %s",
    (step) => {
      const type = typeIn(`[1]${`.map(x, ${step})`.repeat(steps)}`);
      expect(type).toMatch(/^found no matching overload for '_==_' applied to '\(list\(map\(/u);
      expect(type.length).toBeLessThan(4000);
    },
  );

  it("A214 does not grow so by what is found out of its parameters", () => {
    const names = Array.from({ length: steps }, (_, index) => `m${index}`);
    const loops = names.map((name) => `[{}].all(${name}, `).join("");
    const parts = names.slice(1).map((name, index) => `(${name} in m${index}) && (m${index}[${name}] == ${name})`);
    const type = typeIn(`${loops}${parts.join(" && ")} && m0${")".repeat(steps)}`);
    expect(type).toMatch(/^expected type 'bool' but found 'map\(map\(/u);
    expect(type.length).toBeLessThan(4000);
  });

  it("is whole as long as no real one is longer", () => {
    const nested = (name: string, depth: number): string => `${`${name}(`.repeat(depth)}int${")".repeat(depth)}`;
    expect(typeIn(`[1]${".map(x, [x])".repeat(50)}`)).toContain(nested("list", 51));
  });
});
