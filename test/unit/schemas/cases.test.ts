import { Environment } from "@marcbachmann/cel-js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/core/json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { fileSchemas } from "../../../src/model/generated/schemas.ts";
import type { FileKind } from "../../../src/model/generated/schemas.ts";
import { clusterCases, gitOnlyCases, groupCases, tokenCases } from "./cases.ts";
import type { SchemaCase } from "./cases.ts";
import { extensionKeywords } from "./source-schemas.ts";

const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
for (const keyword of extensionKeywords) ajv.addKeyword(keyword);
const cel = new Environment().registerVariable("self", "dyn");

function isFileKind(kind: string): kind is FileKind {
  return kind in fileSchemas;
}

function schemaOf({ kind }: SchemaCase): JsonObject {
  if (!isFileKind(kind)) throw new Error(`${kind} is no kind of a file`);
  return fileSchemas[kind];
}

/** Messages of the rules that a value breaks, at every depth. */
function* brokenRules(value: unknown, schema: JsonObject): Generator<string> {
  if (value === null || value === undefined) return;
  const rules = schema["x-kubernetes-validations"];
  for (const item of Array.isArray(rules) ? rules : []) {
    if (!isJsonObject(item)) continue;
    const { rule, message } = item;
    if (typeof rule !== "string" || typeof message !== "string") throw new Error("a rule needs rule and message");
    if (cel.evaluate(rule, { self: value }) !== true) yield message;
  }
  const { properties, items } = schema;
  if (isJsonObject(properties) && isJsonObject(value)) {
    for (const [name, part] of Object.entries(properties)) {
      if (isJsonObject(part)) yield* brokenRules(value[name], part);
    }
  }
  if (isJsonObject(items) && Array.isArray(value)) {
    for (const item of value) yield* brokenRules(item, items);
  }
}

const cases = [...clusterCases, ...tokenCases, ...groupCases, ...gitOnlyCases].map(
  (item) => [`${item.kind} with ${item.reason}`, item] as const,
);

describe("schemas of files", () => {
  it.each(cases.filter(([, { refusal }]) => refusal === undefined))("accept %s", (_name, item) => {
    const validate = ajv.compile(schemaOf(item));
    expect(validate(item.object), ajv.errorsText(validate.errors)).toBe(true);
    expect([...brokenRules(item.object, schemaOf(item))]).toEqual([]);
  });

  it.each(cases.filter(([, { by }]) => by === "schema"))("refuse %s", (_name, item) => {
    expect(ajv.compile(schemaOf(item))(item.object)).toBe(false);
  });

  it.each(cases.filter(([, { by }]) => by === "rule"))("refuse %s by one rule, with its reason", (_name, item) => {
    const validate = ajv.compile(schemaOf(item));
    expect(validate(item.object), ajv.errorsText(validate.errors)).toBe(true);
    expect([...brokenRules(item.object, schemaOf(item))]).toEqual([expect.stringMatching(item.refusal ?? /^$/u)]);
  });
});
