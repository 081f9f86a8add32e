import { objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";

/** True when the labels fit a LabelSelector; an empty one fits all, a missing one none. */
export function matchesSelector(selector: unknown, labels: Readonly<Record<string, string>> = {}): boolean {
  if (selector === undefined || selector === null) return false;
  const fitsLabels = Object.entries(textMapAt(selector, "matchLabels")).every(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
  );
  return fitsLabels && objectsAt(selector, "matchExpressions").every((expression) => fits(expression, labels));
}

function fits(expression: unknown, labels: Readonly<Record<string, string>>): boolean {
  const key = textAt(expression, "key") ?? "";
  const values = textsAt(expression, "values");
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (textAt(expression, "operator")) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false; // Validation lets no other operator in.
  }
}
