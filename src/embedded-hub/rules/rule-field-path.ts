import { ownValue } from "../../core/own-value.ts";
import { childPath, keyPath } from "../schema/field-error.ts";
import type { Schema } from "../schema/schema.ts";

export type RuleFieldPath =
  | { readonly kind: "path"; readonly path: string; readonly schema: Schema }
  | { readonly kind: "refused"; readonly message: string };

export interface FieldPathOptions {
  /** `['key']` may be in it. Default true. */
  readonly allowsLists?: boolean;
}

const unexpectedEnd = "unexpected end of JSON path";
const unknownField = "does not refer to a valid field";

class PathError extends Error {}

/**
 * The `fieldPath` of a rule (`.spec.a`, `.map['key']`) as paths of errors are written. Source: Kubernetes, CEL
 * ValidFieldPath.
 */
export function parseRuleFieldPath(text: string, schema: Schema, options: FieldPathOptions = {}): RuleFieldPath {
  try {
    return walk(tokensOf(text), schema, options);
  } catch (error) {
    if (error instanceof PathError) return { kind: "refused", message: error.message };
    throw error;
  }
}

/** Delimiters, quoted texts, and what is between them. */
function tokensOf(text: string): string[] {
  const tokens = text.match(/'(?:\\.|[^'\\])*'|'.*|[.[\]]|[^.[\]]+/gsu);
  return tokens === null ? [] : [...tokens];
}

function walk(tokens: readonly string[], schema: Schema, { allowsLists = true }: FieldPathOptions): RuleFieldPath {
  let at: { readonly path: string; readonly schema: Schema } = { path: "", schema };
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? "";
    const name = tokens[index + 1];
    if (token !== "[" && token !== ".") throw new PathError(`expected [ or . but got: ${token}`);
    if (name === undefined) throw new PathError(unexpectedEnd);
    if (token === ".") {
      at = step(at, name);
      index++;
      continue;
    }
    if (!allowsLists) throw new PathError("array notation is not allowed");
    at = step(at, unquote(name));
    const closing = tokens[index + 2];
    if (closing === undefined) throw new PathError(unexpectedEnd);
    if (closing !== "]") throw new PathError(`expected ] but got ${closing}`);
    index += 2;
  }
  return { kind: "path", ...at };
}

function step(
  { path, schema }: { readonly path: string; readonly schema: Schema },
  name: string,
): { readonly path: string; readonly schema: Schema } {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) throw new PathError(unknownField);
    return { path: childPath(path, name), schema: property };
  }
  if (typeof additionalProperties !== "object") throw new PathError(unknownField);
  return { path: keyPath(path, name), schema: additionalProperties };
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unquote(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new PathError(`expected single quoted string but got ${token}`);
  }
  return token.slice(1, -1).replace(/\\(.)/gsu, (escape, character: string) => {
    const meant = ownValue(escapes, character);
    if (meant === undefined) throw new PathError(`invalid string literal: invalid escape char ${escape}`);
    return meant;
  });
}
