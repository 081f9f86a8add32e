import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { explainSchemaErrors } from "../../../src/manifests/explain-schema-error.ts";

const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, validateSchema: false });

function explain(schema: JsonObject, document: unknown) {
  const validate = ajv.compile(schema);
  validate(document);
  return explainSchemaErrors(validate.errors ?? [], schema);
}

/** Message and fix of everything that is wrong with the field `a` of a document. */
function seen(field: unknown, value: unknown): string[] {
  const findings = explain({ properties: { a: field } } as JsonObject, { a: value });
  for (const { code, path, part } of findings) expect([code, path, part]).toEqual(["E_SCHEMA", ["a"], "value"]);
  return findings.map(({ message, fix }) => (fix === undefined ? message : `${message} | ${fix}`));
}

const text = { type: "string" };
const whole = { type: "integer" };
const flag = { type: "boolean" };
const names = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
const nameWords = "lower-case letters, digits and hyphens, with a letter or digit at both ends";
const duration = { type: "string", "x-kubernetes-validations": [{ rule: "duration(self) > duration('0s')" }] };
const quote = "Put the value in quotes.";

describe("explainSchemaErrors: a value of another type", () => {
  it.each([
    [text, null, "a: has no value, it must be text | Give it a value, or delete the key."],
    [text, 5, `a: must be text, not the number 5 | ${quote}`],
    [text, true, `a: must be text, not true | ${quote}`],
    [text, false, `a: must be text, not false | ${quote}`],
    [text, ["b"], "a: must be text, not a list"],
    [text, { b: 1 }, "a: must be text, not a map"],
    [whole, "5", "a: must be a whole number, not text | Write the number without quotes."],
    [whole, "-15", "a: must be a whole number, not text | Write the number without quotes."],
    [whole, "5s", "a: must be a whole number, not text"],
    [whole, "v5", "a: must be a whole number, not text"],
    [whole, "five", "a: must be a whole number, not text"],
    [whole, true, "a: must be a whole number, not true"],
    [whole, 1.5, "a: must be a whole number, not the number 1.5"],
    [flag, "yes", "a: must be true or false, not text | Write true or false, without quotes."],
    [flag, "1", "a: must be true or false, not text | Write true or false, without quotes."],
    [flag, 1, "a: must be true or false, not the number 1"],
    [{ type: "number" }, "x", "a: must be a number, not text"],
    [{ type: "object" }, "x", "a: must be a map of keys and values, not text"],
    [{ type: "array" }, { b: 1 }, "a: must be a list, not a map"],
    [{ type: ["string", "null"] }, 5, `a: must be text or empty, not the number 5 | ${quote}`],
    [
      { type: ["integer", "boolean"] },
      "x",
      "a: must be a whole number or true or false, not text | Write true or false, without quotes.",
    ],
  ])("%j with %j: %s", (field, value, line) => {
    expect(seen(field, value)).toEqual([line]);
  });

  const withUnit = (message: string, value: number) =>
    `${message} | Write it with its unit and in quotes, such as "${value}s" for seconds or "24h".`;

  it("asks for a unit where a duration is a number", () => {
    expect(seen(duration, 90)).toEqual([withUnit("a: must be text, not the number 90", 90)]);
    expect(seen(duration, -1)).toEqual([
      'a: must be text, not the number -1 | Write a duration that is not negative, with its unit and in quotes, such as "0s" or "24h".',
    ]);
    expect(seen(duration, true)).toEqual([`a: must be text, not true | ${quote}`]);
    const schema = { properties: { spec: { properties: { ttl: text, ttlOf: text } } } };
    expect(explain(schema, { spec: { ttl: 15, ttlOf: 15 } }).map(({ message, fix }) => `${message} | ${fix}`)).toEqual([
      withUnit("spec.ttl: must be text, not the number 15", 15),
      `spec.ttlOf: must be text, not the number 15 | ${quote}`,
    ]);
  });

  it("names the document where it is no map", () => {
    expect(explain({ type: "object" }, ["a"])).toEqual([
      {
        code: "E_SCHEMA",
        path: [],
        part: "value",
        message: "the document: must be a map of keys and values, not a list",
        fix: undefined,
      },
    ]);
  });
});

describe("explainSchemaErrors: a value that breaks a bound", () => {
  const port = { minimum: 1, maximum: 9 };

  it.each([
    [{ minLength: 1 }, "", "a: must not be empty"],
    [{ minLength: 3 }, "b", "a: must have at least 3 characters"],
    [{ maxLength: 2 }, "b🙂c", "a: has 3 characters, at most 2 are allowed"],
    [{ minimum: 1 }, 0, "a: must be at least 1, not 0"],
    [{ maximum: 9 }, 10, "a: must be at most 9, not 10"],
    [port, 0, "a: must be at least 1, not 0 | Use a number from 1 to 9."],
    [port, 10, "a: must be at most 9, not 10 | Use a number from 1 to 9."],
    [{ minItems: 1 }, [], "a: must not be empty"],
    [{ minItems: 2 }, ["b"], "a: must have at least 2 entries"],
    [{ maxItems: 1 }, ["b", "c"], "a: has too many entries, at most 1 are allowed"],
    [{ minProperties: 1 }, {}, "a: must not be empty"],
    [{ minProperties: 2 }, { b: 1 }, "a: must have at least 2 entries"],
    [{ maxProperties: 1 }, { b: 1, c: 2 }, "a: has too many entries, at most 1 are allowed"],
    [{ uniqueItems: true }, ["b", "c", "b"], "a: entries 2 and 0 (counted from 0) are equal"],
    [{ multipleOf: 2 }, 3, "a: must be multiple of 2"],
  ])("%j with %j: %s", (field, value, line) => {
    expect(seen(field, value)).toEqual([line]);
  });

  it("names a rule for which there are no words", () => {
    const error: ErrorObject = { keyword: "odd", instancePath: "/a", schemaPath: "#/odd", params: {}, data: 2 };
    expect(explainSchemaErrors([error], {})).toEqual([
      { code: "E_SCHEMA", path: ["a"], part: "value", message: "a: breaks the rule odd", fix: undefined },
    ]);
  });
});

describe("explainSchemaErrors: a value that is none of those that are allowed", () => {
  const numberOrName = { anyOf: [whole, { type: "string", pattern: "^[0-9]+%?$" }] };
  const branches = [...Array.from({ length: 10 }, () => whole), flag];

  it.each([
    [{ enum: ["Pull", "Push"] }, "Pul", 'a: "Pul" is not one of Pull, Push, did you mean Pull? | Write Pull.'],
    [{ enum: ["Pull", "Push"] }, "Dual", 'a: "Dual" is not one of Pull, Push | Use one of them.'],
    [{ enum: ["Pull", "1"] }, 1, "a: the number 1 is not one of Pull, 1 | Use one of them."],
    [{ enum: ["Pull"] }, ["Pull"], "a: a list is not one of Pull | Use one of them."],
    [{ enum: ["Pull"] }, null, "a: empty is not one of Pull | Use one of them."],
    [{ pattern: names }, "A b", `a: "A b" is not allowed | Use ${nameWords}.`],
    [{ pattern: "^x$" }, "y", 'a: "y" is not allowed'],
    [numberOrName, "ten", 'a: must be a number or a percentage, not "ten"'],
    [numberOrName, 1.5, "a: must be a number or a percentage, not the number 1.5"],
    [numberOrName, ["b"], "a: must be a number or a percentage, not a list"],
    [{ anyOf: [whole, flag] }, "b", 'a: must be a whole number or true or false, not "b"'],
    [{ anyOf: [whole, { minLength: 9 }] }, "b", 'a: must be a whole number or something else, not "b"'],
  ])("%j with %j: %s", (field, value, line) => {
    expect(seen(field, value)).toEqual([line]);
  });

  it("reports once that no alternative fits, however many there are", () => {
    const alternatives = [...branches.slice(0, 10).map(() => "a whole number"), "true or false"].join(" or ");
    expect(seen({ anyOf: branches }, "y")).toEqual([`a: must be ${alternatives}, not "y"`]);
  });
});

describe("explainSchemaErrors: several errors", () => {
  it.each([
    [{ enum: ["b"], pattern: names }, "C D", 'a: "C D" is not one of b | Use one of them.'],
    [{ enum: ["b"], anyOf: [whole, flag] }, "c", 'a: must be a whole number or true or false, not "c"'],
    [{ minLength: 1, pattern: names }, "", "a: must not be empty"],
    [{ minLength: 3, enum: ["bcd"] }, "b", 'a: "b" is not one of bcd | Use one of them.'],
    [{ maxItems: 1, uniqueItems: true }, ["b", "b"], "a: has too many entries, at most 1 are allowed"],
    [{ allOf: [{ minimum: 3 }, { minimum: 5 }] }, 1, "a: must be at least 3, not 1"],
  ])("of one value are one: %j with %j", (field, value, line) => {
    expect(seen(field, value)).toEqual([line]);
  });

  it("of different fields are all reported, the first 200 of them", () => {
    const schema = { items: text };
    expect(explain(schema, [1, "b", 2]).map(({ path }) => path)).toEqual([["0"], ["2"]]);
    const findings = explain(
      schema,
      Array.from({ length: 201 }, (_, index) => index),
    );
    expect(findings).toHaveLength(200);
    expect(findings.at(-1)?.message).toBe("[199]: must be text, not the number 199");
  });
});

describe("explainSchemaErrors: keys", () => {
  it("names each field that is missing, with its description", () => {
    const properties = {
      name: { description: "Name of the object, e.g. edge." },
      kind: { description: "The kind" },
      url: { type: "string" },
      port: { description: 5 },
    };
    const required = ["name", "kind", "url", "port", "other"];
    const schema: JsonObject = { properties: { spec: { properties, required } } };
    const finding = (name: string, fix: string) => ({
      code: "E_SCHEMA",
      path: ["spec"],
      part: "key",
      missing: ["spec", name],
      message: `spec.${name}: is missing`,
      fix,
    });
    expect(explain(schema, { spec: {} })).toEqual([
      finding("name", "Add spec.name (Name of the object, e.g. edge)."),
      finding("kind", "Add spec.kind (The kind)."),
      finding("url", "Add spec.url."),
      finding("port", "Add spec.port."),
      finding("other", "Add spec.other."),
    ]);
    expect(explain({ required: ["name"] }, {}).map(({ fix }) => fix)).toEqual(["Add name."]);
  });

  it("does not call a field missing that is there under a misspelt name", () => {
    const fields = { properties: { name: text, size: whole }, required: ["name", "size"], additionalProperties: false };
    const schema: JsonObject = { properties: { spec: fields } };
    expect(explain(schema, { spec: { nmae: "b" } }).map(({ message }) => message)).toEqual([
      "spec.size: is missing",
      "spec.nmae: unknown field, did you mean name?",
    ]);
  });

  it("reports a key that is not allowed once, at the key", () => {
    const labels = { propertyNames: { pattern: names, maxLength: 5 }, additionalProperties: text };
    const schema: JsonObject = { properties: { labels } };
    const finding = (key: string, message: string, fix?: string) => {
      return { code: "E_SCHEMA", path: ["labels", key], part: "key", message, fix };
    };
    expect(explain(schema, { labels: { "b c": "d", longer: "e", fits: "f" } })).toEqual([
      finding("b c", 'labels: the key "b c" is not allowed', `Use ${nameWords}.`),
      finding("longer", "labels: the key has 6 characters, at most 5 are allowed"),
    ]);
    expect(explain(schema, { labels: { "b c": 1 } }).map(({ message }) => message)).toEqual([
      'labels: the key "b c" is not allowed',
      'labels["b c"]: must be text, not the number 1',
    ]);
    expect(explain({ propertyNames: { pattern: names } }, { "b c": 1 }).map(({ message }) => message)).toEqual([
      'the document: the key "b c" is not allowed',
    ]);
  });
});
