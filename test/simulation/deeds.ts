import { seededRandom } from "../support/seeded-random.ts";
import type { ForgeKind } from "./forge/forge-deeds.ts";
import { drawForge } from "./forge/forge-deeds.ts";

/** What a person does, or a fault. `pick` chooses whom it meets among those who are there then. */
export interface Deed {
  readonly atMs: number;
  readonly kind: DeedKind;
  readonly pick: number;
  /** How long it lasts, where it lasts. */
  readonly forMs: number;
}

export const deedWeights = {
  "add cluster": 6,
  "edit file": 10,
  "edit rules": 4,
  "remove file": 6,
  "remove files": 3,
  "remove files, approved by trailer": 3,
  "approve by annotation": 4,
  "approve the wrong commit": 2,
  "break file": 3,
  "rename path": 3,
  "rename cluster": 3,
  "rename suspended cluster": 1,
  "revert last commit": 3,
  "force-push": 2,
  "suspend cluster": 2,
  "resume cluster": 3,
  "revoke cluster": 2,
  "install agent again": 2,
  "delete on the hub": 3,
  "edit on the hub": 4,
  "bad network": 10,
  "remote away": 3,
  "lost pushes": 3,
  "cut off daemon": 3,
  "cut off agent": 4,
  "crash daemon": 6,
  "crash hub": 3,
  "crash agent": 3,
  "agent stays away": 4,
  "daemon stands still": 4,
  "agent stands still": 2,
  "clock steps": 3,
  "watches end": 4,
  "disk of the hub is full": 2,
  "clock drifts": 2,
  "remote is empty": 2,
  "remote is behind": 2,
  "remote is another repository": 2,
  "late writes": 2,
  "credential ends early": 3,
  "credential is void": 2,
  "credential is stolen": 2,
  "nodes change": 4,
  "delete object of a cluster": 3,
  "edit rights of a cluster": 2,
  "writes of one moment": 1,
  "commit to the status branch": 2,
  "hub is away": 2,
  "hub refuses writes": 3,
  "stop daemon": 3,
  "bad API server of a cluster": 3,
  "slow watches": 4,
  "one write fails": 3,
  "looks fail": 2,
  "daemon stands still after a write": 2,
  "machines sleep": 2,
  "hub is restored": 1,
  "another hub is given the repository": 1,
  "token is leaked": 3,
  /** Drawn apart (`drawAdded`, `drawReached`). */
  "add foreign cluster": 0,
  "add cluster by kubeconfig": 0,
  "kubeconfig is lost": 0,
  "cluster is rebuilt": 0,
  "daemon ends in an installation": 0,
  /** In drills alone. */
  "suspend repository": 0,
  "ask for a run": 0,
  "protect cluster": 0,
} as const;

/** What happens to clusters of a kubeconfig alone. */
export const reachedKinds = ["kubeconfig is lost", "cluster is rebuilt", "daemon ends in an installation"] as const;

/** What people do to the Repository object. */
export const repositoryKinds = ["suspend repository", "ask for a run"] as const;

export type DeedKind = keyof typeof deedWeights | ForgeKind;

/** One round: deeds and faults, then a calm time at whose end everything must be at rest. */
export const roundMs = 36 * 60_000;
const deedsUntilMs = 20 * 60_000;
/** Whatever lasts ends here. */
export const healAtMs = 22 * 60_000;

/** What else people do in a run. Default: nothing of it. */
export interface DrawnBesides {
  /** They add clusters of other projects. */
  readonly hasForeign?: boolean | undefined;
  /** They add clusters whose agents the hub installs. */
  readonly hasKubeconfigs?: boolean | undefined;
  /** They work with pull requests. */
  readonly hasForge?: boolean | undefined;
}

/**
 * The deeds of so many rounds, by the seed alone: what the world makes of them changes none of them. What is drawn besides is
 * drawn apart: the other deeds stay as they are.
 */
export function drawDeeds(seed: number, roundCount: number, besides: DrawnBesides = {}): Deed[] {
  const { hasForeign = false, hasKubeconfigs = false, hasForge = false } = besides;
  const foreign = hasForeign ? drawAdded("add foreign cluster", seed ^ 0xf0e1, roundCount) : [];
  const reached = hasKubeconfigs ? drawReached(seed, roundCount) : [];
  const forge = hasForge ? drawForge(seed, roundCount, { lengthMs: roundMs, untilMs: deedsUntilMs }) : [];
  return [...foreign, ...reached, ...forge, ...drawOwn(seed, roundCount)].sort((a, b) => a.atMs - b.atMs);
}

/** Of four seeds one: a run that serves other protocols takes longer. */
export function drawsForeign(seed: number): boolean {
  return seed % 4 === 2;
}

/** Of the seeds with two replicas every second one. */
export function drawsKubeconfigs(seed: number): boolean {
  return seed % 8 === 1;
}

/** Others of these four: a run has one or the other. */
export function drawsForge(seed: number): boolean {
  return seed % 4 === 3;
}

/** Three in the first minute of the first round, and up to two in each other. */
function drawAdded(kind: DeedKind, seed: number, roundCount: number): Deed[] {
  const dice = seededRandom(seed);
  return Array.from({ length: roundCount }, (_, round) =>
    Array.from({ length: round === 0 ? 3 : Math.floor(dice() * 3) }, (): Deed => {
      const untilMs = round === 0 ? 60_000 : deedsUntilMs;
      const atMs = round * roundMs + Math.floor(dice() * untilMs);
      return { atMs, kind, pick: dice(), forMs: 0 };
    }),
  ).flat();
}

/**
 * Clusters by a kubeconfig, and what happens to these clusters alone: up to two of each in a round. One that is built anew has
 * its agent again within two rounds.
 */
function drawReached(seed: number, roundCount: number): Deed[] {
  const dice = seededRandom(seed ^ 0xcaf0);
  const met = Array.from({ length: roundCount }, (_, round) =>
    reachedKinds.flatMap((kind) =>
      Array.from({ length: Math.floor(dice() * 3) }, (): Deed => {
        const atMs = round * roundMs + 60_000 + Math.floor(dice() * (deedsUntilMs - 60_000));
        return { atMs, kind, pick: dice(), forMs: Math.floor(1000 * 2 ** (dice() * 9.5)) };
      }),
    ),
  );
  const isInTime = ({ kind, atMs }: Deed): boolean =>
    kind !== "cluster is rebuilt" || atMs < (roundCount - 2) * roundMs;
  return [...drawAdded("add cluster by kubeconfig", seed ^ 0xcafe, roundCount), ...met.flat().filter(isInTime)];
}

function drawOwn(seed: number, roundCount: number): Deed[] {
  const dice = seededRandom(seed ^ 0x5eed);
  const kinds = Object.entries(deedWeights) as [keyof typeof deedWeights, number][];
  const total = kinds.reduce((sum, [, weight]) => sum + weight, 0);
  const drawKind = (): DeedKind => {
    let left = dice() * total;
    for (const [kind, weight] of kinds) if ((left -= weight) < 0) return kind;
    return "edit file";
  };
  return Array.from({ length: roundCount }, (_, round) => {
    const count = 3 + Math.floor(dice() * 12);
    const deeds = Array.from({ length: count }, (): Deed => {
      const atMs = round * roundMs + Math.floor(dice() * deedsUntilMs);
      const forMs = Math.floor(1000 * 2 ** (dice() * 9.5));
      return { atMs, kind: drawKind(), pick: dice(), forMs };
    });
    return deeds.sort((a, b) => a.atMs - b.atMs);
  }).flat();
}
