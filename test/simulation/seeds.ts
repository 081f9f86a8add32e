import type { Deed } from "./deeds.ts";

/** A run that once violated an invariant. The unit of its length is a round of 36 minutes. */
export interface FailedSeed {
  readonly seed: number;
  readonly clusterCount: number;
  readonly roundCount: number;
  /** Of the shrunk run. What the seed itself draws changes with each new kind of deed. */
  readonly deeds: readonly Deed[];
  readonly story: string;
}

/** Runs that failed, each with the fault of the program that it found. `npm test` runs all of them. */
export const failedSeeds: readonly FailedSeed[] = [
  {
    seed: 3_845_916_840,
    clusterCount: 5,
    roundCount: 1,
    deeds: [
      { atMs: 52_681, kind: "agent stays away", pick: 0.468828285112977, forMs: 3103 },
      { atMs: 71_636, kind: "daemon stands still", pick: 0.720377458026633, forMs: 6422 },
      { atMs: 75_801, kind: "cut off daemon", pick: 0.301520538982004, forMs: 1120 },
      { atMs: 100_382, kind: "clock steps", pick: 0.092666014330462, forMs: 157927 },
      { atMs: 396_094, kind: "remote is empty", pick: 0.215876846341416, forMs: 125455 },
      { atMs: 432_143, kind: "cut off agent", pick: 0.33889773208648, forMs: 285399 },
      { atMs: 527_082, kind: "edit file", pick: 0.681135090067983, forMs: 76088 },
      { atMs: 751_580, kind: "revert last commit", pick: 0.468339019222185, forMs: 53245 },
      { atMs: 871_460, kind: "crash hub", pick: 0.911484699230641, forMs: 2429 },
      { atMs: 995_993, kind: "bad network", pick: 0.180054873228073, forMs: 583433 },
      { atMs: 1049_322, kind: "crash hub", pick: 0.57760003907606, forMs: 528812 },
      { atMs: 1148_186, kind: "agent stays away", pick: 0.102343480568379, forMs: 356942 },
      { atMs: 1169_569, kind: "remove file", pick: 0.88683554972522, forMs: 4700 },
    ],
    story:
      "A write of a member's state arrives twice. The second creates the state of a cluster that was removed meanwhile.",
  },
];
