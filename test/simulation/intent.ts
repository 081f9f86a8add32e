/** What people did beside git, as they meant it. Invariants compare the hub with it. */
export interface Intent {
  /** Approvals that were rightly made: of which removals, and of how many. */
  readonly approvals: Approval[];
  /** Clusters on which somebody set the annotation that suspends them. */
  readonly suspended: Set<string>;
  /** Clusters that somebody revoked, whose file has not changed since. */
  readonly revoked: Set<string>;
  /** Clusters that somebody deleted on the hub, and when. */
  readonly deletedByHand: Map<string, number>;
  /** When somebody did something last, or something was mended. */
  lastDeedMs: number;
}

export interface Approval {
  readonly atMs: number;
  readonly commit: string;
  /** Clusters that this commit does not declare, and that were on the hub. */
  readonly covers: ReadonlySet<string>;
  readonly count: number;
}

export function createIntent(): Intent {
  return { approvals: [], suspended: new Set(), revoked: new Set(), deletedByHand: new Map(), lastDeedMs: 0 };
}
