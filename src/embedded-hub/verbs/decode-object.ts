import { AppError } from "../../core/errors.ts";
import { canonicalJson } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, invalid } from "../failures/failures.ts";
import type { OperationContext } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { applyDefaults } from "../schema/apply-defaults.ts";
import { invalid as invalidField } from "../schema/field-error.ts";
import { goText } from "../schema/go-format.ts";
import { decodeBuiltIn } from "../types/decode-built-in.ts";
import type { DecodingWords } from "../types/decode-built-in.ts";
import { completeBuiltIn } from "../types/defaults.ts";
import { decodeCustom } from "../types/decode-custom.ts";
import { messageTypeOfKind } from "../types/type-registry.ts";
import { decodingProblems } from "./decoding-problems.ts";
import { apiVersionOfDefinition } from "./hub-scope.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";

/** Where the JSON comes from decides how its faults are told. */
export type Source =
  | { readonly kind: "body" }
  | { readonly kind: "patched" }
  /** The result of a strategic merge patch is told by the patch. */
  | { readonly kind: "strategic"; readonly patch: Json };

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
  checkType(definition, object);
  const {
    object: decoded,
    unknownFields,
    error,
  } = decode(definition, asJson(object), source.kind === "strategic" ? "converter" : "json");
  if (error !== undefined) throw undecodable(definition, object, error, source);
  const problems = decodingProblems(context, unknownFields);
  if (problems.length > 0 && context.fieldValidation === "Strict") {
    throw undecodable(definition, object, `strict decoding error: ${problems.join(", ")}`, source);
  }
  if (context.fieldValidation === "Warn") context.warnings.push(...problems);
  return completeObject(definition, decoded);
}

/** The object with the defaults of its kind. */
function completeObject(definition: ResourceDefinition, object: JsonObject): KubeObject {
  const { structuralSchema, group, version, kind } = definition;
  const completed =
    structuralSchema === undefined
      ? completeBuiltIn(messageOf(group, version, kind), object)
      : applyDefaults(object, structuralSchema);
  return asKubeObject(completed);
}

/** Canonical form without a word about unknown fields: for objects that the server put together itself. */
export function normalizeObject(definition: ResourceDefinition, object: KubeObject): KubeObject {
  return completeObject(definition, decode(definition, asJson(object)).object);
}

/** An object in which nothing is set, as the server would write it. */
export function emptyObjectOf(definition: ResourceDefinition): JsonObject {
  const typeMeta = { apiVersion: apiVersionOfDefinition(definition), kind: definition.kind };
  const { group, version, kind } = definition;
  return definition.isCustom ? typeMeta : decodeBuiltIn(messageOf(group, version, kind), typeMeta).object;
}

function decode(definition: ResourceDefinition, json: JsonObject, words: DecodingWords = "json"): Decoded {
  const { group, version, kind } = definition;
  const decoded = definition.isCustom
    ? decodeCustom(json, definition.structuralSchema)
    : decodeBuiltIn(messageOf(group, version, kind), json, words);
  const { metadata = {} } = decoded.object;
  return { ...decoded, object: { ...decoded.object, metadata } };
}

function messageOf(group: string, version: string, kind: string): Parameters<typeof decodeBuiltIn>[0] {
  const message = messageTypeOfKind(group, version, kind);
  if (message === undefined) throw new AppError("E_BUG", `no type for ${group}/${version} ${kind}`);
  return message;
}

function checkType(definition: ResourceDefinition, { apiVersion, kind }: KubeObject): void {
  const expected = apiVersionOfDefinition(definition);
  if (definition.isCustom) {
    if (apiVersion === expected) return;
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (apiVersion === expected && kind === definition.kind) return;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const known = messageTypeOfKind(apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "", version, kind);
  const reason =
    known === undefined
      ? `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`
      : `converting (${version}.${kind}) to (${internalGroup(definition)}.${definition.kind}): unknown conversion`;
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${definition.kind}: ${reason}`,
  );
}

function internalGroup({ group }: ResourceDefinition): string {
  return group === "" ? "core" : (group.split(".")[0] ?? group);
}

function undecodable(definition: ResourceDefinition, object: KubeObject, reason: string, source: Source): ApiFailure {
  const { kind, version } = definition;
  if (source.kind === "body") {
    return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${reason}`);
  }
  const shown = source.kind === "strategic" ? goText(source.patch) : shownResult(definition, asJson(object));
  return invalid({ group: "", kind: "", name: "" }, [invalidField("patch", shown, reason)]);
}

/** kube-apiserver shows the result of a patch with its first level sorted, and all of a custom object. */
function shownResult({ isCustom }: ResourceDefinition, object: JsonObject): string {
  if (isCustom) return canonicalJson(object);
  return JSON.stringify(Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))));
}
