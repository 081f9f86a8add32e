/** Freezes a JSON value at every depth and returns it. Parts that are frozen already are not visited again. */
export function freezeJson<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeJson(item);
  return value;
}
