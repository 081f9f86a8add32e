import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/core/json.ts";
import { foreignFileSchemas } from "../../../src/model/generated/foreign-schemas.ts";
import { wordsOfPattern } from "../../../src/manifests/pattern-words.ts";
import { validateDocument as validate, validateForeignDocument } from "../../../src/manifests/validate-document.ts";
import type { FileKind } from "../../../src/model/generated/schemas.ts";
import { fileSchemas } from "../../../src/model/generated/schemas.ts";
import { clusterCases, gitOnlyCases, groupCases, tokenCases } from "../schemas/cases.ts";

function isFileKind(kind: string): kind is FileKind {
  return Object.hasOwn(fileSchemas, kind);
}

function validateAny(kind: string, object: Record<string, unknown>) {
  if (!isFileKind(kind)) throw new Error(`${kind} is no kind of a file`);
  return validate(kind, JSON.parse(JSON.stringify(object)) as Parameters<typeof validate>[1]);
}

function patternsIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(patternsIn);
  if (!isJsonObject(schema)) return [];
  const own = typeof schema["pattern"] === "string" ? [schema["pattern"]] : [];
  return [...own, ...Object.values(schema).flatMap(patternsIn)];
}

const cases = [...clusterCases, ...tokenCases, ...groupCases, ...gitOnlyCases];

describe("validateDocument", () => {
  it.each([[[{ toString: [] }]], [{ toString: "x" }], [[[{ valueOf: 1, toString: 2 }]]]])(
    "A18 explains a map or a list with a key toString where a word is expected: %j",
    (protocol) => {
      const metadata = { name: "a", namespace: "fleet" };
      const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec: { protocol } };
      const messages = JSON.stringify(validateAny("Cluster", object));
      expect(messages).toContain("spec.protocol");
    },
  );

  it.each(cases.filter(({ refusal }) => refusal === undefined))("accepts $kind with $reason", ({ kind, object }) => {
    expect(validateAny(kind, object)).toEqual([]);
  });

  it.each(cases.filter(({ refusal }) => refusal !== undefined))("refuses $kind with $reason", ({ kind, object }) => {
    const findings = validateAny(kind, object);
    expect(findings.length).toBeGreaterThan(0);
    for (const { message } of findings) expect(message).not.toMatch(/must NOT|must have|undefined|\[object/u);
  });

  it.each(cases.filter(({ by }) => by === "rule"))(
    "gives the reason of the rule that refuses $kind with $reason, once",
    ({ kind, object, refusal }) => {
      expect(validateAny(kind, object).map(({ message }) => message)).toEqual([
        expect.stringMatching(refusal ?? /^$/u),
      ]);
    },
  );

  it("A16 leaves rules alone where lists are longer than allowed", () => {
    const taints = Array.from({ length: 5000 }, () => ({ key: "a", effect: "NoSchedule" }));
    const findings = validateAny("Cluster", {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name: "a" },
      spec: { taints },
    });
    expect(findings.map(({ message }) => message)).toEqual([
      "spec.taints: has too many entries, at most 100 are allowed",
    ]);
  });

  it("A18 takes inherited names for what they are: absent", () => {
    const findings = validateAny("Cluster", { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: {} });
    expect(findings.map(({ message }) => message)).toEqual(["metadata.name: is missing"]);
  });
});

describe("validateForeignDocument", () => {
  const seen = (redeployAgentGeneration: number) => {
    const apiVersion = "fleet.cattle.io/v1alpha1";
    const object = { apiVersion, kind: "Cluster", metadata: { name: "a" }, spec: { redeployAgentGeneration } };
    return validateForeignDocument(`${apiVersion} Cluster`, object).map(({ message }) => message);
  };

  it("takes whole numbers of 64 bits, and none beyond, as an API server does", () => {
    const outOf = (shown: string) => [`spec.redeployAgentGeneration: ${shown} is out of the range of int64`];
    expect(seen(-(2 ** 63))).toEqual([]);
    expect(seen(2 ** 63 - 2048)).toEqual([]);
    expect(seen(2 ** 63)).toEqual(outOf("9223372036854776000"));
    expect(seen(-(2 ** 63) - 2048)).toEqual(outOf("-9223372036854778000"));
  });

  it.each(["fleet.cattle.io/v1alpha1 Bundle", "toString"])("has no answer for a kind without a schema: %s", (name) => {
    expect(() => validateForeignDocument(name, {})).toThrow(`no schema for ${name}`);
  });
});

describe("the schemas of files, which the program compiles without evaluating them", () => {
  const ajv = new Ajv2020();

  it.each([fileSchemas, foreignFileSchemas].flatMap((schemas) => Object.entries<object>(schemas)))(
    "are JSON Schema: %s",
    (_name, schema) => {
      expect(ajv.validateSchema(schema)).toBe(true);
      expect(ajv.validateSchema({ ...schema, type: "no type" })).toBe(false);
    },
  );
});

describe("wordsOfPattern", () => {
  it("has words for every pattern of the schemas of files", () => {
    const patterns = [...new Set([fileSchemas, foreignFileSchemas].flatMap(Object.values).flatMap(patternsIn))];
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => wordsOfPattern(pattern) === undefined)).toEqual([]);
  });
});
