import { isJsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";

type Labels = Readonly<Record<string, string>>;

/** One condition of a selector. With `values`, a label must have one of them, or none of them when `isNegated`. */
export interface LabelRequirement {
  readonly key: string;
  readonly isNegated: boolean;
  readonly values?: ReadonlySet<string>;
}

/** True when the labels fit a LabelSelector; an empty one fits all, a missing one none. */
export function matchesSelector(selector: unknown, labels: Labels = {}): boolean {
  if (selector === undefined || selector === null) return false;
  const wanted = objectAt(selector, "matchLabels") ?? {};
  // A large selector must not be copied to find its first label missing.
  for (const key in wanted) {
    const value = wanted[key];
    if (typeof value === "string" && labelOf(labels, key) !== value) return false;
  }
  return objectsAt(selector, "matchExpressions").every((expression) => {
    const requirement = requirementOf(expression);
    return requirement !== undefined && fits(requirement, labels);
  });
}

/** What a LabelSelector asks for, to be tested many times; undefined when it fits nothing. */
export function requirementsOf(selector: unknown): readonly LabelRequirement[] | undefined {
  if (!isJsonObject(selector)) return undefined;
  const labels = Object.entries(objectAt(selector, "matchLabels") ?? {}).flatMap(([key, value]) =>
    typeof value === "string" ? [{ key, isNegated: false, values: new Set([value]) }] : [],
  );
  const expressions = objectsAt(selector, "matchExpressions").map(requirementOf);
  if (expressions.includes(undefined)) return undefined;
  return [...labels, ...expressions.filter((one) => one !== undefined)];
}

export function fits({ key, isNegated, values }: LabelRequirement, labels: Labels): boolean {
  const value = labelOf(labels, key);
  const isMet = value !== undefined && (values === undefined || values.has(value));
  return isMet !== isNegated;
}

function requirementOf(expression: unknown): LabelRequirement | undefined {
  const key = textAt(expression, "key") ?? "";
  const values = new Set(textsAt(expression, "values"));
  switch (textAt(expression, "operator")) {
    case "In":
      return { key, isNegated: false, values };
    case "NotIn":
      return { key, isNegated: true, values };
    case "Exists":
      return { key, isNegated: false };
    case "DoesNotExist":
      return { key, isNegated: true };
    default:
      return undefined; // Validation lets no other operator in.
  }
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
