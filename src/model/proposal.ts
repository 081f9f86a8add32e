import type { Cluster } from "./generated/cluster.ts";

/** A Cluster file to offer for review: an agent asked to join under `approval: PullRequest`. */
export interface Proposal {
  readonly workspace: string;
  /** The ClusterRegistration that waits, when one does. */
  readonly registration?: string;
  /** The ClusterRegistrationToken by which it asked. */
  readonly token?: string;
  readonly cluster: Cluster;
}
