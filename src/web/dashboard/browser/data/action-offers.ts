import { countOf } from "../../../../core/count-of.ts";
import { shortCommit } from "../../../../core/short-commit.ts";
import type {
  ActionName,
  ActionRequest,
  ClusterDetail,
  RepositorySummary,
} from "../../../../model/generated/page-api.ts";

/** An action as it is offered for an object in its present state. */
export interface ActionOffer {
  readonly label: string;
  readonly request: ActionRequest;
  /** What it leads to, asked before it is done. Absent: it is done at once. */
  readonly consequence?: string;
  /** It takes something away. Default false. */
  readonly isSevere?: boolean;
}

/** What makes sense for a cluster: not what it is already. */
export function offersOfCluster({ cluster, settings, leave }: ClusterDetail): readonly ActionOffer[] {
  const { workspace, name } = cluster;
  const request = (action: ActionName): ActionRequest => ({ action, workspace, name });
  const suspension: ActionOffer =
    settings.isSuspended === true
      ? {
          label: "Resume",
          request: request("ResumeCluster"),
          consequence: `Git is followed for ${name} again: the next run makes all changes that were merged meanwhile.`,
        }
      : {
          label: "Suspend",
          request: request("SuspendCluster"),
          consequence: `Git is not followed for ${name} until it is resumed. Its agent keeps its access.`,
        };
  if (cluster.reason === "Revoked") return [suspension];
  const revocation: ActionOffer = {
    label: "Revoke",
    request: request("RevokeCluster"),
    consequence:
      leave === undefined
        ? `The agent of ${name} loses its access at once. To admit it again, change its file; the agent may have to be installed again.`
        : `The agent of ${name} loses its access at once, and the offboarding does not wait for it: what it has not removed yet stays on the cluster.`,
    isSevere: true,
  };
  return [suspension, revocation];
}

/** What makes sense for the repository; an approval only where one lets withheld removals through. */
export function offersOfRepository(
  repository: Pick<RepositorySummary, "isSuspended" | "withheld">,
): readonly ActionOffer[] {
  const { isSuspended } = repository;
  return [
    { label: "Reconcile now", request: { action: "Reconcile" } },
    isSuspended === true
      ? {
          label: "Resume",
          request: { action: "ResumeRepository" },
          consequence: "Git is followed again: the next run makes all changes that were merged meanwhile.",
        }
      : {
          label: "Suspend",
          request: { action: "SuspendRepository" },
          consequence: "Git is not followed for any cluster of this repository until it is resumed.",
        },
    ...offersOfWithheld(repository),
  ];
}

/** The approval of what waits: of this commit and this count only. */
export function offersOfWithheld({
  withheld,
  isSuspended,
}: Pick<RepositorySummary, "isSuspended" | "withheld">): readonly ActionOffer[] {
  const { commit, approvable, objects = [], count: all = 0 } = withheld ?? {};
  if (commit === undefined || approvable === undefined) return [];
  const most = approvable === 0 ? all : approvable;
  const named = objects.slice(0, Math.min(5, most));
  const when = isSuspended === true ? "The first run after the repository is resumed" : "The next run";
  const more = most > named.length ? ` and ${most - named.length} more` : "";
  return [
    {
      label: `Approve ${countOf(most, "removal")}`,
      request: { action: "ApproveRemovals", commit, count: approvable },
      consequence: `${when} removes ${named.join(", ")}${more}, as commit ${shortCommit(commit)} declares. The approval does not count for a later commit.`,
      isSevere: true,
    },
  ];
}
