import type { KubeObject } from "../../model/kubernetes.ts";
import { badRequest } from "../failures/failures.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { checkSelectorLength } from "./selector-bounds.ts";

export interface FieldTerm {
  readonly field: string;
  readonly isEqual: boolean;
  readonly value: string;
}

export interface FieldSelector {
  readonly terms: readonly FieldTerm[];
  readonly matches: (object: KubeObject) => boolean;
}

const commonFields: ReadonlyMap<string, (object: KubeObject) => string> = new Map([
  ["metadata.name", (object) => object.metadata.name],
  ["metadata.namespace", (object) => object.metadata.namespace ?? ""],
]);

/**
 * `a=b`, `a==b`, `a!=b` with commas between; `\` escapes comma, equals sign and itself. Throws 400 for a field that the
 * kind does not offer. Source: Kubernetes, apimachinery fields/selector.go.
 */
export function parseFieldSelector(text: string, definition: ResourceDefinition): FieldSelector {
  const terms = parseFieldTerms(text);
  const readers = terms.map((term) => {
    const read = readerOf(term.field, definition);
    if (read === undefined) throw unknownField(term.field, definition);
    return (object: KubeObject) => (read(object) === term.value) === term.isEqual;
  });
  return { terms, matches: (object) => readers.every((read) => read(object)) };
}

function readerOf(field: string, definition: ResourceDefinition): ((object: KubeObject) => string) | undefined {
  const own = definition.hooks.selectableFields ?? {};
  if (Object.hasOwn(own, field)) return own[field];
  // Cluster-scoped kinds with a list of their own leave it out; the others have the common fields, whatever their scope.
  if (field === "metadata.namespace" && !definition.isNamespaced && hasOwnFields(definition)) return undefined;
  return commonFields.get(field);
}

function hasOwnFields({ hooks, isCustom }: ResourceDefinition): boolean {
  return hooks.selectableFields !== undefined || isCustom;
}

/** The name that the terms require, when they require exactly one. */
export function requiredName(terms: readonly FieldTerm[]): string | undefined {
  return terms.find((term) => term.field === "metadata.name" && term.isEqual)?.value;
}

/** Throws 400 for a text that is no field selector, 413 for one that is too long. */
export function parseFieldTerms(text: string): readonly FieldTerm[] {
  checkSelectorLength(text);
  return splitTerms(text)
    .filter((term) => term !== "")
    .sort()
    .map((term) => {
      const match = /!=|==?/u.exec(term);
      if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [operator] = match;
      const value = unescapeValue(term.slice(match.index + operator.length));
      return { field: term.slice(0, match.index), isEqual: operator !== "!=", value };
    });
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === ",") {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeValue(value: string): string {
  let text = "";
  for (let index = 0; index < value.length; index += 1) {
    const character = value[index] ?? "";
    if (character === "\\") {
      index += 1;
      const escaped = value[index] ?? "";
      if (!["\\", ",", "="].includes(escaped)) {
        throw badRequest(`invalid field selector: invalid escape sequence: \\${escaped}`);
      }
      text += escaped;
    } else if (character === "," || character === "=") {
      throw badRequest(`invalid field selector: unescaped character in value: ${character.codePointAt(0)}`);
    } else {
      text += character;
    }
  }
  return text;
}

function unknownField(field: string, definition: ResourceDefinition): Error {
  const { group, kind, isCustom } = definition;
  if (group === "batch" && kind === "Job" && !isCustom) {
    return badRequest(`field label ${JSON.stringify(field)} not supported for Job`);
  }
  if (hasOwnFields(definition)) return badRequest(`field label not supported: ${field}`);
  const known = [...commonFields.keys()].map((name) => JSON.stringify(name));
  return badRequest(`${JSON.stringify(field)} is not a known field selector: only ${known.join(", ")}`);
}
