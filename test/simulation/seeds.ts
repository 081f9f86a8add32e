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

/** Runs that failed, each with the fault of the program that it found. `npm test` runs the first ones, the project `full` all. */
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
  {
    seed: 4_261_142_448,
    clusterCount: 5,
    roundCount: 1,
    deeds: [
      { atMs: 123_365, kind: "cut off daemon", pick: 0.713980995584279, forMs: 623225 },
      { atMs: 332_492, kind: "crash daemon", pick: 0.745158656733111, forMs: 6391 },
      { atMs: 422_116, kind: "hub refuses writes", pick: 0.395956467138603, forMs: 2781 },
      { atMs: 565_934, kind: "machines sleep", pick: 0.922590850153938, forMs: 2465 },
      { atMs: 617_488, kind: "bad network", pick: 0.135759219527245, forMs: 192679 },
    ],
    story:
      "An agent asks twice for another credential. The second answer is lost, and the agent does not ask again: two of its credentials work.",
  },
  {
    seed: 2001,
    clusterCount: 2,
    roundCount: 1,
    deeds: [
      { atMs: 60_000, kind: "slow watches", pick: 0.9, forMs: 700_000 },
      { atMs: 100_000, kind: "add cluster", pick: 0.5, forMs: 1000 },
      { atMs: 160_000, kind: "stop daemon", pick: 0.1, forMs: 60_000 },
      { atMs: 300_000, kind: "slow watches", pick: 0.48, forMs: 600_000 },
      { atMs: 310_000, kind: "add cluster", pick: 0.3, forMs: 1000 },
      { atMs: 370_000, kind: "stop daemon", pick: 0.9, forMs: 1000 },
    ],
    story: "A replica that takes over with a late view gives conditions of a cluster that has joined another time.",
  },
  {
    seed: 100,
    clusterCount: 4,
    roundCount: 1,
    deeds: [
      { atMs: 12_000, kind: "add foreign cluster", pick: 0.34, forMs: 0 },
      { atMs: 418_000, kind: "cut off agent", pick: 0.99, forMs: 60_000 },
      { atMs: 420_000, kind: "remove file", pick: 0.99, forMs: 0 },
      { atMs: 430_000, kind: "crash daemon", pick: 0, forMs: 0 },
    ],
    story:
      "A daemon starts while a cluster of KubeFleet leaves. It lists namespaces in pages, and the hub gives it no page but the first: the namespace of that cluster stays.",
  },
  {
    seed: 7021,
    clusterCount: 2,
    roundCount: 1,
    deeds: [
      { atMs: 2166, kind: "add foreign cluster", pick: 0.9644417220260948, forMs: 0 },
      { atMs: 4043, kind: "bad network", pick: 0.8500363521743566, forMs: 438186 },
      { atMs: 13_124, kind: "add foreign cluster", pick: 0.2729265217203647, forMs: 0 },
      { atMs: 29_501, kind: "add foreign cluster", pick: 0.06965438346378505, forMs: 0 },
      { atMs: 231_989, kind: "remove file", pick: 0.594510423950851, forMs: 5378 },
      { atMs: 264_061, kind: "edit file", pick: 0.6277986851055175, forMs: 8865 },
    ],
    story:
      "A commit removes a cluster of Clusternet and its token. The token's deletion fails, the cluster is removed, and the token lets its agent in again.",
  },
  {
    seed: 4_076_140_913,
    clusterCount: 4,
    roundCount: 1,
    deeds: [
      { atMs: 300_000, kind: "break file", pick: 0.5, forMs: 0 },
      { atMs: 420_000, kind: "remove file", pick: 0.5, forMs: 0 },
      { atMs: 420_100, kind: "revert last commit", pick: 0, forMs: 0 },
    ],
    story:
      "A broken file is deleted and comes back broken between two looks. The daemon keeps the cluster, and a fresh one removes it.",
  },
  {
    seed: 100,
    clusterCount: 4,
    roundCount: 1,
    deeds: [
      { atMs: 10_000, kind: "daemon ends in an installation", pick: 0, forMs: 90_000 },
      { atMs: 12_000, kind: "add cluster by kubeconfig", pick: 0.1, forMs: 1000 },
      { atMs: 60_000, kind: "remove file", pick: 0.99, forMs: 1000 },
      { atMs: 65_000, kind: "kubeconfig is lost", pick: 0, forMs: 120_000 },
    ],
    story:
      "The daemon ends between the agent's Deployment in a cluster and its own record of that. The cluster is removed, and its agent stays.",
  },
];
