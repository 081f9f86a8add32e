import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { ApplyContext } from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import {
  applyObject,
  recordUpdate,
  withoutTimeOnlyChange,
} from "../../../../src/embedded-hub/apply/server-side-apply.ts";
import { fieldSetOf } from "../../../../src/embedded-hub/apply/field-set.ts";
import { fieldElement } from "../../../../src/embedded-hub/apply/path-element.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { customSchema } from "../../../../src/embedded-hub/types/custom-schema.ts";
import { decodeBuiltIn } from "../../../../src/embedded-hub/types/decode-built-in.ts";
import { schemaOf } from "../../../../src/embedded-hub/types/schema-of.ts";
import { messageTypeOfKind } from "../../../../src/embedded-hub/types/type-registry.ts";

/** What kube-apiserver 1.34 answered to writes of random objects by several managers. */
interface Recording {
  readonly customSchema: Schema;
  readonly steps: readonly Step[];
}

interface Step {
  readonly request: "apply" | "update";
  readonly manager: string;
  readonly isForced?: boolean;
  readonly subresource?: string;
  readonly time: string;
  readonly live?: JsonObject;
  readonly object: JsonObject & { readonly apiVersion: string; readonly kind: string };
  readonly expected: { readonly managedFields?: unknown; readonly message?: string; readonly causes?: unknown };
}

const file = new URL("golden/requests.json", import.meta.url);
const recording = JSON.parse(readFileSync(file, "utf8")) as Recording;

function contextOf({ object, subresource, time }: Step): ApplyContext & { complete: (one: JsonObject) => JsonObject } {
  const { apiVersion, kind } = object;
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const message = messageTypeOfKind(group ?? "", version ?? "", kind);
  const isCustom = message === undefined;
  const complete = (one: JsonObject): JsonObject => (isCustom ? one : decodeBuiltIn(message, one).object);
  const reset = fieldSetOf([fieldElement(subresource === "status" ? "spec" : "status")]);
  return {
    apiVersion,
    kind,
    schema: (isCustom ? customSchema(recording.customSchema) : schemaOf(group ?? "", version ?? "", kind)) ?? {},
    emptyObject: complete({ apiVersion, kind }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(isCustom ? { resetFields: reset } : {}),
    time,
    complete,
  };
}

function answerTo(step: Step): Step["expected"] {
  const { live, object, manager } = step;
  const context = contextOf(step);
  if (step.request === "update") {
    const updated = recordUpdate(context, { before: live, after: object, manager });
    return { managedFields: managedFieldsOf(updated) };
  }
  const isForced = step.isForced === true;
  const result = applyObject(context, { live, intent: object, manager, isForced, complete: context.complete });
  if (result.kind === "applied") {
    const written = live === undefined ? result.object : withoutTimeOnlyChange(live, result.object);
    return { managedFields: managedFieldsOf(written) };
  }
  return { message: result.message, ...(result.kind === "conflict" ? { causes: result.causes } : {}) };
}

function managedFieldsOf(object: JsonObject): unknown {
  return (object["metadata"] as JsonObject)["managedFields"] ?? null;
}

/** An API server lists the causes of a conflict in any order. */
function sorted(causes: unknown): unknown {
  return Array.isArray(causes)
    ? causes.map((cause) => JSON.stringify(Object.entries(cause as object).sort())).sort()
    : causes;
}

describe("writes that were recorded", () => {
  it.each(recording.steps.map((step, index) => [`${index} ${step.request} ${step.object.kind}`, step] as const))(
    "%s",
    (_name, step) => {
      const answer = answerTo(step);
      expect({ ...answer, causes: sorted(answer.causes) }).toEqual({
        ...step.expected,
        causes: sorted(step.expected.causes),
      });
    },
  );

  it("has conflicts and successes of every kind of request", () => {
    const of = (request: string, isConflict: boolean): number =>
      recording.steps.filter((step) => step.request === request && (step.expected.message !== undefined) === isConflict)
        .length;
    expect(of("apply", false)).toBeGreaterThan(20);
    expect(of("apply", true)).toBeGreaterThan(3);
    expect(of("update", false)).toBeGreaterThan(5);
  });
});
