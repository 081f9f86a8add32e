import type { Json, JsonObject } from "../../../../src/core/json.ts";
import type { FieldType, MessageField } from "../../../../src/embedded-hub/types/type-registry.ts";
import { messageType, messageTypeOfKind } from "../../../../src/embedded-hub/types/type-registry.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";

/** A field of a kind that can be large: a list, a map or a text. */
export interface LargeField {
  readonly definition: ResourceDefinition;
  /** `spec.template.spec.containers.env`. */
  readonly path: string;
  /** Values in each of its items. */
  readonly itemValues: number;
  /** The object with so many items in the field; items of two marks have other keys. */
  readonly objectWith: (count: number, mark: string) => JsonObject;
}

type Build = (count: number, mark: string) => Json;

const deepest = 9;

/** Every list, map and text of the kinds, each message's once. */
export function largeFieldsOf(definitions: readonly ResourceDefinition[]): LargeField[] {
  const seen = new Set<string>();
  return definitions.flatMap((definition) => {
    const { group, version, kind } = definition;
    const root = messageTypeOfKind(group, version, kind);
    return root === undefined ? [] : fieldsBelow(definition, root.name, (inner) => inner, []);
  });

  function fieldsBelow(
    definition: ResourceDefinition,
    message: string,
    wrap: (inner: Build) => Build,
    path: readonly string[],
  ): LargeField[] {
    if (path.length > deepest) return [];
    return messageType(message).fields.flatMap((field) => {
      const id = `${message}.${field.name}`;
      const isKnown = seen.has(id);
      seen.add(id);
      const place = field.isInline ? path : [...path, field.name];
      const around = (inner: Build): Build =>
        wrap((count, mark) => {
          const value = inner(count, mark);
          return field.isInline ? value : { ...requiredKeys(message), [field.name]: value };
        });
      const { itemValues, build } = largeValue(field);
      const own: LargeField = {
        definition,
        path: place.join("."),
        itemValues,
        objectWith: (count, mark) => {
          const body = around(build)(count, mark) as JsonObject;
          const metadata = { ...(body["metadata"] as JsonObject | undefined), name: "live" };
          const apiVersion = definition.group === "" ? definition.version : `${definition.group}/${definition.version}`;
          return { apiVersion, kind: definition.kind, ...body, metadata };
        },
      };
      const mine = isKnown || !canBeLarge(field) ? [] : [own];
      if (isKnown) return mine;
      const below = messageOf(field.type);
      if (below === undefined) return mine;
      const nest = (inner: Build): Build => around((count, mark) => nested(field.type, inner(count, mark)));
      return [...mine, ...fieldsBelow(definition, below, nest, place)];
    });
  }
}

function requiredKeys(message: string): JsonObject {
  const { fields } = messageType(message);
  const names = fields.filter(({ name, type }) => name === "name" && type.kind === "scalar").map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, "live"]));
}

function canBeLarge({ type }: MessageField): boolean {
  return type.kind !== "message" && (type.kind !== "scalar" || type.scalar === "string" || type.scalar === "FieldsV1");
}

function messageOf(type: FieldType): string | undefined {
  if (type.kind === "message") return type.message;
  return type.kind === "scalar" ? undefined : messageOf(type.element);
}

function nested(type: FieldType, value: Json): Json {
  if (type.kind === "list") return [nested(type.element, value)];
  return type.kind === "map" ? { a: nested(type.element, value) } : value;
}

function largeValue({ type, mapKeys, patchMergeKey }: MessageField): { itemValues: number; build: Build } {
  const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  switch (type.kind) {
    case "list": {
      const keys = [...new Set([...(mapKeys ?? []), ...(patchMergeKey === undefined ? [] : [patchMergeKey])])];
      const itemOf = (index: number, mark: string): Json => item(type.element, keys, `${mark}-${index}`, index);
      return {
        itemValues: countOf(itemOf(0, "a")),
        build: (count, mark) => times(count).map((index) => itemOf(index, mark)),
      };
    }
    case "map":
      return {
        itemValues: countOf(item(type.element, [], "a", 0)),
        build: (count, mark) =>
          Object.fromEntries(times(count).map((index) => [`${mark}-${index}`, item(type.element, [], mark, index)])),
      };
    default:
      return type.kind === "scalar" && type.scalar === "FieldsV1"
        ? {
            itemValues: 1,
            build: (count, mark) => Object.fromEntries(times(count).map((index) => [`f:${mark}-${index}`, {}])),
          }
        : { itemValues: 0, build: (count, mark) => mark.repeat(Math.ceil((count * 150) / mark.length)) };
  }
}

/** An item with its keys and its first fields, so that no two are the same. */
function item(type: FieldType, keys: readonly string[], text: string, index: number): Json {
  switch (type.kind) {
    case "list":
      return [item(type.element, [], text, index)];
    case "map":
      return { [text]: item(type.element, [], text, index) };
    case "scalar":
      return scalarOf(type.scalar, text, index);
    case "message": {
      const scalars = messageType(type.message).fields.filter((field) => field.type.kind === "scalar");
      const chosen = scalars.filter((field, at) => keys.includes(field.name) || at < 2);
      return Object.fromEntries(chosen.map((field) => [field.name, item(field.type, [], text, index)]));
    }
  }
}

function scalarOf(scalar: string, text: string, index: number): Json {
  switch (scalar) {
    case "string":
    case "IntOrString":
      return text;
    case "bool":
      return true;
    case "int32":
    case "int64":
    case "double":
    case "Quantity":
      return index + 1;
    case "bytes":
      return Buffer.from(text).toString("base64");
    case "Time":
      return "2026-01-01T00:00:00Z";
    case "MicroTime":
      return "2026-01-01T00:00:00.000000Z";
    default:
      return { [text]: text };
  }
}

function countOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, one) => sum + countOf(one ?? null), 0);
}
