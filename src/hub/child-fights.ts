import type { Clock } from "../core/clock.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { PlannedChange } from "../model/plan.ts";
import type { FieldFights } from "../planning/field-fights.ts";
import { currentFights, describeChildFight, nextFightInMs, recordReverts } from "../planning/field-fights.ts";

/** Fields of the children of members that another writer changes again and again. They are reported, and reverted at once. */
export interface ChildFights {
  /** Takes in changes that were executed for a member; `before`: each object as it was. */
  record(
    member: string,
    done: readonly { readonly change: PlannedChange; readonly before: KubeObject | undefined }[],
  ): void;
  /** Which manager changes which field of the member's children; undefined when none does. */
  describe(member: string): string | undefined;
  /** Milliseconds until the result may change although nothing happens; undefined when it does not. */
  nextInMs(member: string): number | undefined;
}

/** Remembers the fights of each member of this process, until they end. */
export function createChildFights(clock: Pick<Clock, "monotonicMs">): ChildFights {
  const byMember = new Map<string, FieldFights>();
  /** Members in the order of their last reverts: the first one with a continuing fight ends the search. */
  const forgetEnded = (): void => {
    for (const [member, fights] of byMember) {
      if (recordReverts(fights, [], { nowMs: clock.monotonicMs(), isApplied: false }).size > 0) break;
      byMember.delete(member);
    }
  };
  return {
    record: (member, done) => {
      const known = byMember.get(member);
      if (known === undefined && done.every(({ change }) => change.kind !== "update")) return;
      // The hub's own new value is no revert: only the same value written again is.
      const fights = recordReverts(known ?? new Map(), done, { nowMs: clock.monotonicMs(), isApplied: false });
      byMember.delete(member);
      if (fights.size > 0) byMember.set(member, fights);
      forgetEnded();
    },
    describe: (member) => {
      const [fight] = currentFights(byMember.get(member) ?? new Map(), clock.monotonicMs());
      return fight && describeChildFight(fight);
    },
    nextInMs: (member) => nextFightInMs(byMember.get(member) ?? new Map(), clock.monotonicMs()),
  };
}
