import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { createRuleChecker } from "../../../src/manifests/check-rules.ts";
import type { DocumentPath } from "../../../src/manifests/yaml-document.ts";

const noEnd = { rule: "self.from < self.to", message: "must end after its start" };
const short = { rule: "self.size() < 4", message: "must be short" };
const even = { rule: "self % 2 == 0" };

function check(document: JsonObject, schema: JsonObject, broken: readonly DocumentPath[] = []): string[] {
  return createRuleChecker()(document, schema, broken).map(({ path, message }) => `${path.join("/")} ${message}`);
}

const rules = (...validations: readonly unknown[]) => ({ "x-kubernetes-validations": validations }) as JsonObject;
const span = { type: "object", properties: { span: rules(noEnd) } } as JsonObject;

describe("the rules of a schema", () => {
  it.each([
    {
      place: "of the whole document",
      schema: rules(noEnd),
      document: { from: 2, to: 1 },
      seen: " must end after its start",
    },
    {
      place: "of a field",
      schema: span,
      document: { span: { from: 2, to: 1 } },
      seen: "span span: must end after its start",
    },
    {
      place: "of a field of a field",
      schema: { properties: { spec: span } },
      document: { spec: { span: { from: 2, to: 1 } } },
      seen: "spec/span spec.span: must end after its start",
    },
    {
      place: "of each item of a list",
      schema: { properties: { counts: { items: rules(even) } } },
      document: { counts: [2, 3] },
      seen: "counts/1 counts[1]: must satisfy self % 2 == 0",
    },
    {
      place: "of a field of the items, where the list has none itself",
      schema: { properties: { spans: { items: span } } },
      document: { spans: [{ span: { from: 1, to: 2 } }, { span: { from: 2, to: 1 } }] },
      seen: "spans/1/span spans[1].span: must end after its start",
    },
  ])("hold $place", ({ schema, document, seen }) => {
    expect(check(document as JsonObject, schema as JsonObject)).toEqual([seen]);
  });

  it("are all reported, each with its message, or with the rule where it has none", () => {
    const schema = { properties: { name: rules(short, { rule: "self != 'long!'" }) } } as JsonObject;
    expect(check({ name: "long!" }, schema)).toEqual([
      "name name: must be short",
      "name name: must satisfy self != 'long!'",
    ]);
    expect(check({ name: "abc" }, schema)).toEqual([]);
  });

  it("report nothing of what is not there, and of null", () => {
    expect(check({}, span)).toEqual([]);
    expect(check({ span: null }, span)).toEqual([]);
    expect(check({ counts: {} }, { properties: { counts: { items: rules(even) } } })).toEqual([]);
  });

  it("are not asked about values that a name of every object has", () => {
    const schema = { properties: { toString: rules({ rule: "false", message: "never" }) } } as JsonObject;
    expect(check({}, schema)).toEqual([]);
  });

  it("refuse a value that they cannot be evaluated on, and one that is not true", () => {
    const schema = { properties: { name: rules({ rule: "self.more > 1", message: "has too little" }) } } as JsonObject;
    expect(check({ name: "text" }, schema)).toEqual(["name name: has too little"]);
    expect(check({ name: 1 }, { properties: { name: rules({ rule: "self", message: "is not true" }) } })).toEqual([
      "name name: is not true",
    ]);
  });

  it("do not repeat the place that their message begins with", () => {
    const named = (message: string) => ({
      properties: { spec: { properties: { name: rules({ rule: "false", message }) } } },
    });
    const seen = (message: string) => check({ spec: { name: "a" } }, named(message));
    expect(seen("spec.name: is wrong")).toEqual(["spec/name spec.name: is wrong"]);
    expect(seen("name is wrong")).toEqual(["spec/name name is wrong"]);
    expect(seen("is no good name")).toEqual(["spec/name spec.name: is no good name"]);
  });

  it("are left out where the value, or something in it, breaks the schema", () => {
    const schema = {
      properties: { spec: { ...rules(noEnd), properties: { other: rules({ rule: "false", message: "never" }) } } },
    };
    const document = { spec: { from: 2, to: 1, other: 1 } };
    const seen = (...broken: readonly DocumentPath[]) => check(document, schema, broken);
    expect(seen()).toHaveLength(2);
    expect(seen(["spec", "from"])).toEqual(["spec/other spec.other: never"]);
    expect(seen(["spec"])).toEqual(["spec/other spec.other: never"]);
    expect(seen(["spec", "other"])).toEqual([]);
    expect(seen(["status", "from"], ["spec2"])).toHaveLength(2);
  });

  it("are read only where they are rules", () => {
    for (const strange of [5, "rule", { rule: "false" }])
      expect(check({ a: 1 }, { "x-kubernetes-validations": strange })).toEqual([]);
    expect(check({ a: 1 }, rules(null, "false", { message: "no rule" }, { rule: 5 }, ["false"]))).toEqual([]);
    expect(check({ a: 1 }, { properties: 5, items: "x" })).toEqual([]);
    expect(check({ a: 1 }, { properties: { a: 5 } })).toEqual([]);
    expect(check({ a: 1 }, { properties: { a: rules({ rule: "false", message: 7 }) } })).toEqual([
      "a a: must satisfy false",
    ]);
  });

  it("that do not compile are a bug of this program", () => {
    expect(() => check({ a: 1 }, rules({ rule: "self +" }))).toThrow(/E_BUG|does not compile/u);
  });

  it("are read once for each schema", () => {
    const checker = createRuleChecker();
    let reads = 0;
    const schema = {
      get properties() {
        reads++;
        return { name: rules(short) };
      },
    };
    for (const name of ["long!", "abc", "longer"]) checker({ name }, schema, []);
    expect(reads).toBe(1);
  });
});
