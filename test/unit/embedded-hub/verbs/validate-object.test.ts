import { describe, expect, it } from "vitest";
import type { ResourceDefinition, ResourceHooks } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { invalid } from "../../../../src/embedded-hub/schema/field-error.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { validateObject } from "../../../../src/embedded-hub/verbs/validate-object.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator } from "../controllers/hub-world.ts";
import { startMemoryHub } from "./memory-hub.ts";

const thing: KubeObject = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "a" }, spec: { size: 1 } };
const schema: Schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { size: { type: "integer", maximum: 5 } } },
    status: { type: "object", properties: { seen: { type: "integer" } } },
  },
};
const scale = { specPath: ".spec.size", statusPath: ".status.seen" };

interface Asked {
  readonly object?: KubeObject;
  readonly old?: KubeObject;
  readonly hooks?: ResourceHooks;
  readonly custom?: boolean;
  readonly subresource?: string;
  readonly schema?: Schema;
}

/** The fields of what is wrong, and warnings. The metadata is wrong already. */
async function findingsOf(asked: Asked) {
  const { definitionOf } = await startMemoryHub();
  const kind = {
    group: "example.org",
    version: "v1",
    apiVersion: "example.org/v1",
    kind: "Thing",
    hooks: asked.hooks ?? {},
  };
  const subresources = [
    { name: "status", verbs: [] },
    { name: "scale", verbs: [], scale },
  ];
  const custom = asked.custom === false ? {} : { structuralSchema: asked.schema ?? schema, subresources };
  const definition: ResourceDefinition = { ...definitionOf("v1", "ConfigMap"), ...kind, ...custom };
  const warnings: string[] = [];
  const found = await validateObject(definition, {
    object: asked.object ?? thing,
    ...(asked.old === undefined ? {} : { old: asked.old }),
    context: {
      ...{ now: "2026-01-01T00:00:00Z", user: administrator, warnings },
      ...(asked.subresource === undefined ? {} : { subresource: asked.subresource }),
    },
    earlier: [invalid("metadata.name", "a", "no")],
  });
  return [...found.map(({ field }) => field), ...warnings];
}

const [first, second] = ["verified", "validated"].map((field) => [invalid(field, "a", "no")]);
const failing: ResourceHooks = { verify: () => Promise.resolve(first ?? []), validate: () => second ?? [] };
const last = { ...failing, validatesMetadataLast: true };
const withStatus = (value: unknown): KubeObject => ({ ...thing, status: { seen: value } });
const warning: Schema = {
  ...schema,
  "x-kubernetes-validations": [{ rule: "true", reason: "FieldValueInvalid", messageExpression: "'x'" }],
};

const rows: readonly (readonly [reason: string, asked: Asked, findings: readonly string[]])[] = [
  ["of a built-in kind without rules", { custom: false }, ["metadata.name"]],
  [
    "of a built-in kind, after its metadata",
    { custom: false, hooks: failing },
    ["metadata.name", "verified", "validated"],
  ],
  ["of a kind that has its metadata checked last", { custom: false, hooks: last }, ["verified", "validated"]],
  [
    "of such a kind when nothing else is wrong",
    { custom: false, hooks: { validatesMetadataLast: true } },
    ["metadata.name"],
  ],
  [
    "of such a kind when it is changed",
    { custom: false, hooks: last, old: thing },
    ["metadata.name", "verified", "validated"],
  ],
  ["of a custom object", {}, ["metadata.name"]],
  [
    "of a custom object that its schema refuses",
    { object: { ...thing, spec: { size: 9 } } },
    ["metadata.name", "spec.size"],
  ],
  [
    "of one whose own checks fail, too",
    { hooks: failing, object: { ...thing, spec: { size: 9 } } },
    ["metadata.name", "verified", "validated", "spec.size"],
  ],
  [
    "of another kind: nothing else is read",
    { object: { ...thing, kind: "Other", spec: { size: 9 } } },
    ["metadata.name", "kind"],
  ],
  ["of another version", { object: { ...thing, apiVersion: "example.org/v2" } }, ["metadata.name", "apiVersion"]],
  [
    "of its status, not of what is beside it",
    { subresource: "status", object: { ...withStatus("x"), spec: { size: 9 } } },
    ["metadata.name", "status.seen", ".status.seen"],
  ],
  ["of a number of replicas below zero", { object: { ...thing, spec: { size: -1 } } }, ["metadata.name", ".spec.size"]],
  [
    "of what a change leaves as it was",
    { object: { ...thing, spec: { size: 9 } }, old: { ...thing, spec: { size: 9 } } },
    ["metadata.name"],
  ],
  ["of one with rules that hold", { schema: warning }, ["metadata.name"]],
];

describe("what is wrong with an object", () => {
  it.each(rows)("%s", async (_reason, asked, findings) => {
    expect(await findingsOf(asked)).toEqual(findings);
  });
});
