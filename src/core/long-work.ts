/** Less is done before a person asks what goes on. */
export const leastTotal = 1_000;

/** Calls `note` at each tenth of a long work, which says before each of its parts how many are done. */
export function tenthsOf(total: number, report: (done: number) => void): (done: number) => void {
  const tenth = Math.ceil(total / 10);
  return (done) => {
    if (total >= leastTotal && done > 0 && done % tenth === 0) report(done);
  };
}
