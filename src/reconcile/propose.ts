import { AppError } from "../core/errors.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import { repositoryLabelOf } from "../model/repository-label.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { AdmittedProposer } from "./propose-admitted.ts";
import type { ProposalBranches, SyncedProposals } from "./proposals.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";
import { isOurs } from "./run-scope.ts";

interface ProposePorts extends Pick<
  ReconcilerOptions,
  "pendingProposals" | "planner" | "view" | "hubFacts" | "clock" | "log"
> {
  readonly proposalBranches: ProposalBranches;
  readonly admittedProposer: AdmittedProposer;
}

/**
 * Proposes the files of clusters: of those that wait to be admitted, and of those that a token admitted. Without the
 * right to push, a condition reports it, and all other work continues.
 */
export async function propose(scope: RunScope, ports: ProposePorts): Promise<void> {
  const { repository, snapshot, signal } = scope;
  if (!snapshot || scope.sourceError !== undefined) return;
  try {
    const { branches: pending, unread } = await proposePending(scope, ports);
    scope.proposed = pending;
    scope.proposed = [...pending, ...(await ports.admittedProposer.propose({ repository, snapshot, signal }))];
    scope.proposeError = unread[0] === undefined ? undefined : unreadProposal(unread[0]);
  } catch (error) {
    signal.throwIfAborted();
    scope.proposeError = error;
    ports.log.warn("proposing clusters failed", { error });
  }
}

function unreadProposal(path: string): AppError {
  return new AppError("E_PROPOSAL_UNREAD", `propose ${path}: the Repository does not read this path`);
}

async function proposePending(scope: RunScope, ports: ProposePorts): Promise<SyncedProposals> {
  const { repository, snapshot, signal } = scope;
  const { pendingProposals, planner, view, hubFacts, clock } = ports;
  if (!snapshot || !pendingProposals) return { branches: [], unread: [] };
  const tokens = view
    .list(resourceTypes.clusterRegistrationToken)
    .filter(
      (token) => isOurs(token, repository) && (token as ClusterRegistrationToken).spec?.approval === "PullRequest",
    )
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const { proposals, defaultWorkspace } = repository.spec;
  const repositoryLabel = repositoryLabelOf(repository);
  return ports.proposalBranches.sync({
    snapshot,
    proposals: pendingProposals(repositoryLabel),
    tokens,
    owner: { hubId: hubFacts().hubId, repository: repositoryLabel },
    defaultWorkspace,
    ...(proposals?.path === undefined ? {} : { path: proposals.path }),
    readWithFiles: (...given) => planner.readWithFiles(...given),
    nowMs: clock.nowMs(),
    signal,
  });
}
