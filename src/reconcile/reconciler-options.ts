import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { GitEngine } from "../git/git.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { EventRecorder } from "../hub/events.ts";
import type { HubView } from "../hub/hub-view.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { ResourceType } from "../model/kubernetes.ts";
import type { ServedProtocol } from "../model/generated/served-protocol.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { Proposal } from "../model/proposal.ts";
import type { HubFacts } from "../model/member.ts";
import type { Plan } from "../model/plan.ts";
import type { RepositoryPlanner } from "../review/review.ts";
import type { MainBranch } from "./review-pull-requests.ts";
import type { ForgeNews, OpenRepositoryForge } from "./report-to-forge.ts";

/** What the daemon of one Repository works with. */
export interface ReconcilerOptions {
  readonly hubApi: KubeApi;
  readonly view: HubView;
  /** Kinds that a person may write on the hub; the status branch records what no file declares of them. Default: none. */
  readonly writableTypes?: readonly ResourceType[];
  readonly git: GitEngine;
  readonly planner: RepositoryPlanner;
  /** The address that `git` was opened for. Default: whatever the Repository declares. */
  readonly openedUrl?: string | undefined;
  /** Globs of namespaces that the daemon may use at all; plans made elsewhere need them. Default: it is not limited. */
  readonly workspaceLimit?: readonly string[] | undefined;
  /** Foreign join protocols that the daemon serves; plans made elsewhere need them. Default: they are not reported. */
  readonly serves?: readonly ServedProtocol[] | undefined;
  /** Opens the forge of a Repository that names one. Default: nothing is reported to a forge. */
  readonly openForge?: OpenRepositoryForge;
  /** Where Events go; absent: nowhere. */
  readonly events?: Pick<EventRecorder, "record">;
  /** Requests to join that wait for a file, of tokens of the Repository with this label. Default: there are none. */
  readonly pendingProposals?: (repositoryLabel: string) => readonly Proposal[];
  readonly hubFacts: () => HubFacts;
  readonly readRepository: () => Repository | undefined;
  /** Takes in an own write of the Repository and returns what `readRepository` gives from then on. */
  readonly recordRepository: (written: Repository) => Repository;
  /** Keeps this process's work on members back while a plan is carried out, until the function that it returns is called. */
  readonly holdMembers?: () => () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called after every run; for `run --once` and for the live table. */
  readonly onRun?: (report: RunReport) => void;
  /** Called with every plan and its outcomes; for programs that show it. */
  readonly onPlan?: (plan: Plan, outcomes: readonly ChangeOutcome[]) => void;
  /** Called after every run with what the forge is to receive; it must not make the run wait. */
  readonly onForgeNews?: (news: ForgeNews) => void;
  /** Called after every read of the branch with what was read there. */
  readonly onMain?: (main: MainBranch) => void;
}

export type RunPhase = "read" | "plan" | "execute" | "propose" | "writeBack";

export interface RunReport {
  readonly commit: string | undefined;
  readonly committedAtMs: number | undefined;
  readonly isApplied: boolean;
  /** The applied commit and the status commit before this run. */
  readonly appliedBefore: string | undefined;
  readonly statusCommitBefore: string | undefined;
  /** What the plan wanted, by kind of change. */
  readonly planSizes: Readonly<Record<string, number>>;
  readonly failedCount: number;
  readonly durationMs: number;
  /** What each phase took; a run that only reports what members have become has only the last one. */
  readonly phasesMs: Readonly<Partial<Record<RunPhase, number>>>;
  readonly changeCount: number;
  readonly parsedCount: number;
  /** How many objects planning read; undefined when it read all, or did not plan. */
  readonly visitedCount: number | undefined;
  readonly errorCount: number;
  readonly withheldCount: number;
  readonly statusCommit: string | undefined;
  readonly failure: unknown;
}
