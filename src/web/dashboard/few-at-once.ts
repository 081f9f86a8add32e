import { AppError } from "../../core/errors.ts";
import { createGate, passThrough } from "../../core/gate.ts";

/** This process does not ask the hub, since too many others wait: unlike a hub that does not answer, it is the caller's doing. */
export class CrowdError extends AppError {
  constructor(waiting: number) {
    super("E_KUBE_THROTTLED", `ask the hub: ${waiting} others wait already`);
  }
}

export interface WaitingLimits {
  /** Calls that are under way at the same time. */
  readonly atOnce: number;
  /** Calls that wait for them. */
  readonly waiting: number;
  /** The error of a call that finds so many others waiting. */
  readonly refusal: (waiting: number) => AppError;
}

/** Does work with at most `atOnce` calls under way; further ones wait in their order. @throws the `refusal` beyond `waiting` */
export function fewAtOnce<A, T>(
  work: (argument: A) => Promise<T>,
  { atOnce, waiting, refusal }: WaitingLimits,
): (argument: A) => Promise<T> {
  const gate = createGate(atOnce);
  let begun = 0;
  return async (argument) => {
    if (begun >= atOnce + waiting) throw refusal(waiting);
    begun += 1;
    return passThrough(gate, () => work(argument)).finally(() => (begun -= 1));
  };
}
