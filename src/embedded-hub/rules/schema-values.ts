import { wholeNumber } from "../../core/exact-json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { canonicalJson, isJsonObject } from "../../core/json.ts";
import { memoizeWeak } from "../../core/memoize-weak.ts";
import { goType } from "../../core/formats/go-format.ts";
import type { Schema } from "../schema/schema.ts";
import { parseTime } from "../../core/formats/rfc3339.ts";
import type { CelList, CelMap, CelObject, CelValue } from "../../cel/cel-value.ts";
import { CelError, isKind } from "../../cel/cel-value.ts";
import { escapeField, unescapeField } from "./field-names.ts";
import { parseDurationNanos, parseWordyDuration } from "../../cel/go-duration.ts";
import { celOfJson, celOfNumber, keysOf, ownItem } from "../../cel/json-values.ts";
import { withTypeMeta } from "./schema-types.ts";

/**
 * A valid value of a structural schema as expressions see it; parts are made when they are asked for. Throws a CelError
 * for what does not fit. Source: Kubernetes, CEL UnstructuredToVal.
 */
export function celOfSchema(value: Json, schema: Schema): CelValue {
  if (value === null) {
    if (schema.nullable === true) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"] === true) return celOfJson(value);
  switch (schema.type) {
    case "object":
      return celOfObject(value, schema);
    case "array":
      return celOfList(value, schema);
    case "string":
      return celOfText(value, schema.format);
    case "number":
      if (typeof value !== "number" && typeof value !== "bigint") throw misfit("float", value);
      return Number(value);
    case "integer":
      if (typeof value === "bigint") return value;
      if (typeof value !== "number") throw misfit("int", value);
      return celOfNumber(value);
    case "boolean":
      if (typeof value !== "boolean") throw misfit("bool", value);
      return value;
    case undefined:
      return celOfJson(value);
  }
}

function misfit(expected: string, value: Json): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goType(value)}`);
}

const fieldsOf = memoizeWeak((value: JsonObject) => keysOf(value).map((key) => escapeField(key) ?? key));

function celOfObject(value: Json, schema: Schema): CelMap | CelObject {
  if (!isJsonObject(value)) throw new CelError("invalid data, expected a map for the provided schema with type=object");
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const { properties, additionalProperties } = isResource ? withTypeMeta(schema) : schema;
  const item = (key: string): Json | undefined => ownItem(value, key);
  if (properties === undefined && typeof additionalProperties === "object") {
    return {
      kind: "map",
      get keys() {
        return keysOf(value);
      },
      get: (key) => {
        const found = typeof key === "string" ? item(key) : undefined;
        return found === undefined ? undefined : celOfSchema(found, additionalProperties);
      },
    };
  }
  const propertyOf = (key: string): Schema | undefined =>
    properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return {
    kind: "object",
    typeName: "map",
    get fields() {
      return fieldsOf(value);
    },
    get: (field) => {
      const key = unescapeField(field);
      const property = key === undefined ? undefined : propertyOf(key);
      const found = key === undefined ? undefined : item(key);
      return property === undefined || found === undefined || found === null ? undefined : celOfSchema(found, property);
    },
    unknown: (field) => {
      const key = unescapeField(field) ?? field;
      return propertyOf(key) === undefined ? item(key) : undefined;
    },
  };
}

function celOfList(value: Json, schema: Schema): CelList {
  if (!Array.isArray(value)) {
    throw new CelError("invalid data, expected an array for the provided schema with type=array");
  }
  const { items } = schema;
  if (items === undefined) throw new CelError("invalid array type, expected Items with a non-empty Schema");
  const list = value as readonly Json[];
  const base: CelList = {
    kind: "list",
    size: list.length,
    at: (index) => celOfSchema(list[index] ?? null, items),
    isOfSchema: true,
  };
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "set") return { ...base, identity: { type: "set" } };
  if (listType !== "map") return base;
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeField(key) ?? key);
  return { ...base, identity: { type: "map", keyOf: (item) => keyOf(item, keys) } };
}

function keyOf(item: CelValue, keys: readonly string[]): string {
  if (!isKind(item, "object") && !isKind(item, "map")) return "";
  return canonicalJson(
    keys.map((key) => {
      const value = item.get(key);
      return value === undefined ? null : typeof value === "bigint" ? wholeNumber(value) : plain(value);
    }),
  );
}

function plain(value: CelValue): string | number | boolean | null {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}

function celOfText(value: Json, format = ""): CelValue {
  if (typeof value !== "string") throw misfit("string", value);
  switch (format) {
    case "byte":
      return Buffer.from(value, "base64");
    case "duration":
      return celDuration(value);
    case "date":
      return celTimestamp(`${value}T00:00:00Z`, "date", value);
    case "date-time":
      return celTimestamp(value, "date-time", value);
    default:
      return value;
  }
}

function celTimestamp(text: string, format: string, written: string): CelValue {
  const moment = parseTime(text);
  if ("error" in moment) throw new CelError(() => `Invalid ${format} formatted string ${written}: ${moment.error}`);
  return { kind: "timestamp", nanos: BigInt(moment.seconds) * 1_000_000_000n + BigInt(moment.nanos) };
}

function celDuration(text: string): CelValue {
  const nanos = parseDurationNanos(text) ?? parseWordyDuration(text);
  if (nanos === undefined) throw new CelError(() => `Invalid duration ${text}: unable to parse ${text} as duration`);
  return { kind: "duration", nanos };
}
