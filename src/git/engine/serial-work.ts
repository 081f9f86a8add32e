/** Runs work one after the other, in the order it is given; a failure concerns its caller alone. */
export interface SerialWork {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all work given so far has ended. */
  whenIdle(): Promise<void>;
}

export function makeSerialWork(): SerialWork {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (work) => {
      const result = last.then(work);
      last = result.catch(() => undefined); // the caller has it; the next in line must not
      return result;
    },
    whenIdle: async () => void (await last),
  };
}
