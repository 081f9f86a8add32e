/** Random choices of a generator, the same for the same seed. */
export interface Dice {
  readonly next: () => number;
  readonly below: (count: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
}

export function diceOf(next: () => number): Dice {
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("there is nothing to pick from");
      return item;
    },
  };
}

const words = [
  "a",
  "name",
  "spec",
  "metadata",
  "labels",
  "__proto__",
  "constructor",
  "toString",
  "eu-1",
  "Cluster",
  "v1",
];
const odd = [
  "",
  "\u0000",
  "\u202E",
  "\uD800",
  "%2e%2e",
  "../",
  "'",
  '"',
  "{",
  "[",
  "&a",
  "*a",
  "!!js",
  "<<",
  "|",
  "-",
  "~",
  "#",
];

export function randomText(dice: Dice): string {
  const parts = Array.from({ length: 1 + dice.below(4) }, () => dice.pick(dice.next() < 0.7 ? words : odd));
  return dice.next() < 0.02 ? parts.join("").repeat(1 + dice.below(3000)) : parts.join("");
}

/** A JSON value of at most `depth` levels; now and then a deep or a wide one. */
export function randomJson(dice: Dice, depth = 4): unknown {
  const roll = dice.next();
  if (depth === 0 || roll < 0.35) {
    const values = [randomText(dice), dice.below(1e9), -dice.next(), 1e308, null, true, false, "9999-12-31T23:59:59Z"];
    return dice.pick(values);
  }
  const length = dice.next() < 0.01 ? dice.below(400) : dice.below(5);
  const items = Array.from({ length }, () => randomJson(dice, depth - 1));
  if (roll < 0.55) return items;
  return Object.fromEntries(items.map((item) => [randomText(dice), item]));
}

/** Changes some bytes: cut, repeated, exchanged, put in. */
export function mutate(dice: Dice, seed: Uint8Array): Uint8Array {
  let bytes = Buffer.from(seed);
  for (let count = 1 + dice.below(4); count > 0; count -= 1) {
    const from = dice.below(bytes.length + 1);
    const to = Math.min(bytes.length, from + dice.below(40));
    const middle = dice.pick<() => Uint8Array>([
      () => Buffer.alloc(0),
      () => Buffer.concat(Array.from({ length: 1 + dice.below(20) }, () => bytes.subarray(from, to))),
      () => Buffer.from(randomText(dice)),
      () => Buffer.from(bytes.subarray(from, to)).map((byte) => byte ^ (1 << dice.below(8))),
    ])();
    bytes = Buffer.concat([bytes.subarray(0, from), middle, bytes.subarray(to)]).subarray(0, 1024 * 1024);
  }
  return bytes;
}

/** A copy of a value in which some fields, at any depth, have another value (one of `others`, or any) or another name. */
export function shaken(dice: Dice, value: unknown, others: readonly unknown[] = [null]): unknown {
  if (dice.next() < 0.08) return dice.pick<unknown>([randomJson(dice, 3), ...others]);
  if (Array.isArray(value)) return (value as readonly unknown[]).map((item) => shaken(dice, item, others));
  if (typeof value !== "object" || value === null) return value;
  const nameOf = (key: string): string => (dice.next() < 0.02 ? randomText(dice) : key);
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([key, item]) => [nameOf(key), shaken(dice, item, others)]));
}
