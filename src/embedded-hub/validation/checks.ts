import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { numberAt } from "../../core/read-json.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { invalid } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

// What validation of several kinds asks of a value. Source: Kubernetes, apimachinery api/validation and util/validation.

export const largestInt32 = 2 ** 31 - 1;

/** One error for each fault that a check finds in a text. */
export function hold(check: NameCheck, value: string, field: string): FieldError[] {
  return check(value).map((text) => invalid(field, value, text));
}

/** Fields of a holder that must not be negative when they are there. */
export function nonNegative(holder: JsonObject | undefined, path: string, ...names: readonly string[]): FieldError[] {
  return names.flatMap((name) => {
    const value = numberAt(holder, name);
    if (value === undefined || value >= 0) return [];
    return [invalid(`${path}.${name}`, value, "must be greater than or equal to 0")];
  });
}

export function immutable(value: Json | undefined, old: Json | undefined, field: string): FieldError[] {
  return isJsonEqual(value ?? null, old ?? null) ? [] : [invalid(field, value ?? null, "field is immutable")];
}

export function checkPortNumber(port: number): readonly string[] {
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? [] : ["must be between 1 and 65535, inclusive"];
}

export const checkPortName: NameCheck = (name) => [
  ...(name.length > 15 ? ["must be no more than 15 characters"] : []),
  ...(/^[-a-z0-9]+$/u.test(name) ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
  ...(/[a-z]/u.test(name) ? [] : ["must contain at least one letter (a-z)"]),
  ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
  ...(name.startsWith("-") || name.endsWith("-") ? ["must not begin or end with a hyphen"] : []),
];

/** The number or the name of a port. */
export function validatePort(port: Json | undefined, field: string): FieldError[] {
  if (typeof port === "string") return hold(checkPortName, port, field);
  const value = typeof port === "number" ? port : 0;
  return checkPortNumber(value).map((text) => invalid(field, value, text));
}

const checkPercent: NameCheck = (text) =>
  /^[0-9]+%$/u.test(text)
    ? []
    : [
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ];

/** The number before a percent sign, or the number itself; 0 for texts that are no percentage. */
export function amountOf(value: Json | undefined): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^[0-9]+%$/u.test(value) ? Number(value.slice(0, -1)) : 0;
}

/** A count or a percentage that is not negative. */
export function validateAmount(value: Json | undefined, field: string): FieldError[] {
  if (typeof value === "string") return hold(checkPercent, value, field);
  if ((typeof value !== "number" && typeof value !== "bigint") || value >= 0) return [];
  return [invalid(field, value, "must be greater than or equal to 0")];
}

export function notOverAll(value: Json | undefined, field: string): FieldError[] {
  const isOver = typeof value === "string" && amountOf(value) > 100;
  return isOver ? [invalid(field, value, "must not be greater than 100%")] : [];
}
