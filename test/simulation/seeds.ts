import type { Deed } from "./deeds.ts";

/** A run that once violated an invariant. The unit of its length is a round of 36 minutes. */
export interface FailedSeed {
  readonly seed: number;
  readonly clusterCount: number;
  readonly roundCount: number;
  /** Those of the shrunk run. Default: the deeds that the seed draws, which change when a deed or a weight is added. */
  readonly deeds?: readonly Deed[];
  readonly story: string;
}

/** Every seed that ever failed, with the fault of the program that it found. `npm test` runs all of them. */
export const failedSeeds: readonly FailedSeed[] = [
  {
    seed: 10,
    clusterCount: 4,
    roundCount: 1,
    story: "An agent asks before its token names it, and no timer ends its refused registration.",
  },
  {
    seed: 4_000_000_001,
    clusterCount: 5,
    roundCount: 1,
    story: "A leader stands still for four minutes, and writes before a timer tells it that it lost its Lease.",
  },
  {
    seed: 2_838_461_032,
    clusterCount: 5,
    roundCount: 2,
    story: "The remote shows the parent of its head, and an approval of an older commit lets a removal through.",
  },
  {
    seed: 3_845_916_840,
    clusterCount: 5,
    roundCount: 4,
    story:
      "A write of a member's state arrives twice. The second creates the state of a cluster that was removed meanwhile.",
  },
  {
    seed: 531_354_187,
    clusterCount: 5,
    roundCount: 4,
    story:
      "A refused agent asks again while the last daemon starts: the invariant took its new request for the old one.",
  },
];
