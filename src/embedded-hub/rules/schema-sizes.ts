import { ownValue } from "../../core/own-value.ts";
import { largestOf } from "../../core/extremes.ts";
import type { Schema } from "../schema/schema.ts";
import { withTypeMeta } from "./schema-types.ts";

/** The largest body of a request, by which kube-apiserver bounds what a schema does not bound. */
export const largestRequestBytes = 3 * 1024 * 1024;

const quotes = 2;

/** How many elements (characters, items, entries) a value can have at most. Source: Kubernetes, CEL SchemaDeclType. */
export function maxElementsOf(schema: Schema): number {
  const { type, maxItems, maxProperties, maxLength, additionalProperties, items, format = "" } = schema;
  const unbounded = largestRequestBytes - quotes;
  if (schema["x-kubernetes-int-or-string"] === true) return maxLength === undefined ? unbounded : maxLength * 4;
  switch (type) {
    case "array":
      return maxItems ?? Math.floor(unbounded / (minSizeOf(items ?? {}) + 1));
    case "object":
      if (typeof additionalProperties !== "object") return 0;
      return maxProperties ?? Math.floor(unbounded / (minSizeOf(additionalProperties) + 6));
    case "string": {
      const ofFormat = ownValue(sizesOfFormats, format);
      if (ofFormat !== undefined) return ofFormat.max;
      if (maxLength !== undefined) return format === "byte" ? maxLength : maxLength * 4;
      const values = schema.enum ?? [];
      if (values.length === 0 || format === "byte") return unbounded;
      return largestOf(
        values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)),
        0,
      );
    }
    default:
      return 0;
  }
}

/** How many bytes the JSON of a value has at least. */
export function minSizeOf(schema: Schema, isResource = schema["x-kubernetes-embedded-resource"] === true): number {
  if (schema["x-kubernetes-int-or-string"] === true) return 1;
  const {
    type,
    format = "",
    additionalProperties,
    required = [],
    properties = {},
  } = isResource ? withTypeMeta(schema) : schema;
  switch (type) {
    case "string":
      return ownValue(sizesOfFormats, format)?.min ?? quotes;
    case "boolean":
      return 4;
    case "integer":
    case "number":
      return 1;
    case "object": {
      if (typeof additionalProperties === "object") return 2;
      const always = Object.entries(properties).filter(
        ([name, property]) => required.includes(name) && property.default === undefined,
      );
      return always.reduce((sum, [name, property]) => sum + Buffer.byteLength(name) + minSizeOf(property) + 4, 2);
    }
    default:
      return 2;
  }
}

const sizesOfFormats: Readonly<Record<string, { readonly min: number; readonly max: number }>> = {
  duration: { min: 3, max: 32 },
  date: { min: 12, max: 12 },
  "date-time": { min: 21, max: 32 },
};
