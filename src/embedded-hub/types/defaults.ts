import { ownValue } from "../../core/own-value.ts";
import { formatQuantity, isQuantityError, parseQuantity, roundedToMilli } from "../../core/formats/quantity.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { admissionDefaults } from "./defaults-admission.ts";
import { appsDefaults } from "./defaults-apps.ts";
import { coreDefaults } from "./defaults-core.ts";
import type { DefaultRule } from "./default-rule.ts";
import { groupDefaults } from "./defaults-groups.ts";
import { podDefaults } from "./defaults-pod.ts";
import type { FieldType, MessageField, MessageType } from "./type-registry.ts";
import { messageType } from "./type-registry.ts";

/** The defaults that are set in each message, by the name of the message. */
const rules: Readonly<Record<string, DefaultRule>> = {
  ...coreDefaults,
  ...podDefaults,
  ...appsDefaults,
  ...groupDefaults,
  ...admissionDefaults,
};

/**
 * A decoded built-in object with everything a server fills in when it reads one: before managed fields are computed.
 * `object` is what decodeBuiltIn returned. Source: Kubernetes 1.34, SetDefaults functions and conversions of v1 kinds.
 */
export function completeBuiltIn(message: MessageType, object: JsonObject): JsonObject {
  return hasRules(message.name) ? completeMessage(message, object) : object;
}

/** Which messages have a rule or a default in themselves or below; filled as they are asked for. */
const reaches = new Map<string, boolean>();

function hasRules(name: string): boolean {
  const known = reaches.get(name);
  if (known !== undefined) return known;
  // Against endless recursion; a message that only reaches itself has none.
  reaches.set(name, false);
  const { fields } = messageType(name);
  const result =
    Object.hasOwn(rules, name) ||
    fields.some((field) => hasDefault(field) || isAmounts(name, field) || reachesRules(field.type));
  reaches.set(name, result);
  return result;
}

/** The zero of a value that is no pointer is left out where it may be: it is a default for keys of lists alone. */
function hasDefault({ default: value, isPointer, isAlwaysWritten }: MessageField): boolean {
  return value !== undefined && (isPointer || isAlwaysWritten || !["", 0, false].includes(value as string));
}

function reachesRules(type: FieldType): boolean {
  switch (type.kind) {
    case "scalar":
      return false;
    case "message":
      return hasRules(type.message);
    case "list":
    case "map":
      return reachesRules(type.element);
  }
}

function completeMessage(message: MessageType, given: JsonObject): JsonObject {
  const object = ownValue(rules, message.name)?.(given) ?? given;
  const result: Record<string, Json | undefined> = { ...object };
  for (const field of message.fields) {
    completeField(field, result);
    if (isAmounts(message.name, field)) roundAmounts(field.name, result);
  }
  return result;
}

/** A ResourceList of Kubernetes, which has whole thousandths. Quotas and limits count with them. */
function isAmounts(message: string, { type }: MessageField): boolean {
  const isMap = type.kind === "map" && type.element.kind === "scalar" && type.element.scalar === "Quantity";
  return isMap && message.startsWith("core.");
}

function roundAmounts(name: string, result: Record<string, Json | undefined>): void {
  const given = result[name];
  if (!isJsonObject(given)) return;
  const rounded = Object.entries(given).map(([key, text]) => [key, roundAmount(text ?? null)]);
  result[name] = Object.fromEntries(rounded) as JsonObject;
}

function roundAmount(text: Json): Json {
  const quantity = typeof text === "string" ? parseQuantity(text) : undefined;
  return quantity === undefined || isQuantityError(quantity) ? text : formatQuantity(roundedToMilli(quantity));
}

function completeField(field: MessageField, result: Record<string, Json | undefined>): void {
  const { type, name } = field;
  if (field.isInline && type.kind === "message") {
    Object.assign(result, completeMessage(messageType(type.message), result));
    return;
  }
  const value = result[name];
  if (value === undefined || value === null) {
    if (hasDefault(field)) result[name] = field.default;
  } else if (reachesRules(type)) {
    result[name] = completeValue(type, value);
  }
}

function completeValue(type: FieldType, value: Json): Json {
  switch (type.kind) {
    case "scalar":
      return value;
    case "message":
      return isJsonObject(value) ? completeMessage(messageType(type.message), value) : value;
    case "list":
      return Array.isArray(value) ? (value as readonly Json[]).map((item) => completeValue(type.element, item)) : value;
    case "map": {
      if (!isJsonObject(value)) return value;
      const entries = Object.entries(value).map(([key, item]) => [key, completeValue(type.element, item ?? null)]);
      return Object.fromEntries(entries) as JsonObject;
    }
  }
}
