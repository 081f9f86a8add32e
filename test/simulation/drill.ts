import type { Deed, DeedKind } from "./deeds.ts";
import { roundMs } from "./deeds.ts";

/** Second of the round, what happens, whom it meets, for how many seconds. */
type Entry = readonly [atSeconds: number, kind: DeedKind, pick: number, forSeconds?: number];

const first: readonly Entry[] = [
  [20, "edit file", 0],
  [50, "edit on the hub", 0.3],
  [80, "bad network", 0.2, 60],
  [110, "edit file", 0.6],
  [150, "remove file", 0.9],
  [200, "watches end", 0],
  [230, "remove file", 0.5],
  [290, "revert last commit", 0],
  [330, "revoke cluster", 0],
  [380, "crash hub", 0, 4],
  [410, "suspend cluster", 0.4],
  [430, "edit file", 0.4],
  [450, "daemon stands still", 0, 240],
  [460, "edit file", 0.9],
  [720, "cut off agent", 0.9, 40],
  [780, "break file", 0.9],
  [800, "crash daemon", 0],
  [850, "disk of the hub is full", 0, 20],
  [860, "edit file", 0.6],
  [900, "late writes", 0, 60],
  [905, "edit file", 0.6],
  [960, "cut off daemon", 0, 100],
  [1080, "crash daemon", 0.9],
  [1100, "delete on the hub", 0.6],
  [1130, "credential ends early", 0.6, 30],
  [1150, "resume cluster", 0],
  [1180, "edit file", 0],
];

const second: readonly Entry[] = [
  [20, "add cluster", 0],
  [60, "bad network", 0.6, 120],
  [100, "remove files, approved by trailer", 0.1],
  [240, "remove file", 0.9],
  [300, "daemon stands still", 0.9, 200],
  [320, "revert last commit", 0],
  [540, "lost pushes", 0, 120],
  [560, "edit file", 0.3],
  [620, "edit file", 0.6],
  [700, "agent stays away", 0.3, 60],
  [720, "crash hub", 0, 50],
  [900, "remote is behind", 0, 60],
  [1000, "cut off agent", 0.6, 200],
  [1100, "crash agent", 0.9],
];

/** Two rounds in which each kind of work is done at least once, so that a fault of any of it has an occasion. */
export const drill = {
  roundCount: 2,
  deeds: [first, second].flatMap((entries, round) =>
    entries.map(([atSeconds, kind, pick, forSeconds = 1]): Deed => {
      return { atMs: round * roundMs + atSeconds * 1000, kind, pick, forMs: forSeconds * 1000 };
    }),
  ),
};
