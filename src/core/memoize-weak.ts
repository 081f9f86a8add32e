/**
 * Remembers the last result for each `key` as long as that object lives, and computes it again when another argument is
 * not the same one as before. For pure functions of objects that are replaced and never changed.
 */
export function memoizeWeak<Key extends object, Rest extends readonly unknown[], Result>(
  compute: (key: Key, ...rest: Rest) => Result,
): (key: Key, ...rest: Rest) => Result {
  const known = new WeakMap<Key, { readonly rest: Rest; readonly result: Result }>();
  return (key, ...rest) => {
    const last = known.get(key);
    const isSame =
      last?.rest.length === rest.length && last.rest.every((argument, index) => Object.is(argument, rest[index]));
    if (isSame) return last.result;
    const result = compute(key, ...rest);
    known.set(key, { rest, result });
    return result;
  };
}
