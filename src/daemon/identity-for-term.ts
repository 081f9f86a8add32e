import { backoffMs } from "../core/backoff.ts";
import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { HubIdentity } from "../hub/trust-key.ts";
import { sleepOrStop } from "../kube/lease-holder.ts";

export interface IdentitySource {
  /** As it is on the hub; undefined where there is none. */
  readonly read: (signal: AbortSignal) => Promise<HubIdentity | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * The hub's identity for a term of leadership that begins: the trust key may have been replaced, or the fleet restored, while
 * this process waited for months. Tried until the hub answers. What is known stays where the hub has no key, and when the
 * signal is aborted first.
 */
export async function identityForTerm(
  known: HubIdentity,
  { read, clock, random, log }: IdentitySource,
  signal: AbortSignal,
): Promise<HubIdentity> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const present = await read(signal);
      if (present === undefined || isSame(known, present)) return known;
      const { epoch, succession } = present.trust;
      log.info("the hub's trust key was read again", { number: succession?.number ?? 1, epoch });
      return present;
    } catch (error) {
      if (signal.aborted) return known;
      const waitMs = backoffMs(failures, random, { initialMs: 1000, maximumMs: 30_000 });
      log.warn("reading the hub's trust key failed", { error, waitMs });
      await sleepOrStop(clock, waitMs, signal);
    }
  }
  return known;
}

/** Agents would receive the same. */
function isSame({ trust: known }: HubIdentity, { trust: present }: HubIdentity): boolean {
  const { publicKey, epoch, validFrom } = present;
  return known.publicKey === publicKey && known.epoch === epoch && known.validFrom === validFrom;
}
