import type { DrillEntry } from "./drill-entry.ts";

/** The remote shows nothing, or a repository with half of the files, while people push, ask for runs and approve removals. */
const strangeRemotes: readonly DrillEntry[] = [
  [20, "remote is empty", 0, 200],
  [60, "edit file", 0.4],
  [90, "ask for a run", 0],
  [120, "crash daemon", 0],
  [125, "remove file", 0.9],
  [280, "remote is another repository", 0, 240],
  [300, "ask for a run", 0],
  [330, "add cluster", 0],
  [360, "approve by annotation", 0.9],
  [380, "edit on the hub", 0.3],
  [420, "crash daemon", 0.9],
  [440, "delete on the hub", 0.1],
  [600, "remote is empty", 0, 60],
  [610, "remove files, approved by trailer", 0.1],
  [640, "crash daemon", 0],
  [720, "remote is another repository", 0, 100],
  [740, "force-push", 0],
  [800, "edit rules", 0],
  [850, "remote is behind", 0, 40],
  [860, "ask for a run", 0],
];

/** The Repository is suspended while people push, remove, approve and delete, and a daemon is killed meanwhile. */
const suspendedRepository: readonly DrillEntry[] = [
  [20, "suspend repository", 0, 400],
  [40, "edit file", 0.4],
  [100, "edit file", 0.1],
  [130, "remove file", 0.9],
  [160, "ask for a run", 0],
  [180, "crash daemon", 0],
  [190, "crash daemon", 0.9],
  [220, "edit on the hub", 0.3],
  [250, "add cluster", 0],
  [280, "nodes change", 0.3],
  [300, "approve by annotation", 0.1],
  [320, "delete on the hub", 0.1],
  [340, "crash hub", 0, 10],
  [380, "edit rules", 0],
  [600, "remove file", 0.6],
  [605, "suspend repository", 0, 300],
  [640, "remote is empty", 0, 100],
  [660, "revert last commit", 0],
  [760, "suspend cluster", 0.3],
  [780, "edit file", 0.3],
  [800, "rename cluster", 0.7],
  [960, "resume cluster", 0],
  [1000, "ask for a run", 0],
];

/** Protected clusters lose their files, with and without an approval; one after its protection was taken away. */
const protection: readonly DrillEntry[] = [
  [20, "protect cluster", 0.9],
  [60, "protect cluster", 0.1],
  [160, "remove file", 0.9],
  [240, "approve by annotation", 0.9],
  [300, "crash daemon", 0],
  [400, "revert last commit", 0],
  [500, "edit file", 0.9],
  [502, "remove file", 0.9],
  [620, "approve by annotation", 0.5],
  [640, "edit on the hub", 0.1],
  [700, "remote is another repository", 0, 60],
  [800, "remove files, approved by trailer", 0.1],
  [900, "daemon stands still after a write", 0, 40],
  [905, "edit file", 0.1],
  [1000, "delete on the hub", 0.1],
];

/** What happens to the remote and to the Repository, and what the files protect. */
export const repositoryDrills: Readonly<Record<string, readonly DrillEntry[]>> = {
  "strange remotes": strangeRemotes,
  "suspended repository": suspendedRepository,
  protection,
};
