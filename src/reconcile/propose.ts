import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { ProposalBranches } from "./proposals.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";
import { isOurs } from "./run-scope.ts";

interface ProposePorts extends Pick<ReconcilerOptions, "pendingProposals" | "view" | "clock" | "log"> {
  readonly proposalBranches: ProposalBranches;
}

/** Offers the files that let waiting clusters in. Who cannot push says so, and everything else goes on. */
export async function propose(scope: RunScope, ports: ProposePorts): Promise<void> {
  const { repository, snapshot, signal } = scope;
  const { pendingProposals, view, clock, log } = ports;
  if (!snapshot || !pendingProposals || scope.sourceError !== undefined) return;
  const tokens = view
    .list(resourceTypes.clusterRegistrationToken)
    .filter(
      (token) => isOurs(token, repository) && (token as ClusterRegistrationToken).spec?.approval === "PullRequest",
    )
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const { proposals, defaultWorkspace } = repository.spec;
  try {
    scope.proposed = await ports.proposalBranches.sync({
      snapshot,
      proposals: pendingProposals(`${repository.metadata.namespace}.${repository.metadata.name}`),
      tokens,
      defaultWorkspace,
      ...(proposals?.path === undefined ? {} : { path: proposals.path }),
      nowMs: clock.nowMs(),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    scope.writeBackError = error;
    log.warn("proposing clusters failed", { error });
  }
}
