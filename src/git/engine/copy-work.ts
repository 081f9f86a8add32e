import { makeSerialWork } from "./serial-work.ts";
import type { SerialWork } from "./serial-work.ts";

/**
 * Work on one copy of a repository. What takes a moment runs one after the other; what waits for a pack runs beside it, so that
 * no branch waits for the pack of another one.
 */
export interface CopyWork extends SerialWork {
  /** Runs work that is about one branch, after what was given for the same branch before. It may call `run`. */
  inOrder<T>(branch: string, work: () => Promise<T>): Promise<T>;
  /** Begins work that adds to the copy and takes nothing away. Call it within `run`. A failure concerns its caller alone. */
  beside<T>(work: () => Promise<T>): Promise<T>;
  /** False while something runs beside. */
  isAlone(): boolean;
  /** Resolves when nothing runs beside. Within `run` nothing begins meanwhile: now something may be taken away. */
  whenAlone(): Promise<void>;
}

export function makeCopyWork(): CopyWork {
  const serial = makeSerialWork();
  const running = new Set<Promise<unknown>>();
  const lastOf = new Map<string, Promise<unknown>>();
  const whenAlone = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running);
  };
  return {
    run: (work) => serial.run(work),
    inOrder: (branch, work) => {
      const result = (lastOf.get(branch) ?? Promise.resolve()).then(work);
      const forget = (): void => {
        if (lastOf.get(branch) === ended) lastOf.delete(branch);
      };
      const ended: Promise<unknown> = result.then(forget, forget);
      lastOf.set(branch, ended);
      return result;
    },
    beside: (work) => {
      const result = work();
      const ended: Promise<unknown> = result.then(
        () => running.delete(ended),
        () => running.delete(ended),
      );
      running.add(ended);
      return result;
    },
    isAlone: () => running.size === 0,
    whenAlone,
    whenIdle: async () => {
      while (lastOf.size > 0) await Promise.all(lastOf.values());
      await serial.whenIdle();
      await whenAlone();
    },
  };
}
