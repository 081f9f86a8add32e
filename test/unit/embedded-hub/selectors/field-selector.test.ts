import { describe, expect, it } from "vitest";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import {
  parseFieldSelector,
  parseFieldTerms,
  requiredName,
} from "../../../../src/embedded-hub/selectors/field-selector.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const definitions = builtInResources();

function definitionOf(plural: string): ResourceDefinition {
  const found = definitions.find((one) => one.plural === plural);
  if (found === undefined) throw new Error(`${plural} are not served`);
  return found;
}

const gears: ResourceDefinition = { ...definitionOf("clusterroles"), plural: "gears", kind: "Gear", isCustom: true };
const customJobs: ResourceDefinition = { ...gears, group: "batch", kind: "Job" };

const objects: readonly KubeObject[] = [
  { apiVersion: "v1", kind: "A", metadata: { name: "a", namespace: "shop" }, spec: { nodeName: "n" } },
  { apiVersion: "v1", kind: "A", metadata: { name: "b", namespace: "shop" } },
  { apiVersion: "v1", kind: "A", metadata: { name: "c" } },
];

function outcomeOf(definition: ResourceDefinition, text: string): string {
  try {
    const { matches } = parseFieldSelector(text, definition);
    return objects
      .filter((one) => matches(one))
      .map(({ metadata }) => metadata.name)
      .join(" ");
  } catch (error) {
    if (!isApiFailure(error, "BadRequest")) throw error;
    return error.message;
  }
}

const known = 'only "metadata.name", "metadata.namespace"';

// The texts are those of kube-apiserver 1.34.4.
describe("a field selector", () => {
  it.each([
    ["", "a b c"],
    ["metadata.name=a", "a"],
    ["metadata.name==a", "a"],
    ["metadata.name!=a", "b c"],
    ["metadata.name=a,metadata.name=b", ""],
    ["metadata.name!=a,metadata.namespace=shop", "b"],
    ["metadata.namespace=", "c"],
    ["metadata.namespace!=", "a b"],
    [",,metadata.name=a,", "a"],
    [String.raw`metadata.name=s\,a`, ""],
    [String.raw`metadata.name=s\=a`, ""],
    [String.raw`metadata.name=s\\a`, ""],
    [String.raw`metadata.name=s\-a`, String.raw`invalid field selector: invalid escape sequence: \-`],
    ["metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"],
    ["metadata.name=a=b", "invalid field selector: unescaped character in value: 61"],
    ["metadata.name!==a", "invalid field selector: unescaped character in value: 61"],
    ["metadata.name=a!=b", "invalid field selector: unescaped character in value: 61"],
    ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ["metadata.name=a,x", "invalid selector: 'metadata.name=a,x'; can't understand 'x'"],
    ["x,a", "invalid selector: 'x,a'; can't understand 'a'"],
    ["=a", `"" is not a known field selector: ${known}`],
    ["spec.x=a", `"spec.x" is not a known field selector: ${known}`],
    ["constructor=a", `"constructor" is not a known field selector: ${known}`],
  ])("of ConfigMaps: %j", (text, outcome) => {
    expect(outcomeOf(definitionOf("configmaps"), text)).toBe(outcome);
  });

  it.each([
    ["pods", "spec.nodeName=n", "a"],
    ["pods", "metadata.namespace=shop", "a b"],
    ["pods", "spec.x=a", "field label not supported: spec.x"],
    ["pods", "constructor=a", "field label not supported: constructor"],
    ["nodes", "metadata.name=a", "a"],
    ["nodes", "metadata.namespace=", "field label not supported: metadata.namespace"],
    ["clusterroles", "metadata.namespace=", "c"],
    ["clusterroles", "x=y", `"x" is not a known field selector: ${known}`],
    ["jobs", "metadata.namespace=shop", "a b"],
    ["jobs", "x=y", 'field label "x" not supported for Job'],
    ["cronjobs", "x=y", `"x" is not a known field selector: ${known}`],
  ])("of %s: %s", (plural, text, outcome) => {
    expect(outcomeOf(definitionOf(plural), text)).toBe(outcome);
  });

  it.each([
    [gears, "metadata.name=a", "a"],
    [gears, "metadata.namespace=", "field label not supported: metadata.namespace"],
    [gears, "x=y", "field label not supported: x"],
    [{ ...gears, isNamespaced: true }, "metadata.namespace=shop", "a b"],
    [customJobs, "x=y", "field label not supported: x"],
  ])("of a custom kind: $1", (definition, text, outcome) => {
    expect(outcomeOf(definition, text)).toBe(outcome);
  });

  it("has the values without what escapes them, in the order of the terms", () => {
    expect(parseFieldTerms(String.raw`b=\\\,\=,a\==x,`)).toEqual([
      { field: "a\\", isEqual: true, value: "x" },
      { field: "b", isEqual: true, value: "\\,=" },
    ]);
  });

  it.each([
    ["metadata.name=a", "a"],
    ["metadata.namespace=x,metadata.name=a", "a"],
    ["metadata.name!=a", undefined],
    ["metadata.name!=a,metadata.name=b", "b"],
    ["metadata.namespace=x", undefined],
  ])("requires a name or none: %s", (text, name) => {
    expect(requiredName(parseFieldTerms(text))).toBe(name);
  });

  it("has at most 65,536 characters", () => {
    const longest = `metadata.name=${"a".repeat(65_536 - "metadata.name=".length)}`;
    expect(parseFieldTerms(longest)).toHaveLength(1);
    expect(() => parseFieldTerms(`${longest},`)).toThrow("a selector has more than 65536 characters");
  });
});
