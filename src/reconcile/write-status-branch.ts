import { repositoryLabelOf } from "../model/repository-label.ts";
import { countOf } from "../core/count-of.ts";
import { parseGoDuration } from "../core/duration.ts";
import { AppError } from "../core/errors.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { HubFacts } from "../model/member.ts";
import { annotationKeys } from "../model/well-known.ts";
import { signStatus } from "../planning/status-signature.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";
import type { RecordedStatus, StatusRecorder } from "./status-recorder.ts";
import type { StatusBranch } from "./write-back.ts";
import { defaultStatusBranch } from "./write-back.ts";

interface BranchPorts extends Pick<ReconcilerOptions, "hubFacts" | "clock" | "log"> {
  readonly recorder: StatusRecorder;
  readonly statusBranch: StatusBranch;
}

/** Writes the status branch if its interval has passed, or if a new commit or another branch is to be reported. */
export async function writeStatusBranch(scope: RunScope, ports: BranchPorts): Promise<void> {
  const { written, lastWrite } = scope;
  const spec = written.spec.writeBack ?? {};
  const source = written.status?.observedCommit;
  if (spec.mode === "None" || source === undefined) return;
  const branch = spec.branch ?? defaultStatusBranch;
  // Another branch has nothing yet: it does not wait either.
  const isNew = source !== lastWrite.source || branch !== lastWrite.branch;
  const nowMs = ports.clock.nowMs();
  const intervalMs = parseGoDuration(spec.interval ?? "60s") ?? 60_000;
  const waitMs = lastWrite.atMs === undefined || isNew ? 0 : lastWrite.atMs + intervalMs - nowMs;
  if (waitMs > 0) {
    scope.nextWriteInMs = waitMs;
    // The failure of the last write stays until one succeeds.
    scope.writeBackError = lastWrite.error;
    return;
  }
  const hub = ports.hubFacts();
  const recordedAt = { repository: written, hub, plan: scope.plan, nowMs: ports.clock.monotonicMs() };
  const recorded = ports.recorder.record(recordedAt);
  const before = scope.repository.status?.statusCommit;
  try {
    refuseUnsupported(spec);
    scope.statusCommit = await commitRecords(scope, ports.statusBranch, { branch, source, nowMs, hub, recorded });
    const atMs = scope.statusCommit === before ? lastWrite.atMs : nowMs;
    scope.lastWrite = { atMs, source, branch, error: undefined };
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.writeBackError = error;
    scope.lastWrite = { atMs: nowMs, source, branch, error };
    scope.nextWriteInMs = intervalMs;
    ports.log.warn("writing back failed", { error });
  }
}

interface CommitOptions {
  readonly branch: string;
  readonly source: string;
  readonly nowMs: number;
  readonly hub: HubFacts;
  readonly recorded: RecordedStatus;
}

/** Returns the head of the branch. */
async function commitRecords(
  scope: RunScope,
  statusBranch: StatusBranch,
  { branch, source, nowMs, hub, recorded: { files, summary } }: CommitOptions,
): Promise<string | undefined> {
  const { counts } = summary;
  const repository = repositoryLabelOf(scope.written);
  return statusBranch.write({
    branch,
    owner: { hubId: hub.hubId, repository, adopted: scope.written.metadata.annotations?.[annotationKeys.adopt] },
    files,
    sign: (commit) => {
      const { epoch } = hub.trust;
      const sealed = { ...commit, hub: hub.hubId, repository, epoch };
      return signStatus(sealed, (payload) => hub.trust.sign(payload));
    },
    sourceCommit: source,
    subject: `status: ${counts.ready ?? 0} of ${countOf(counts.clusters, "cluster")} ready`,
    committedAtMs: nowMs,
    signal: scope.signal,
  });
}

/** @throws E_UNSUPPORTED for a field that has no effect: the status must not go elsewhere, or unsigned, without a message */
function refuseUnsupported(spec: NonNullable<Repository["spec"]["writeBack"]>): void {
  const fields = (["url", "secretRef", "signingKeySecretRef"] as const).filter((name) => spec[name] !== undefined);
  const wanted = [...(spec.mode === "Repository" ? ["mode: Repository"] : []), ...fields].join(", ");
  if (wanted === "") return;
  throw new AppError(
    "E_UNSUPPORTED",
    `write the status branch: spec.writeBack has ${wanted}, which this version does not support, so nothing is written; remove it and use mode: Branch, or use mode: None`,
    { recovery: "stalled" },
  );
}
