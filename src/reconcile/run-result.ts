import type { AppError } from "../core/errors.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { RepositoryCounts } from "../model/generated/repository.ts";
import type { ServedProtocol } from "../model/generated/served-protocol.ts";
import type { SourcePlace } from "../model/generated/source-place.ts";
import type { Plan, PlannedChange } from "../model/plan.ts";
import type { FieldFight } from "../planning/field-fights.ts";

/** What a run of a Repository came to. */
export interface RunResult {
  readonly plan?: Plan;
  /** Where the planned commit was read from. Default: the place that the Repository declares. */
  readonly readFrom?: SourcePlace;
  /** Who wrote the planned commit. */
  readonly author?: string;
  readonly outcomes: readonly ChangeOutcome[];
  /** Changes that wait because a person edited their objects meanwhile. The next run plans them anew. Default none. */
  readonly waiting?: readonly PlannedChange[];
  /** Fields that other writers keep changing back, the longest fight first. Default none. */
  readonly fights?: readonly FieldFight[];
  /** Why the source could not be read; the last good commit stays in force. */
  readonly sourceError?: unknown;
  /** Why the head is not applied although it was read; what was verified stays in force. */
  readonly unverified?: AppError | undefined;
  /** The commit that listed keys vouch for, when this run asked. */
  readonly verifiedCommit?: string;
  readonly writeBackError?: unknown;
  /** Why older commits of the status branch stay although it is time to squash them. */
  readonly historyKept?: string | undefined;
  readonly statusCommit?: string;
  readonly counts?: RepositoryCounts;
  /** The address that was read. Default: that of the Repository. */
  readonly openedUrl?: string | undefined;
  readonly handledRequest?: string;
  /** What the daemon's own limit of workspaces is; absent where it has none. */
  readonly workspaceLimit?: readonly string[] | undefined;
  /** Foreign join protocols that the daemon serves. */
  readonly serves?: readonly ServedProtocol[] | undefined;
}
