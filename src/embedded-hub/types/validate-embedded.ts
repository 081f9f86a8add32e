import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { KubeObject, ObjectMeta } from "../../model/kubernetes.ts";
import { checkLabel1035, checkPathSegment } from "../../core/formats/kube-names.ts";
import { validateMetadata } from "../metadata/validate-metadata.ts";
import { childPath, indexPath, invalid, keyPath, required } from "../schema/field-error.ts";
import type { FieldError, Schema } from "../schema/schema.ts";

/**
 * What is wrong with apiVersion, kind and metadata of objects within an object (x-kubernetes-embedded-resource).
 * Source: Kubernetes, apiextensions objectmeta validation.
 */
export function validateEmbedded(value: Json, schema: Schema, path = ""): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return (value as readonly Json[]).flatMap((item, index) => validateEmbedded(item, items, indexPath(path, index)));
  }
  if (!isJsonObject(value)) return [];
  const own = schema["x-kubernetes-embedded-resource"] === true ? validateResource(value, path) : [];
  const { properties = {}, additionalProperties } = schema;
  const inner = Object.entries(value).flatMap(([key, item]) => {
    if (item === undefined) return [];
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property !== undefined) return validateEmbedded(item, property, childPath(path, key));
    if (typeof additionalProperties !== "object") return [];
    return validateEmbedded(item, additionalProperties, keyPath(path, key));
  });
  return [...own, ...inner];
}

function validateResource(object: JsonObject, path: string): FieldError[] {
  const { apiVersion, kind, metadata } = object;
  return [
    ...(apiVersion === undefined ? [required(childPath(path, "apiVersion"))] : []),
    ...(kind === undefined ? [required(childPath(path, "kind"))] : []),
    ...(apiVersion === undefined ? [] : validateApiVersion(apiVersion, childPath(path, "apiVersion"))),
    ...(kind === undefined ? [] : validateKind(kind, childPath(path, "kind"))),
    ...(isJsonObject(metadata) ? validateMeta(metadata, path) : []),
  ];
}

function validateApiVersion(apiVersion: Json, field: string): FieldError[] {
  if (typeof apiVersion !== "string") return [invalid(field, apiVersion, "must be a string")];
  if (apiVersion === "") return [invalid(field, apiVersion, "must not be empty")];
  if (apiVersion.split("/").length <= 2) return [];
  return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}

function validateKind(kind: Json, field: string): FieldError[] {
  if (typeof kind !== "string") return [invalid(field, kind, "must be a string")];
  if (kind === "") return [invalid(field, kind, "must not be empty")];
  const faults = checkLabel1035(kind.toLowerCase());
  if (faults.length === 0) return [];
  return [invalid(field, kind, `may have mixed case, but should otherwise match: ${faults.join(",")}`)];
}

/** Objects within objects need no name. */
function validateMeta(metadata: JsonObject, path: string): FieldError[] {
  const { name = "", namespace = "" } = metadata;
  const meta = { ...metadata, name: name === "" ? "fakename" : name };
  return validateMetadata(asObject(meta), namespace !== "", checkPathSegment).map((error) => ({
    ...error,
    field: childPath(path, error.field),
  }));
}

/** Metadata was decoded: it has the form of one. */
function asObject(metadata: JsonObject): KubeObject {
  return { apiVersion: "", kind: "", metadata: metadata as unknown as ObjectMeta };
}
