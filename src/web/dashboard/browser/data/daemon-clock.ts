/** The way of an answer, and the second that its date is rounded to, are no difference between two clocks. */
const toleratedMs = 5_000;

let aheadMs = 0;

/** Takes over the daemon's time from the header `date` of an answer. */
export function recordDate(date: string | null): void {
  const differenceMs = Date.parse(date ?? "") - Date.now();
  if (!Number.isNaN(differenceMs)) aheadMs = Math.abs(differenceMs) < toleratedMs ? 0 : differenceMs;
}

/** The time by the daemon's clock: by one of this machine that is wrong, each age would be wrong, and heartbeats be missed. */
export function daemonNowMs(): number {
  return Date.now() + aheadMs;
}
