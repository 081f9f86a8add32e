/**
 * Remembers the last result for each `key` as long as that object lives, and computes it again when another argument is
 * not the same one as before. For pure functions of objects that are replaced and never changed.
 */
export function memoizeWeak<Key extends object, Rest extends readonly unknown[], Result>(
  compute: (key: Key, ...rest: Rest) => Result,
): Memoized<Key, Rest, Result> {
  const known = new WeakMap<Key, { readonly rest: Rest; readonly result: Result }>();
  const recall = (key: Key, ...rest: Rest): Result => {
    const last = known.get(key);
    const isSame =
      last?.rest.length === rest.length && last.rest.every((argument, index) => Object.is(argument, rest[index]));
    if (isSame) return last.result;
    const result = compute(key, ...rest);
    known.set(key, { rest, result });
    return result;
  };
  return Object.assign(recall, {
    record: (result: Result, key: Key, ...rest: Rest) => void known.set(key, { rest, result }),
  });
}

/** A function that remembers its last result for each key. */
export interface Memoized<Key extends object, Rest extends readonly unknown[], Result> {
  (key: Key, ...rest: Rest): Result;
  /** Takes in a result that is known without computing it. */
  record(result: Result, key: Key, ...rest: Rest): void;
}
