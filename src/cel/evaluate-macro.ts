import { largestOf } from "../core/extremes.ts";
import type { CelValue } from "./cel-value.ts";
import { CelError, celList, celMap, describeValue, isKind, mapKey, noSuchOverload, typeNameOf } from "./cel-value.ts";
import type { Evaluate, Run, Slots } from "./evaluation.ts";
import { absorbable, charge } from "./evaluation.ts";
import { takeText } from "./nested-cost.ts";
import type { Expression } from "./expression.ts";

type Macro = Extract<Expression, { readonly kind: "macro" }>;
type Compile = (expression: Expression, slots: Slots) => Evaluate;

/** The values of a macro's variables in one round: one or two. */
type Round = readonly CelValue[];

interface Body {
  readonly slot: number;
  readonly evaluate: Evaluate;
  readonly filter?: Evaluate;
}

/** What a loop costs each time around, besides its body. */
const roundCost = 3;
const collectingCost = 12;

/** Makes a function of a macro: a loop over a list or map, or something done to the value of an optional. */
export function compileMacro(macro: Macro, slots: Slots, compile: Compile): Evaluate {
  const target = compile(macro.target, slots);
  const slot = largestOf(slots.values(), -1) + 1;
  const inner = new Map(slots);
  for (const [index, name] of macro.variables.entries()) inner.set(name, slot + index);
  const parts = macro.arguments.map((argument) => compile(argument, inner));
  const evaluate = parts.at(-1) ?? ((): CelValue => null);
  const filter = parts.length > 1 ? parts[0] : undefined;
  const body: Body = { slot, evaluate, ...(filter === undefined ? {} : { filter }) };
  if (macro.macro === "optMap" || macro.macro === "optFlatMap") return compileOptional(macro.macro, target, body);
  const finish = loops[macro.macro];
  const isOfTwo = macro.variables.length === 2;
  return (run) => finish(run, roundsOf(target(run), isOfTwo), body);
}

function compileOptional(macro: "optMap" | "optFlatMap", target: Evaluate, body: Body): Evaluate {
  return (run) => {
    const optional = target(run);
    if (!isKind(optional, "optional")) throw new CelError(noSuchOverload);
    if (optional.value === undefined) return optional;
    const value = inRound(run, [optional.value], body, body.evaluate);
    return macro === "optMap" ? { kind: "optional", value } : value;
  };
}

/** One after the other, each when its turn is charged: a loop that ends in its first turn does not make the others. */
function* roundsOf(range: CelValue, isOfTwo: boolean): Generator<Round, void, void> {
  if (isKind(range, "list")) {
    for (let index = 0; index < range.size; index += 1) {
      const item = range.at(index);
      yield isOfTwo ? [BigInt(index), item] : [item];
    }
  } else if (isKind(range, "map")) {
    for (const key of range.keys) yield isOfTwo ? [key, range.get(key) ?? null] : [key];
  } else if (isKind(range, "object")) {
    for (const field of range.fields) yield isOfTwo ? [field, range.get(field) ?? null] : [field];
  } else throw noRange(range);
}

function noRange(range: CelValue): CelError {
  return new CelError(`got 'types.${goTypeName(range)}', expected iterable type`);
}

/** The type of a value as the reference implementation calls it. */
function goTypeName(value: CelValue): string {
  const name = typeNameOf(value).replace(/^google\.protobuf\.|_type$/gu, "");
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function inRound(run: Run, round: Round, { slot }: Body, evaluate: Evaluate): CelValue {
  for (const [index, value] of round.entries()) run.values[slot + index] = value;
  return evaluate(run);
}

type Loop = (run: Run, rounds: Iterable<Round>, body: Body) => CelValue;

/** Continues after failures: one item can still decide. */
function search(deciding: boolean): Loop {
  return (run, rounds, body) => {
    let failure: CelError | undefined;
    for (const round of rounds) {
      charge(run, roundCost);
      try {
        if (isTrue(inRound(run, round, body, body.evaluate)) === deciding) return deciding;
      } catch (error) {
        failure ??= absorbable(error);
      }
    }
    if (failure !== undefined) throw failure;
    return !deciding;
  };
}

function isTrue(value: CelValue): boolean {
  if (typeof value !== "boolean") throw new CelError(noSuchOverload);
  return value;
}

const existsOne: Loop = (run, rounds, body) => {
  let found = 0;
  for (const round of rounds) {
    charge(run, roundCost);
    if (isTrue(inRound(run, round, body, body.evaluate))) found += 1;
  }
  return found === 1;
};

const filterItems: Loop = (run, rounds, body) => {
  const kept: CelValue[] = [];
  for (const round of rounds) {
    charge(run, collectingCost);
    if (isTrue(inRound(run, round, body, body.evaluate))) kept.push(round[0] ?? null);
  }
  return celList(kept);
};

/** The results of the rounds that the filter lets through, with what the rounds were about. */
function results(run: Run, rounds: Iterable<Round>, body: Body): (readonly [CelValue, CelValue])[] {
  const { filter } = body;
  const all: (readonly [CelValue, CelValue])[] = [];
  for (const round of rounds) {
    charge(run, collectingCost);
    if (filter !== undefined && !isTrue(inRound(run, round, body, filter))) continue;
    all.push([round[0] ?? null, inRound(run, round, body, body.evaluate)]);
  }
  return all;
}

const collect: Loop = (run, rounds, body) => celList(results(run, rounds, body).map(([, result]) => result));

const transformMap: Loop = (run, rounds, body) => celMap(results(run, rounds, body));

const transformMapEntry: Loop = (run, rounds, body) => {
  const entries = results(run, rounds, body).flatMap(([, entry]) => {
    if (!isKind(entry, "map")) throw new CelError(noSuchOverload);
    return entry.keys.map((key) => [key, entry.get(key) ?? null] as const);
  });
  const seen = new Set<string>();
  for (const [key] of entries) {
    takeText(key, run.meter);
    if (seen.has(mapKey(key))) throw new CelError(() => `insert failed: key ${describeValue(key)} already exists`);
    seen.add(mapKey(key));
  }
  return celMap(entries);
};

const loops: Readonly<Record<Exclude<Macro["macro"], "optMap" | "optFlatMap">, Loop>> = {
  all: search(false),
  exists: search(true),
  exists_one: existsOne,
  existsOne,
  filter: filterItems,
  map: collect,
  transformList: collect,
  transformMap,
  transformMapEntry,
};
