import { AppError } from "../../core/errors.ts";
import { createGate } from "../../core/gate.ts";

/**
 * Does work with at most `atOnce` calls under way; further ones wait in their order.
 * @throws E_KUBE_THROTTLED for a call that finds `waiting` others waiting
 */
export function fewAtOnce<A, T>(
  work: (argument: A) => Promise<T>,
  { atOnce, waiting }: { readonly atOnce: number; readonly waiting: number },
): (argument: A) => Promise<T> {
  const gate = createGate(atOnce);
  let begun = 0;
  return async (argument) => {
    if (begun >= atOnce + waiting)
      throw new AppError("E_KUBE_THROTTLED", `ask the hub: ${waiting} others wait already`);
    begun += 1;
    await gate.enter();
    try {
      return await work(argument);
    } finally {
      gate.leave();
      begun -= 1;
    }
  };
}
