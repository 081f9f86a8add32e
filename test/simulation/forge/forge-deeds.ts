import { seededRandom } from "../../support/seeded-random.ts";

/** What people do at the forge, and what goes wrong there. They are drawn apart from all others. */
const forgeWeights = {
  "open pull request": 8,
  "push to pull request": 4,
  "force-push pull request": 2,
  "merge pull request": 6,
  "close pull request": 2,
  "approve in pull request": 2,
  "stranger comes": 2,
  "bad network of the forge": 3,
  "forge is away": 2,
  "forge is mute": 2,
  "forge fails": 2,
  "forge limits requests": 2,
  "token of the forge ends": 2,
} as const;

export type ForgeKind = keyof typeof forgeWeights;

export const forgeKinds: ReadonlySet<string> = new Set(Object.keys(forgeWeights));

export function isForgeKind(kind: string): kind is ForgeKind {
  return forgeKinds.has(kind);
}

interface DrawnDeed {
  readonly atMs: number;
  readonly kind: ForgeKind;
  readonly pick: number;
  readonly forMs: number;
}

/** Six or more in each round, of which the first opens a pull request. */
export function drawForge(seed: number, roundCount: number, round: { lengthMs: number; untilMs: number }): DrawnDeed[] {
  const dice = seededRandom(seed ^ 0xf09e);
  const kinds = Object.entries(forgeWeights) as [ForgeKind, number][];
  const total = kinds.reduce((sum, [, weight]) => sum + weight, 0);
  const drawKind = (): ForgeKind => {
    let left = dice() * total;
    return kinds.find(([, weight]) => (left -= weight) < 0)?.[0] ?? "open pull request";
  };
  return Array.from({ length: roundCount }, (_, index) =>
    Array.from({ length: 6 + Math.floor(dice() * 6) }, (__, place): DrawnDeed => {
      const untilMs = place === 0 ? 60_000 : round.untilMs;
      const atMs = index * round.lengthMs + Math.floor(dice() * untilMs);
      const forMs = Math.floor(1000 * 2 ** (dice() * 9.5));
      return { atMs, kind: place === 0 ? "open pull request" : drawKind(), pick: dice(), forMs };
    }),
  ).flat();
}
