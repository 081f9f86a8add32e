import type { DrillEntry } from "./drill-entry.ts";

/** With 4 clusters these are the last three by name. */
const [zeroth, first, second] = [0.6, 0.75, 0.9] as const;

/**
 * The daemon ends as soon as an agent's Deployment is in the cluster. When it is back, the file is deleted, and neither the daemon
 * reaches the cluster nor the agent the hub for a while.
 */
export const interruptedInstall: readonly DrillEntry[] = [
  [10, "daemon ends in an installation", 0, 90],
  [12, "add cluster by kubeconfig", 0.1],
  [60, "remove file", 0.99],
  [65, "kubeconfig is lost", 0, 120],
];

/**
 * Three clusters whose agents the hub installs: a kubeconfig that is lost for a while, a daemon that ends while it installs,
 * a revocation, a removal and its revert, another name; and a cluster that is built anew a day before.
 */
export const kubeconfigDrill: readonly DrillEntry[] = [
  [10, "add cluster by kubeconfig", 0.05],
  [12, "add cluster by kubeconfig", 0.1],
  [14, "add cluster by kubeconfig", 0.4],
  [16, "kubeconfig is lost", 0.1, 30],
  [23, "crash daemon", 0],
  [200, "bad API server of a cluster", first, 100],
  [210, "edit file", first],
  [240, "revoke cluster", first],
  [300, "edit file", first],
  [320, "remove file", zeroth],
  [322, "crash daemon", 0],
  [370, "revert last commit", 0],
  [374, "crash daemon", 0],
  [400, "crash agent", zeroth],
  [430, "credential is void", second],
  [500, "token is leaked", second],
  [520, "credential is stolen", second],
  [600, "rename cluster", second],
  [900, "edit on the hub", zeroth],
  [960, "kubeconfig is lost", 0.1, 200],
  [1000, "cluster is rebuilt", 0.1],
  [1170, "machines sleep", 0.1],
];
