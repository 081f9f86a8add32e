import { memoizeWeak } from "../../core/memoize-weak.ts";
import type { Schema } from "../schema/schema.ts";
import type { CelType } from "../../cel/cel-type.ts";
import { boolType, dyn, listOf, mapOf, stringType } from "../../cel/cel-type.ts";
import { namesOfField } from "./field-names.ts";

/**
 * The type of the values of a structural schema, or undefined when expressions cannot see them. The root of a resource
 * always has apiVersion, kind, metadata.name and metadata.generateName. Source: Kubernetes, CEL SchemaDeclType.
 */
export function typeOfSchema(schema: Schema, isResource: boolean, name = "selfType"): CelType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return dyn;
  const whole = isResource ? withTypeMeta(schema) : schema;
  switch (whole.type) {
    case "array": {
      const item = whole.items === undefined ? undefined : typeOfPart(whole.items, `${name}.@idx`);
      return item === undefined ? undefined : listOf(item);
    }
    case "object":
      return typeOfObject(whole, name);
    case "string":
      return typeOfText(whole.format);
    case "boolean":
      return boolType;
    case "number":
      return { kind: "double" };
    case "integer":
      return { kind: "int" };
    case undefined:
      return undefined;
  }
}

function typeOfPart(schema: Schema, name: string): CelType | undefined {
  return typeOfSchema(schema, schema["x-kubernetes-embedded-resource"] === true, name);
}

function typeOfObject(schema: Schema, name: string): CelType | undefined {
  const { additionalProperties, properties = {} } = schema;
  if (typeof additionalProperties === "object") {
    const value = typeOfPart(additionalProperties, `${name}.@elem`);
    return value === undefined ? undefined : mapOf(stringType, value);
  }
  const fields = new Map<string, CelType>();
  for (const [key, property] of Object.entries(properties)) {
    const type = typeOfPart(property, `${name}.${key}`);
    if (type === undefined) continue;
    for (const field of namesOfField(key)) fields.set(field, type);
  }
  return { kind: "object", name, fields };
}

function typeOfText(format = ""): CelType {
  switch (format) {
    case "byte":
      return { kind: "bytes" };
    case "duration":
      return { kind: "duration" };
    case "date":
    case "date-time":
      return { kind: "timestamp" };
    default:
      return stringType;
  }
}

const text: Schema = { type: "string" };
const metadata: Schema = { type: "object", properties: { name: text, generateName: text } };

/** The schema of a resource with what every resource has. */
export const withTypeMeta = memoizeWeak((schema: Schema): Schema => {
  const { properties = {} } = schema;
  const isComplete =
    properties["kind"]?.type === "string" &&
    properties["apiVersion"]?.type === "string" &&
    properties["metadata"]?.properties?.["name"]?.type === "string" &&
    properties["metadata"].properties["generateName"]?.type === "string";
  return isComplete ? schema : { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata } };
});
