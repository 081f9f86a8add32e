import type { Clock } from "../core/clock.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { PlannedChange } from "../model/plan.ts";
import type { FieldFights } from "../planning/field-fights.ts";
import {
  currentFights,
  describeChildFight,
  isRevertedWithin,
  nextFightInMs,
  recordReverts,
} from "../planning/field-fights.ts";
import { smallestOf } from "../core/extremes.ts";

/** A field that is fought over is reverted once in this time: a writer that answers each revert at once is no hot loop. */
const holdMs = 1000;

/**
 * Fields of the children of members and tokens that another writer changes again and again. They are reported, and reverted at
 * once, or within a second of the previous revert. An owner is a member (`workspace/name`), or a token (`tokenOwner`).
 */
export interface ChildFights {
  /** Takes in changes that were executed for an owner; `before`: each object as it was. */
  record(
    owner: string,
    done: readonly { readonly change: PlannedChange; readonly before: KubeObject | undefined }[],
  ): void;
  /** True for an update of nothing but fields that are fought over and were reverted less than a second ago. */
  isHeld(owner: string, change: PlannedChange): boolean;
  /** Which manager changes which field of the owner's children; undefined when none does. */
  describe(owner: string): string | undefined;
  /**
   * Milliseconds until the result may change although nothing happens; undefined when it does not. 0 where the time has come
   * of a change that was held back since the last call.
   */
  nextInMs(owner: string): number | undefined;
}

/** The owner of the objects of a token. No workspace has this name. */
export function tokenOwner(workspace: string, name: string): string {
  return `ClusterRegistrationToken/${workspace}/${name}`;
}

/** Remembers the fights of each owner of this process, until they end. */
export function createChildFights(clock: Pick<Clock, "monotonicMs">): ChildFights {
  const byOwner = new Map<string, FieldFights>();
  const held = new Map<string, Map<string, PlannedChange>>();
  const fightsOf = (owner: string): FieldFights => byOwner.get(owner) ?? new Map();
  /** Owners in the order of their last reverts: the first one with a continuing fight ends the search. */
  const forgetEnded = (): void => {
    for (const [owner, fights] of byOwner) {
      if (recordReverts(fights, [], { nowMs: clock.monotonicMs(), isApplied: false }).size > 0) break;
      byOwner.delete(owner);
    }
  };
  return {
    record: (owner, done) => {
      // The hub's own new value is no revert: only the same value written again is.
      const fights = recordReverts(fightsOf(owner), done, { nowMs: clock.monotonicMs(), isApplied: false });
      byOwner.delete(owner);
      if (fights.size > 0) byOwner.set(owner, fights);
      forgetEnded();
    },
    isHeld: (owner, change) => {
      const isHeld = isRevertedWithin(change, fightsOf(owner), { nowMs: clock.monotonicMs(), ms: holdMs });
      if (isHeld)
        held.set(owner, (held.get(owner) ?? new Map<string, PlannedChange>()).set(describeRef(change.ref), change));
      return isHeld;
    },
    describe: (owner) => {
      const [fight] = currentFights(fightsOf(owner), clock.monotonicMs());
      return fight && describeChildFight(fight);
    },
    nextInMs: (owner) => {
      const nowMs = clock.monotonicMs();
      const waiting = [...(held.get(owner)?.values() ?? [])];
      held.delete(owner);
      if (waiting.some((change) => !isRevertedWithin(change, fightsOf(owner), { nowMs, ms: holdMs }))) return 0;
      const next = nextFightInMs(fightsOf(owner), nowMs);
      const holds = currentFights(fightsOf(owner), nowMs).map(({ lastRevertMs }) => lastRevertMs + holdMs - nowMs);
      const moments = [...holds.filter((ms) => ms > 0), ...(next === undefined ? [] : [next])];
      return moments.length === 0 ? undefined : smallestOf(moments);
    },
  };
}
