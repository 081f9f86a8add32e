import type { Dice } from "./random-input.ts";

/** What an expression may be made of: a name of a list of texts, a map, a text and a number. */
export interface CelNames {
  readonly lists: readonly string[];
  readonly maps: readonly string[];
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

const patterns = ["^[a-z]{1,9}$", "(a|a)*$", "(x?){50}", "a.*b", "[", "\\\\d+", "(x{2}){90}"];
const comparisons = ["==", "!=", "<", "<=", ">", ">="];
const durations = ['"1h"', '"11h11h"', '"90s"', '"x"'];

/** Expressions of the Common Expression Language, most of which are true or false for some value. */
export function randomCel(dice: Dice, names: CelNames, depth = 5): string {
  let made = 0;
  const text = (left: number): string => {
    if (left <= 0) return dice.pick([...names.texts, '"a"', '""']);
    return dice.pick<() => string>([
      () => dice.pick(names.texts),
      () => `(${text(left - 1)} + ${text(left - 1)})`,
      () => `${list(left - 1)}.join(${text(0)})`,
      () => `string(${number(left - 1)})`,
      () => `(${truth(left - 1)} ? ${text(left - 1)} : ${text(0)})`,
      () => `${text(left - 1)}.${dice.pick(["lowerAscii", "upperAscii", "trim"])}()`,
      () => `${text(left - 1)}.replace(${text(0)}, ${text(0)})`,
      () => `${text(left - 1)}.substring(${number(0)})`,
    ])();
  };
  const number = (left: number): string => {
    if (left <= 0) return dice.pick([...names.numbers, "1", "-1", "0"]);
    return dice.pick<() => string>([
      () => `size(${dice.pick([list, text, map])(left - 1)})`,
      () => `(${number(left - 1)} ${dice.pick(["+", "-", "*", "/", "%"])} ${number(left - 1)})`,
      () => `${list(left - 1)}.size()`,
      () => `int(${text(left - 1)})`,
    ])();
  };
  const list = (left: number): string => {
    if (left <= 0) return dice.pick([...names.lists, "[]", '["a", "b"]']);
    made += 1;
    const name = `i${made}`;
    return dice.pick<() => string>([
      () => dice.pick(names.lists),
      () => `[${text(left - 1)}, ${text(left - 1)}]`,
      () => `${list(left - 1)}.map(${name}, ${text(left - 1)} + string(${name}))`,
      () => `${list(left - 1)}.filter(${name}, ${truth(left - 1)} || ${name} == ${text(0)})`,
      () => `(${list(left - 1)} + ${list(left - 1)})`,
      () => `${text(left - 1)}.split(${text(0)})`,
    ])();
  };
  const map = (left: number): string =>
    left <= 0 ? dice.pick([...names.maps, "{}"]) : `{${text(left - 1)}: ${text(0)}}`;
  const truth = (left: number): string => {
    if (left <= 0) return dice.pick(["true", "false", `${text(0)} == ${text(0)}`]);
    made += 1;
    const name = `b${made}`;
    return dice.pick<() => string>([
      () => `(${truth(left - 1)} ${dice.pick(["&&", "||"])} ${truth(left - 1)})`,
      () => `!${truth(left - 1)}`,
      () => `${list(left - 1)}.${dice.pick(["all", "exists", "exists_one"])}(${name}, ${truth(left - 1)})`,
      () => `${map(left - 1)}.all(${name}, ${truth(left - 1)} && ${name} != "")`,
      () => `${text(left - 1)} in ${list(left - 1)}`,
      () => `${text(left - 1)}.${dice.pick(["contains", "startsWith", "endsWith"])}(${text(left - 1)})`,
      () => `${text(left - 1)}.matches("${dice.pick(patterns)}")`,
      () => `${text(left - 1)}.matches(${text(0)})`,
      () => `${list(left - 1)} == ${list(left - 1)}`,
      () => `${number(left - 1)} ${dice.pick(comparisons)} ${number(left - 1)}`,
      () => `duration(${dice.pick([...durations, text(0)])}) ${dice.pick(comparisons)} duration("1h")`,
    ])();
  };
  return truth(depth);
}
