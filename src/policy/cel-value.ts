/**
 * A JSON value as CEL expressions see it: whole numbers as bigint (CEL's int), so that `spec.replicas + 1` and
 * comparisons work as in Kubernetes. The value is copied.
 */
export function celValueOf(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValueOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, celValueOf(item)]),
  );
}

/** What a document shows to rules: a Secret its keys, never its values. */
export function visibleDocument(object: { readonly [field: string]: unknown; readonly kind: string }): unknown {
  if (object.kind !== "Secret") return object;
  const { data, stringData, ...rest } = object;
  return { ...rest, ...masked("data", data), ...masked("stringData", stringData) };
}

function masked(name: string, values: unknown): Record<string, unknown> {
  if (typeof values !== "object" || values === null) return {};
  return { [name]: Object.fromEntries(Object.keys(values).map((key) => [key, ""])) };
}
