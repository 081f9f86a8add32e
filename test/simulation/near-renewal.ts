import { renewalDueAtMs } from "../../src/join/rollcall/downstream/membership.ts";
import { readMemberState } from "../../src/model/member-state.ts";
import type { HubMirror } from "./mirror.ts";

const statePrefix = "//configmaps/fleet/rollcall-cluster-";
/** Clocks of agents drift, and the status branch records a credential some minutes after it was issued. */
const marginMs = 5 * 60_000;

/** Whether an agent renews its credential by the clock between `nowMs` and `endMs`, or has just done so. */
export function isRenewalNear(mirror: Pick<HubMirror, "below">, nowMs: number, endMs: number): boolean {
  return [...mirror.below(statePrefix).values()].some((object) => {
    const issued = readMemberState(object)?.credential;
    if (issued === undefined) return false;
    const issuedAtMs = Date.parse(issued.issuedAt);
    return isWithin(issuedAtMs) || isWithin(renewalDueAtMs({ ...issued, receivedAtMs: issuedAtMs }));
  });

  function isWithin(timeMs: number): boolean {
    return timeMs > nowMs - marginMs && timeMs < endMs + marginMs;
  }
}
