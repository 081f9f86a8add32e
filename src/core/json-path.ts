import { isJsonObject } from "./json.ts";

type Step =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "filter"; readonly field: string; readonly value: string };

/** Reads the values at a path; usually one. */
export type JsonPathReader = (value: unknown) => readonly unknown[];

/** A name extends to the next mark of the path; a character after a backslash is part of it. */
const stepPattern =
  /\.\*(?=[.[]|$)|\.((?:[^.,[\]{}\s\\]|\\.)+)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]|\[\?\(@\.([A-Za-z0-9_.-]+)\s*==\s*["']([^"']*)["']\)\]/gy;

/**
 * The JSONPath that CRDs use: `.spec.a`, `.a['b.c']`, `.a.b\.c/d`, `.list[0]`, `.list[*].name`,
 * `.status.conditions[?(@.type=="Ready")].status`. Undefined when the path is not of that kind.
 * Source: Kubernetes, "JSONPath Support", as far as printer columns and selectable fields use it.
 */
export function compileJsonPath(path: string): JsonPathReader | undefined {
  const steps = parseSteps(path.startsWith(".") || path.startsWith("[") ? path : `.${path}`);
  if (steps === undefined) return undefined;
  return (value) => steps.reduce((found, step) => found.flatMap((item) => take(item, step)), [value]);
}

function parseSteps(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  stepPattern.lastIndex = 0;
  let end = 0;
  for (let match = stepPattern.exec(path); match !== null; match = stepPattern.exec(path)) {
    end = stepPattern.lastIndex;
    steps.push(stepOf(match));
  }
  return end === path.length ? steps : undefined;
}

function stepOf([whole, dotted, single, double, index, filterField, filterValue]: RegExpExecArray): Step {
  const key = dotted ?? single ?? double;
  if (key !== undefined) return { kind: "key", key: key.replaceAll(/\\(.)/gu, "$1") };
  if (filterField !== undefined) return { kind: "filter", field: filterField, value: filterValue ?? "" };
  return whole === ".*" || index === "*" ? { kind: "all" } : { kind: "index", index: Number(index) };
}

function take(value: unknown, step: Step): readonly unknown[] {
  switch (step.kind) {
    case "key":
      return isJsonObject(value) && Object.hasOwn(value, step.key) && value[step.key] !== undefined
        ? [value[step.key]]
        : [];
    case "index":
      return Array.isArray(value) && step.index < value.length ? [value[step.index]] : [];
    case "all":
      return Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
    case "filter":
      return Array.isArray(value) ? value.filter((item) => fieldOf(item, step.field) === step.value) : [];
  }
}

function fieldOf(item: unknown, field: string): unknown {
  return field
    .split(".")
    .reduce<unknown>((value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), item);
}
