import type { DrillEntry } from "../drill-entry.ts";

/** One cluster with an agent of each other project: with 4 clusters, these are the last three by name, and Clusternet's the first. */
const foreignBegin: readonly DrillEntry[] = [
  [10, "add foreign cluster", 0.05],
  [12, "add foreign cluster", 0.34],
  [14, "add foreign cluster", 0.67],
];
const [clusternet, fleet, kubefleet] = [0.6, 0.75, 0.9] as const;

/** Their agents continue through crashes, silence, and credentials that are refused for a while. */
const foreign: readonly DrillEntry[] = [
  ...foreignBegin,
  [240, "crash agent", fleet],
  [250, "crash agent", clusternet],
  [260, "crash agent", kubefleet],
  [300, "edit file", fleet],
  [330, "agent stays away", fleet, 60],
  [340, "cut off agent", kubefleet, 400],
  [350, "cut off agent", clusternet, 400],
  [400, "crash daemon", 0],
  [410, "edit file", kubefleet],
  [780, "credential is void", fleet, 100],
  [785, "crash agent", fleet],
  [790, "credential is void", clusternet, 120],
  [795, "crash agent", clusternet],
  [800, "credential is void", kubefleet, 90],
  [920, "delete object of a cluster", clusternet],
  [930, "delete object of a cluster", kubefleet],
  [940, "delete object of a cluster", fleet],
  [1000, "bad API server of a cluster", fleet, 100],
  [1010, "crash agent", fleet],
  [1100, "crash hub", 0, 10],
  [1150, "edit on the hub", clusternet],
  [1160, "delete on the hub", clusternet],
  [1175, "crash agent", clusternet],
];

/** They are revoked, and are admitted again manually; who holds another's credential, or a token, reaches nothing. */
const foreignStrangers: readonly DrillEntry[] = [
  ...foreignBegin,
  [250, "token is leaked", clusternet],
  [255, "token is leaked", fleet],
  [270, "credential is stolen", clusternet],
  [275, "credential is stolen", fleet],
  [280, "credential is stolen", kubefleet],
  [300, "revoke cluster", fleet],
  [330, "revoke cluster", clusternet],
  [360, "revoke cluster", kubefleet],
  [500, "edit file", fleet],
  [510, "edit file", clusternet],
  [520, "edit file", kubefleet],
  [600, "install agent again", 0.1],
  [610, "install agent again", 0.5],
  [620, "install agent again", 0.9],
  [800, "revoke cluster", clusternet],
  [810, "crash agent", clusternet],
  [900, "suspend cluster", fleet],
  [930, "revoke cluster", fleet],
  [1000, "bad network", 0.9, 150],
];

/** They are removed, one while its agent is away, and are called back. */
const foreignRemovals: readonly DrillEntry[] = [
  ...foreignBegin,
  [300, "remove file", clusternet],
  [418, "cut off agent", kubefleet, 60],
  [420, "remove files, approved by trailer", 0.2],
  [430, "crash daemon", 0],
  [600, "remove files, approved by trailer", 0.1],
  [690, "revert last commit", 0],
  [760, "install agent again", 0.9],
  [800, "add foreign cluster", 0.4],
  [1000, "edit file", 0.9],
];

/** Rounds with clusters of other projects, by name. */
export const foreignDrills: Readonly<Record<string, readonly DrillEntry[]>> = {
  foreign,
  "foreign strangers": foreignStrangers,
  "foreign removals": foreignRemovals,
};
