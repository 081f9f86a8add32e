import type { DrillEntry } from "../drill-entry.ts";

/** Pull requests of each kind, while the forge is away, mute, limits and refuses, and with pushes to main meanwhile. */
export const forgeDrill: readonly DrillEntry[] = [
  [10, "open pull request", 0.1],
  [12, "open pull request", 0.26],
  [14, "open pull request", 0.6],
  [16, "stranger comes", 0.4],
  [18, "open pull request", 0.9],
  // While the plan is made.
  [120, "push to pull request", 0.3],
  [121, "force-push pull request", 0.6],
  [180, "forge is mute", 0, 150],
  [190, "edit file", 0.9],
  [200, "push to pull request", 0.99],
  [345, "crash daemon", 0],
  [400, "token of the forge ends", 0.5, 100],
  [410, "edit file", 0.5],
  [540, "forge limits requests", 0.1, 60],
  [545, "open pull request", 0.3],
  [640, "bad network of the forge", 0.9, 120],
  [650, "edit file", 0.9],
  [660, "open pull request", 0.55],
  [700, "force-push pull request", 0.9],
  [720, "close pull request", 0.99],
  [780, "forge fails", 0.1, 80],
  [790, "push to pull request", 0.5],
  [900, "forge is away", 0, 80],
  [910, "edit file", 0.6],
  [1000, "merge pull request", 0.3],
  [1010, "stranger comes", 0.1],
  [1150, "merge pull request", 0.1],
  // Main is as it was, and nothing else goes wrong.
  [1260, "push to pull request", 0.99],
];

/** A day of removals: the second is withheld, and a text approves it; each merge does what its plan showed. */
export const mergeDrill: readonly DrillEntry[] = [
  [10, "open pull request", 0.6],
  [12, "open pull request", 0.7],
  [14, "open pull request", 0.1],
  // It stays open, and waits for a budget once the first is merged.
  [16, "open pull request", 0.52],
  [120, "merge pull request", 0.1],
  [300, "approve in pull request", 0.1],
  [480, "open pull request", 0.9],
  [600, "merge pull request", 0.1],
  [900, "open pull request", 0.6],
  [1100, "merge pull request", 0.99],
  // A file that cannot be parsed, in a pull request that stays open.
  [1110, "open pull request", 0.8],
];
