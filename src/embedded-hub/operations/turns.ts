/** Long work on the event loop, in slices. */
export interface Turns {
  /** Begins some work; what it returns is called before each of its steps. */
  readonly begin: () => TakeTurn;
  /** Called before a piece of work of unknown length; waits when others took this turn of the loop already. */
  readonly enter: TakeTurn;
}

/** Undefined: continue; else a promise that resolves when the work may continue, after everything else on the loop. */
export type TakeTurn = () => Promise<void> | undefined;

/** What all long work together takes of one turn of the loop; one step may take longer. */
const sliceMs = 10;
/** Work that takes no longer never waits. */
const shortMs = 1;

/**
 * Queues long work, so that one piece of it runs in each turn of the loop: two hundred lists that are written at once
 * block the loop no longer than one.
 */
export function createTurns(monotonicMs: () => number): Turns {
  const waiting: (() => void)[] = [];
  const resumeOne = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(resumeOne);
  };
  const wait = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(resumeOne);
    });
  let turnSinceMs: number | undefined;
  return {
    enter: () => {
      if (turnSinceMs !== undefined) return monotonicMs() - turnSinceMs < sliceMs ? undefined : wait();
      turnSinceMs = monotonicMs();
      setImmediate(() => {
        turnSinceMs = undefined;
      });
      return undefined;
    },
    begin: () => {
      let sinceMs = monotonicMs();
      let leftMs = shortMs;
      return () => {
        if (monotonicMs() - sinceMs < leftMs) return undefined;
        return wait().then(() => {
          sinceMs = monotonicMs();
          leftMs = sliceMs;
        });
      };
    },
  };
}
