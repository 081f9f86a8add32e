import { describe, expect, it } from "vitest";
import type { CelType } from "../../../src/cel/cel-type.ts";
import { describeType } from "../../../src/cel/cel-type.ts";
import type { CelValue } from "../../../src/cel/cel-value.ts";
import { celList, CelError, celMap } from "../../../src/cel/cel-value.ts";
import { kubernetesLibrary } from "../../../src/cel/library.ts";
import type { Overload } from "../../../src/cel/overload.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";

const text = "a".repeat(200_000);
/** Texts that some function reads as a number. */
const numbers = ["9".repeat(200_000), "0".repeat(200_000), `${"9".repeat(200_000)}.0.0`, `1.${"0".repeat(200_000)}1h`];
const texts = celList(Array.from({ length: 5000 }, () => text.slice(0, 1000)));

/** Something large of a type, or undefined for a type of a library: those are made of bounded texts. */
function largest(type: CelType): CelValue | undefined {
  switch (type.kind) {
    case "string":
      return text;
    case "bytes":
      return new Uint8Array(200_000);
    case "list":
    case "dyn":
    case "param":
      return type.kind === "list" && type.element.kind === "list" ? celList([texts, texts]) : texts;
    case "map":
      return celMap(Array.from({ length: 5000 }, (_, index) => [`key-${index}`, BigInt(index)]));
    case "int":
      return 1n;
    case "uint":
      return { kind: "uint", value: 1n };
    case "double":
      return 1.5;
    case "bool":
      return true;
    case "null_type":
      return null;
    case "timestamp":
    case "duration":
      return { kind: type.kind, nanos: 1n };
    case "optional":
      return { kind: "optional", value: texts };
    default:
      return undefined;
  }
}

const functions = [...kubernetesLibrary].flatMap(([key, overloads]) =>
  overloads.flatMap((overload) => {
    const values = overload.parameters.map(largest);
    const isKnown = values.every((value): value is CelValue => value !== undefined);
    const name = `${key}(${overload.parameters.map((type) => describeType(type)).join(", ")})`;
    return isKnown ? [{ name, overload, values }] : [];
  }),
);

/** What a call charges before it runs, at most `maximum` units. */
function chargeOf({ cost }: Overload, values: readonly CelValue[], maximum: number): number {
  let units = 0;
  const stopped = new CelError("stopped", true);
  const take = (added: number): void => {
    units += added;
    if (units > maximum) throw stopped;
  };
  try {
    take(cost?.(values, { take, isFirst: () => true }) ?? 1);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
  }
  return units;
}

describe("the functions of expressions", () => {
  it.each(functions)("A61 takes no more time than it charges for: $name", ({ overload, values }) => {
    const maximum = 1_000_000;
    // Two microseconds for each unit, four times what it is to take, and what measuring itself takes.
    const mostMs = 4 + chargeOf(overload, values, maximum) / 500;
    const work = (): void => {
      const units = chargeOf(overload, values, maximum);
      if (units > maximum) return;
      try {
        overload.run(...values);
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
      }
    };
    expect(leastCpuMs(work, mostMs)).toBeLessThan(mostMs);
  });

  const readers = functions
    .filter(({ values }) => values.length === 1 && values[0] === text)
    .flatMap((one) => numbers.map((number, index) => ({ ...one, name: `${one.name}, number ${index}`, number })));

  it.each(readers)("A222 takes no more time than it charges for a long number: $name", ({ overload, number }) => {
    const mostMs = 2 + chargeOf(overload, [number], 1_000_000) / 1000;
    const work = (): void => {
      try {
        overload.run(number);
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
      }
    };
    expect(leastCpuMs(work, mostMs)).toBeLessThan(mostMs);
  });
});
