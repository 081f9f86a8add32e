import { isJsonObject } from "./json.ts";

type Step =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "range"; readonly start: number; readonly end: number | undefined; readonly stride: number }
  | { readonly kind: "all" }
  | { readonly kind: "below" }
  | { readonly kind: "filter"; readonly field: string; readonly test: (value: unknown) => boolean };

/** Reads the values at a path; usually one. */
export type JsonPathReader = (value: unknown) => readonly unknown[];

/** A name extends to the next mark of the path; a character after a backslash is part of it. */
const stepPattern =
  /(?<all>\.\*(?=[.[]|$)|\[\*\])|(?<below>\.(?=\.[^.[]))|\.(?<dotted>(?:[^.,[\]{}\s\\]|\\.)+)|\['(?<single>(?:[^'\\]|\\.)*)'\]|\["(?<double>(?:[^"\\]|\\.)*)"\]|\[(?<range>-?\d+|-?\d*:(?:-?\d+)?(?::\d*)?)\]|\[\?\(@\.(?<field>[A-Za-z0-9_.-]+)\s*(?:(?<operator>[=!]=|[<>]=?)\s*(?<literal>"[^"]*"|'[^']*'|-?\d+(?:\.\d+)?|true|false)\s*)?\)\]/gy;

/**
 * The JSONPath that CRDs use: `.spec.a`, `.a['b.c']`, `.a.b\.c/d`, `.list[0]`, `.list[-1:].name`, `.list[*].name`, `..name`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.list[?(@.size>2)]`, `.list[?(@.name)]`. Undefined when the path is not of
 * that kind; `..` may occur once. Source: Kubernetes, "JSONPath Support", as far as printer columns and selectable fields use it.
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
    steps.push(stepOf(match.groups ?? {}));
  }
  // Each further one would read all that is below once for each of its levels.
  const isTooDeep = steps.filter(({ kind }) => kind === "below").length > 1;
  return end === path.length && !isTooDeep ? steps : undefined;
}

function stepOf(parts: Readonly<Record<string, string | undefined>>): Step {
  const { all, below, dotted, single, double, range, field, operator, literal } = parts;
  const key = dotted ?? single ?? double;
  if (key !== undefined) return { kind: "key", key: key.replaceAll(/\\(.)/gu, "$1") };
  if (range !== undefined) return rangeOf(range);
  if (field !== undefined) return { kind: "filter", field, test: testOf(operator, literal) };
  return all !== undefined || below === undefined ? { kind: "all" } : { kind: "below" };
}

/** `1`, `-1`, `0:2`, `-2:`, `:2`, `::2`: an index is the range up to the next one. */
function rangeOf(text: string): Step {
  const [start = "", end, stride = ""] = text.split(":");
  const first = Number(start);
  if (end === undefined) return { kind: "range", start: first, end: first === -1 ? undefined : first + 1, stride: 1 };
  return {
    kind: "range",
    start: first,
    end: end === "" ? undefined : Number(end),
    stride: stride === "" ? 1 : Number(stride),
  };
}

/** A value of another type than the one that it is compared with is never selected. */
function testOf(operator: string | undefined, literal = ""): (value: unknown) => boolean {
  if (operator === undefined) return (value) => value !== undefined;
  const wanted = literalOf(literal);
  return (value) => {
    const given = typeof value === "bigint" ? Number(value) : value;
    if (!isComparable(given) || typeof given !== typeof wanted) return false;
    if (operator === "!=") return given !== wanted;
    if (given === wanted) return operator.endsWith("=");
    return operator.startsWith("<") ? given < wanted : operator.startsWith(">") && given > wanted;
  };
}

function literalOf(text: string): string | number | boolean {
  if (/^["']/u.test(text)) return text.slice(1, -1);
  return text === "true" || text === "false" ? text === "true" : Number(text);
}

function isComparable(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function take(value: unknown, step: Step): readonly unknown[] {
  switch (step.kind) {
    case "key":
      return isJsonObject(value) && Object.hasOwn(value, step.key) && value[step.key] !== undefined
        ? [value[step.key]]
        : [];
    case "range":
      return Array.isArray(value) ? takeRange(value as readonly unknown[], step) : [];
    case "all":
      return Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
    case "below":
      return withAllBelow(value);
    case "filter":
      return Array.isArray(value) ? value.filter((item) => step.test(fieldOf(item, step.field))) : [];
  }
}

/** Nothing of a range that is not in the list as a whole, as in kubectl. */
function takeRange(list: readonly unknown[], step: Step & { readonly kind: "range" }): readonly unknown[] {
  const fromEnd = (place: number): number => (place < 0 ? place + list.length : place);
  const [start, end] = [fromEnd(step.start), fromEnd(step.end ?? list.length)];
  if (start < 0 || end > list.length || step.stride === 0) return [];
  return list.slice(start, Math.max(start, end)).filter((_, index) => index % step.stride === 0);
}

/** A value and all below it that have values of their own, from the top; without calls in calls, for it may be deep. */
function withAllBelow(value: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    const inner: readonly unknown[] = Array.isArray(next) ? next : isJsonObject(next) ? Object.values(next) : [];
    if (inner.length === 0) continue;
    found.push(next);
    for (const one of inner.toReversed()) pending.push(one);
  }
  return found;
}

function fieldOf(item: unknown, field: string): unknown {
  return field
    .split(".")
    .reduce<unknown>((value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), item);
}
