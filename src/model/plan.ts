import type { RemovalApproval } from "./generated/approval.ts";
import type { KubeObject, ObjectRef } from "./kubernetes.ts";
import type { Problem } from "./problem.ts";
import type { SourcePosition } from "./source.ts";

/** One field that a write changes. It never contains values of Secrets. */
export interface FieldChange {
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** One write to the hub. */
export type PlannedChange =
  | {
      readonly kind: "create" | "update";
      readonly ref: ObjectRef;
      /** The whole apply body; of a Secret with masked values. */
      readonly object: KubeObject;
      /** The body with a Secret's values. A function, so that nothing that prints a plan prints them. */
      readonly reveal?: () => KubeObject;
      readonly manager: string;
      readonly fields: readonly FieldChange[];
      readonly source?: SourcePosition;
      /** The cluster whose place this one takes; it is marked before anything else of the change is written. */
      readonly former?: PredecessorCluster;
      /** Annotations of other managers to set, or (null) to take away, in the same step: a cancelled leave, a revocation. */
      readonly patchAnnotations?: Readonly<Record<string, string | null>>;
      /**
       * The file of the owner takes over an object of this name that another program made, if it has these labels. Default: the
       * object is refused.
       */
      readonly labelsToAdopt?: Readonly<Record<string, string>>;
      /** Precondition of `patchAnnotations`: they go by what the object was then. */
      readonly resourceVersion?: string;
    }
  | {
      readonly kind: "delete";
      readonly ref: ObjectRef;
      /** Preconditions: a stale leader's late delete does no harm. */
      readonly uid: string;
      readonly resourceVersion: string;
      readonly reason: string;
    }
  /** Starts a leave: sets rollcall.dev/leave; the hub's controllers take the steps. */
  | {
      readonly kind: "leave";
      readonly ref: ObjectRef;
      readonly commit: string;
      /** Preconditions: it is that very object, as it was evaluated; it may be suspended or adopted meanwhile. */
      readonly uid: string;
      readonly resourceVersion: string;
      readonly reason: string;
    };

/** A cluster that continues under another name or in another workspace. */
export interface PredecessorCluster {
  readonly ref: ObjectRef;
  /** Preconditions: it is that very object, as it was evaluated; it may be revoked or suspended meanwhile, or its leave begin. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly patchAnnotations: Readonly<Record<string, string | null>>;
}

/** Something that takes a cluster, or a label of one, away. The deletion budget counts these. */
export interface Removal {
  readonly kind: "leave" | "move" | "protocol" | "label";
  /** `workspace/name` of the Cluster. */
  readonly cluster: string;
  /** What was removed, as a phrase for the reader of a plan. */
  readonly reason: string;
  /** The file that declared it, as far as it is known. */
  readonly file?: string;
  /** Of the Cluster: one that is created again under the same name is another one. */
  readonly uid?: string;
  /** The removal waits on the base already: the planned commits do not cause it. Default false. */
  readonly isOnBase?: boolean;
}

/** What lets a removal through. */
export interface RemovalCharge {
  /** Digest of the removal (`removalId`). */
  readonly id: string;
  /** Key of the approval that it is charged to; undefined: the deletion budget. */
  readonly approval?: string;
}

/** What a plan does to the record of removals, before the removals are carried out. */
export interface RemovalAccount {
  /** One for each of the plan's removals, in their order. */
  readonly charges: readonly RemovalCharge[];
  /**
   * Removals that were counted before and are still wanted. Those among the charges are counted anew. The others wait and
   * stay counted: a removal may have been carried out although its answer was lost and no watch reported it yet.
   */
  readonly returned: readonly (RemovalCharge & { readonly cluster: string })[];
  /** Every approval that is known, oldest first, before the charges; what waits stays spent. */
  readonly approvals: readonly RemovalApproval[];
}

export interface WithheldRemoval extends Removal {
  readonly because:
    | "budget"
    | "held-by-bad-file"
    | "not-synced"
    | "empty-tree"
    | "not-applied-before"
    | "foreign-history"
    | "protected"
    | "suspended";
}

/** A token, group or Secret whose document is removed, and that stays for now. No budget counts it. */
export interface HeldDelete {
  readonly ref: ObjectRef;
  readonly because: WithheldRemoval["because"];
  /** Why it would be deleted, as text. */
  readonly reason: string;
  /** The file that declared it, as far as it is known. */
  readonly file?: string;
  /** It waits on the base already: the planned commits do not cause it. Default false. */
  readonly isOnBase?: boolean;
}

export interface BudgetResult {
  /** Removals that this plan wants. */
  readonly wanted: number;
  /** Removals of the last 24 hours. */
  readonly recent: number;
  readonly limit: number;
  /** How many of them approvals cover; undefined when there is no approval. */
  readonly approved?: number;
  /** How many of those are covered by approvals that were known before the planned commits. Unset: none. */
  readonly approvedBefore?: number;
  readonly isExceeded: boolean;
  /** The count that an approval must name to let through what waits. Unset: no approval does, or none is needed. */
  readonly approvable?: number;
  /** The line to paste into a commit message: an approval of that count. */
  readonly trailer?: string;
  /** The line counts only in a commit whose tree has a document of a fleet. */
  readonly needsDocument?: boolean;
}

/** What a commit will do to the hub; what `plan` prints and what `run` does. */
export interface Plan {
  /** The commit that is planned; undefined for a work tree. */
  readonly commit?: string;
  /** Where the commit range begins. */
  readonly base?: string;
  /** In the order they are carried out. */
  readonly changes: readonly PlannedChange[];
  readonly removals: readonly Removal[];
  readonly withheld: readonly WithheldRemoval[];
  readonly heldDeletes: readonly HeldDelete[];
  readonly budget: BudgetResult;
  readonly account: RemovalAccount;
  readonly problems: readonly Problem[];
}

/** What the hub's controllers do after one change of a plan. */
export interface HubWork {
  readonly creates: readonly ObjectRef[];
  /** Objects of which more than a status changes. */
  readonly updates: readonly ObjectRef[];
  readonly deletes: readonly ObjectRef[];
  /** Credentials that are issued; never values. */
  readonly credentials: readonly { readonly purpose: string; readonly reason: string }[];
  /** Steps of an installation and of an offboarding, in order. */
  readonly steps: readonly string[];
}

/** The same of a whole plan. */
export interface HubWorkPlan {
  /** By `describeRef` of the changed object; one without work is not there. */
  readonly work: ReadonlyMap<string, HubWork>;
  /** Unknown changes, or changes that depend on another manager, by name. */
  readonly notes: readonly string[];
}
