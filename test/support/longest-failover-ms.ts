import { leadership } from "../../src/daemon/leadership.ts";
import { elapsedOfThisMachine } from "./of-this-machine.ts";

const promisedMs = 15_000;

/** The promise of 15 s: until the Lease of a leader that was killed is over and the other one asks; the rest is work. */
export function longestFailoverMs(): number {
  const waitMs = leadership.leaseDurationMs + 1.2 * leadership.askPeriodMs;
  return waitMs + elapsedOfThisMachine(promisedMs - waitMs);
}
