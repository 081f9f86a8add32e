import { AppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import { missingBranch } from "../review/missing-branch.ts";
import { sourcePlaceOf } from "../planning/repository-state.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";

type ReadPorts = Pick<ReconcilerOptions, "git" | "planner" | "openedUrl" | "events" | "log">;

/** Reads the newest commit that may be applied; without one, the commit before stays in force. */
export async function readHead(scope: RunScope, ports: ReadPorts): Promise<void> {
  const { git, planner } = ports;
  const branch = scope.repository.spec.ref?.branch ?? "main";
  try {
    refuseOtherAddress(scope, ports);
    const head = await git.fetchHead(branch, scope.signal);
    if (head === undefined) throw await missingBranch(git, branch, scope.signal);
    const verified = await verifyHead(scope, ports, head);
    scope.snapshot = await planner.read(scope.repository, verified, scope.snapshot);
    scope.readFrom = sourcePlaceOf(scope.repository.spec);
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.sourceError = error;
  }
}

/** The newest commit that may be applied. @throws E_UNVERIFIED when there is none */
async function verifyHead(scope: RunScope, ports: ReadPorts, head: string): Promise<string> {
  const { planner, events, log } = ports;
  const { repository } = scope;
  const { commit, refusal } = await planner.findVerified(repository, head);
  scope.unverified = refusal;
  if (repository.spec.verify !== undefined) scope.verifiedCommit = commit;
  if (refusal) {
    log.warn("a commit is not verified, and not applied", { error: refusal });
    const message = refusal.message;
    events?.record({ regarding: repository, type: "Warning", reason: "UnverifiedCommit", message });
  }
  if (commit !== undefined) return commit;
  throw refusal ?? new AppError("E_UNVERIFIED", `apply commit ${shortCommit(head)}: it has no valid signature`);
}

/**
 * @throws E_GIT_URL: content of the previous address must not be applied in the name of the new one
 */
function refuseOtherAddress({ repository: { spec } }: RunScope, { openedUrl }: ReadPorts): void {
  if (openedUrl === undefined || openedUrl === spec.url) return;
  throw new AppError(
    "E_GIT_URL",
    `read ${spec.url}: the flags of the daemon name ${openedUrl}. Set --repo to the other address and restart the daemon`,
    { recovery: "stalled" },
  );
}
