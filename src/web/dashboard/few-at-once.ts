import { AppError } from "../../core/errors.ts";

/**
 * Does work with at most `atOnce` calls under way; further ones wait in their order.
 * @throws E_KUBE_THROTTLED for a call that finds `waiting` others waiting
 */
export function fewAtOnce<A, T>(
  work: (argument: A) => Promise<T>,
  { atOnce, waiting }: { readonly atOnce: number; readonly waiting: number },
): (argument: A) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (argument) => {
    if (running < atOnce) running += 1;
    else if (queue.length < waiting) await new Promise<void>((resolve) => queue.push(resolve));
    else throw new AppError("E_KUBE_THROTTLED", `ask the hub: ${waiting} others wait already`);
    try {
      return await work(argument);
    } finally {
      // The turn goes to the one that waits for longest.
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
