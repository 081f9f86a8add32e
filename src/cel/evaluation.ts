import type { CelValue } from "./cel-value.ts";
import { CelError } from "./cel-value.ts";
import type { Meter } from "./overload.ts";

/** One evaluation of an expression. */
export interface Run {
  /** What may still be spent. */
  remaining: number;
  /** Values of variables, by slot. */
  readonly values: CelValue[];
  /** For functions that find out their cost step by step. */
  readonly meter: Meter;
}

/** Starts an evaluation that may spend `maximumCost` units. */
export function startRun(maximumCost: number, values: CelValue[]): Run {
  let seen: Set<string> | undefined;
  const run: Run = {
    remaining: maximumCost,
    values,
    meter: {
      take: (units) => charge(run, units),
      isFirst: (text) => {
        seen ??= new Set();
        return seen.size !== seen.add(text).size;
      },
    },
  };
  return run;
}

export type Evaluate = (run: Run) => CelValue;

/** Where the values of variables are while an expression runs. */
export type Slots = ReadonlyMap<string, number>;

/** Takes from what may be spent. Throws a fatal CelError when nothing is left. */
export function charge(run: Run, cost: number): void {
  run.remaining -= cost;
  if (run.remaining < 0) throw new CelError("operation cancelled: actual cost limit exceeded", true);
}

/** The failure, when `&&`, `||` and the like may continue after it; anything else is thrown again. */
export function absorbable(error: unknown): CelError {
  if (error instanceof CelError && !error.isFatal) return error;
  throw error;
}
