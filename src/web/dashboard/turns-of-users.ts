import { createGate, passThrough } from "../../core/gate.ts";
import type { Gate } from "../../core/gate.ts";

export interface TurnLimits {
  /** Work of one user that is under way at the same time. */
  readonly atOnce: number;
  /** Work of one user that waits for it. */
  readonly waiting: number;
}

/** Does the work of a user; undefined when too much of that user waits. */
export type TurnsOfUsers = <T>(user: string, work: () => Promise<T>) => Promise<T> | undefined;

interface Line {
  readonly gate: Gate;
  begun: number;
}

/**
 * Gives each user a line of its own, in the order of its requests: what all users share, such as one read of the history at
 * a time, is then asked for by each user only a few times at once.
 */
export function createTurnsOfUsers({ atOnce, waiting }: TurnLimits): TurnsOfUsers {
  const lines = new Map<string, Line>();
  return (user, work) => {
    const line = lines.get(user) ?? { gate: createGate(atOnce), begun: 0 };
    if (line.begun >= atOnce + waiting) return undefined;
    line.begun += 1;
    lines.set(user, line);
    return passThrough(line.gate, work).finally(() => {
      line.begun -= 1;
      if (line.begun === 0) lines.delete(user);
    });
  };
}
