import { annotationKeys } from "../model/well-known.ts";
import { currentFights } from "../planning/field-fights.ts";
import { applyStatus } from "./apply-status.ts";
import { countFleet } from "./fleet-of-repository.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunResult } from "./run-result.ts";
import { computeRepositoryStatus } from "./repository-status.ts";
import type { RunScope } from "./run-scope.ts";

type StatusPorts = Pick<
  ReconcilerOptions,
  "hubApi" | "view" | "readRepository" | "recordRepository" | "clock" | "workspaceLimit" | "serves" | "openedUrl"
>;

/** The request that this run handles: one that was there before it read the branch. */
function requestOf({ reason, repository: { metadata } }: RunScope): string | undefined {
  return reason === "read" ? metadata.annotations?.[annotationKeys.requestedAt] : undefined;
}

/** Writes Repository.status if it differs. */
export async function writeRepositoryStatus(scope: RunScope, ports: StatusPorts): Promise<void> {
  const repository = ports.readRepository() ?? scope.repository;
  const requested = requestOf(scope);
  const result: RunResult = {
    ...(scope.plan ? { plan: scope.plan } : {}),
    ...(scope.snapshot ? { author: scope.snapshot.commit.author.name } : {}),
    ...(scope.readFrom ? { readFrom: scope.readFrom } : {}),
    outcomes: scope.outcomes,
    waiting: scope.edited,
    fights: currentFights(scope.fights, ports.clock.monotonicMs()),
    sourceError: scope.sourceError,
    unverified: scope.unverified,
    ...(scope.verifiedCommit === undefined ? {} : { verifiedCommit: scope.verifiedCommit }),
    writeBackError: scope.writeBackError ?? scope.followError ?? scope.proposeError,
    historyKept: scope.historyKept,
    ...(scope.statusCommit === undefined ? {} : { statusCommit: scope.statusCommit }),
    counts: countFleet(ports.view, scope.repository, scope.snapshot?.files.size ?? 0),
    workspaceLimit: ports.workspaceLimit,
    serves: ports.serves,
    openedUrl: ports.openedUrl,
    ...(requested === undefined ? {} : { handledRequest: requested }),
  };
  const status = computeRepositoryStatus(repository, result, ports.clock.nowMs());
  scope.written = await applyStatus(ports, { repository, status, signal: scope.signal });
}
