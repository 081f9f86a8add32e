/** Smaller work ends before a user asks for its progress. */
export const leastTotal = 1_000;

/** Calls `report` at each tenth of a long work, which passes the number of finished parts before each part. */
export function tenthsOf(total: number, report: (done: number) => void): (done: number) => void {
  const tenth = Math.ceil(total / 10);
  return (done) => {
    if (total >= leastTotal && done > 0 && done % tenth === 0) report(done);
  };
}
