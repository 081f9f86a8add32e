import { appendAll } from "../../core/append-all.ts";
import { AppError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { tooLarge } from "../failures/failures.ts";
import type { OperationContext } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { applyDefaults } from "../schema/apply-defaults.ts";
import type { Schema } from "../schema/schema.ts";
import { stepsLeft } from "../schema/validation-steps.ts";
import { decodeBuiltIn } from "../types/decode-built-in.ts";
import type { DecodingOptions } from "../types/decode-built-in.ts";
import { completeBuiltIn } from "../types/defaults.ts";
import { decodeCustom } from "../types/decode-custom.ts";
import { messageTypeOfKind } from "../types/type-registry.ts";
import { decodingProblems } from "./decoding-problems.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import type { Source } from "./object-type.ts";
import { asKindOf, undecodable } from "./object-type.ts";

interface Decoded {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
  readonly error?: string;
}

/**
 * A client's object as the kind has it: in canonical form, unknown fields dropped (or refused, or warned of), defaults
 * filled in. Throws 400 (422 for the result of a patch) when it cannot be that kind.
 */
export function decodeObject(
  context: OperationContext,
  definition: ResourceDefinition,
  object: KubeObject,
  source: Source = { kind: "body" },
): KubeObject {
  const typed = asKindOf(definition, object, source);
  const {
    object: decoded,
    unknownFields,
    error,
  } = decode(
    definition,
    asJson(typed),
    source.kind === "strategic" ? { words: "converter" } : { literals: context.numberLiterals },
  );
  if (error !== undefined) throw undecodable(definition, object, error, source);
  const problems = decodingProblems(context, unknownFields, {
    isWhole: definition.isCustom || source.kind === "strategic",
    isCustom: definition.isCustom,
  });
  if (problems.length > 0 && context.fieldValidation === "Strict") {
    throw undecodable(definition, object, `strict decoding error: ${problems.join(", ")}`, source);
  }
  if (context.fieldValidation === "Warn") appendAll(context.warnings, problems);
  return completeObject(definition, decoded);
}

/** An object of a custom kind with the defaults of its schema. */
export function withDefaults({ structuralSchema }: ResourceDefinition, object: KubeObject): KubeObject {
  return structuralSchema === undefined ? object : asKubeObject(applyDefaults(asJson(object), structuralSchema));
}

/** The object with the defaults of its kind. */
function completeObject(definition: ResourceDefinition, object: JsonObject): KubeObject {
  const { structuralSchema, group, version, kind } = definition;
  const completed =
    structuralSchema === undefined
      ? completeBuiltIn(messageOf(group, version, kind), object)
      : applyDefaults(boundedBy(structuralSchema, object), structuralSchema);
  return asKubeObject(completed);
}

/** Throws 413 for an object that takes too long to default and to validate. */
function boundedBy(schema: Schema, object: JsonObject): JsonObject {
  if (stepsLeft(object, schema) >= 0) return object;
  throw tooLarge("Request entity too large: the object takes too long to validate by the schema of its kind");
}

/**
 * The object that an apply has merged, in canonical form with defaults. Throws 500 for a value that the kind cannot
 * hold, like kube-apiserver's converter: a schema of OpenAPI does not distinguish text from base64, times and
 * quantities. The message names the object as the intent does.
 */
export function convertApplied(definition: ResourceDefinition, object: KubeObject, intent: KubeObject): KubeObject {
  // An apply that takes the last item of a list leaves null, which kube-apiserver refuses then.
  const { object: decoded, error } = decode(definition, asJson(object), { words: "converter", keepsNulls: true });
  if (error === undefined) return completeObject(definition, decoded);
  const { group, version, kind } = definition;
  const type = `${group}/${version}, Kind=${kind}`;
  const { namespace = "", name = "" } = intent.metadata;
  const reason = `unable to convert unstructured object to ${type}: ${error}`;
  throw new ApiFailure(
    500,
    "",
    `failed to convert new object (${namespace}/${name}; ${type}) to proper version: ${reason}`,
  );
}

/** An object in which nothing is set, as the server would write it. */
export function emptyObjectOf(definition: ResourceDefinition): JsonObject {
  const typeMeta = { apiVersion: apiVersionOf(definition), kind: definition.kind };
  const { group, version, kind } = definition;
  return definition.isCustom ? typeMeta : decodeBuiltIn(messageOf(group, version, kind), typeMeta).object;
}

function decode(
  definition: ResourceDefinition,
  json: JsonObject,
  options: DecodingOptions & { readonly keepsNulls?: boolean } = {},
): Decoded {
  const { group, version, kind } = definition;
  const decoded = definition.isCustom
    ? { ...decodeCustom(json, definition.structuralSchema, options), ...infiniteError(options) }
    : decodeBuiltIn(messageOf(group, version, kind), json, options);
  const { metadata = {} } = decoded.object;
  return { ...decoded, object: { ...decoded.object, metadata } };
}

/** JSON has larger numbers than a float; a built-in kind reports those of its own fields. */
function infiniteError({ literals }: DecodingOptions): { readonly error?: string } {
  for (const literal of literals?.values() ?? []) {
    if (Number.isFinite(Number(literal))) continue;
    return { error: `json: cannot unmarshal number ${literal} into Go value of type float64` };
  }
  return {};
}

function messageOf(group: string, version: string, kind: string): Parameters<typeof decodeBuiltIn>[0] {
  const message = messageTypeOfKind(group, version, kind);
  if (message === undefined) throw new AppError("E_BUG", `no type for ${group}/${version} ${kind}`);
  return message;
}
