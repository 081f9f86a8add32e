/** What people did beside git, as they meant it. Invariants compare the hub with it. */
export interface Intent {
  /** Approvals that were rightly made: of which removals, and of how many. */
  readonly approvals: Approval[];
  /** Clusters that a person has suspended. */
  readonly suspended: Set<string>;
  /** Clusters that a person revoked, whose file has not changed since. */
  readonly revoked: Set<string>;
  /** Those that were revoked or removed, by their first name: their agent has no credential, also when the revocation ends. */
  readonly lockedOut: Set<string>;
  /** Clusters that a person deleted on the hub, and when. */
  readonly deletedByHand: Map<string, number>;
  /** How many nodes each cluster has, by its first name. */
  readonly nodes: Map<string, number>;
  /** Clusters of a kubeconfig that were made anew, by their first names: each has an agent with other keys since. */
  readonly rebuilt: Set<string>;
  /** When the agent of a cluster of a kubeconfig had lost its credential for good: the cluster was made anew, or was revoked until then. */
  readonly lostAgents: Map<string, { readonly atMs: number; readonly sleptMs: number }>;
  /** What people wrote into their ConfigMap `notes`, as soon as the hub acknowledged it. */
  readonly notes: Map<string, string>;
  /** Requests to join by those who hold a leaked token, and the cluster that each asks for. */
  readonly forged: Map<string, string>;
  /** The name that a cluster had before a person gave it this one. */
  readonly formerNames: Map<string, string>;
  /** Whether a person has suspended the Repository. */
  suspendsRepository: boolean;
  /** The last run that a person asked for, as soon as the hub acknowledged it. */
  requestedRun: string | undefined;
  /** How many clusters people have added: each has a name of its own. */
  addedCount: number;
}

export interface Approval {
  /** Since the world began, with the time in which machines slept. */
  readonly atMs: number;
  readonly commit: string;
  /** Clusters that this commit does not declare. */
  readonly covers: ReadonlySet<string>;
  readonly count: number;
}

export function createIntent(): Intent {
  return {
    approvals: [],
    suspended: new Set(),
    revoked: new Set(),
    lockedOut: new Set(),
    deletedByHand: new Map(),
    nodes: new Map(),
    rebuilt: new Set(),
    lostAgents: new Map(),
    notes: new Map(),
    forged: new Map(),
    formerNames: new Map(),
    suspendsRepository: false,
    requestedRun: undefined,
    addedCount: 0,
  };
}
