/**
 * The value of a table at a key that may be any text. `table[key]` would find what every object inherits:
 * `constructor`, `__proto__`, `valueOf`.
 */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
