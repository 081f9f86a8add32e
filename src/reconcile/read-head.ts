import { AppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";

/** The phase that reads the newest commit that may be applied; without it, the one before stays in force. */
export async function readHead(options: ReconcilerOptions, scope: RunScope): Promise<void> {
  const { git, planner } = options;
  const branch = scope.repository.spec.ref?.branch ?? "main";
  try {
    refuseOtherAddress(options, scope);
    const head = await git.fetchHead(branch, scope.signal);
    if (head === undefined) {
      throw new AppError(
        "E_GIT_BRANCH_MISSING",
        `read branch ${branch} of ${git.url}: it does not exist or has no commit`,
        { data: { branch } },
      );
    }
    const verified = await verifyHead(options, scope, head);
    scope.snapshot = await planner.read(scope.repository, verified, scope.snapshot);
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.sourceError = error;
    options.log.warn("reading the repository failed", { error });
  }
}

/** The newest commit that may be applied. @throws E_UNVERIFIED when there is none */
async function verifyHead(options: ReconcilerOptions, scope: RunScope, head: string): Promise<string> {
  const { planner, events, log } = options;
  const { repository } = scope;
  const { commit, refusal } = await planner.findVerified(repository, head);
  scope.unverified = refusal;
  if (repository.spec.verify !== undefined) scope.verifiedCommit = commit;
  if (refusal) {
    log.warn("a commit is not verified, and not applied", { error: refusal });
    const message = refusal.message;
    events?.note({ regarding: repository, type: "Warning", reason: "UnverifiedCommit", message });
  }
  if (commit !== undefined) return commit;
  throw refusal ?? new AppError("E_UNVERIFIED", `apply commit ${shortCommit(head)}: nobody vouches for it`);
}

/** @throws E_GIT_URL: content of the former address must not be applied in the name of the new one */
function refuseOtherAddress({ openedUrl }: ReconcilerOptions, { repository: { spec } }: RunScope): void {
  if (openedUrl === undefined || openedUrl === spec.url) return;
  throw new AppError(
    "E_GIT_URL",
    `read ${spec.url}: the daemon follows ${openedUrl}, as its flags said. Name the other address by --repo and start the daemon again`,
    { recovery: "stalled" },
  );
}
