import { repositoryLabelOf } from "../model/repository-label.ts";
import { countOf } from "../core/count-of.ts";
import { parseGoDuration } from "../core/formats/go-duration.ts";
import { AppError, isAppError } from "../core/errors.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { HubFacts } from "../model/member.ts";
import { annotationKeys } from "../model/well-known.ts";
import { signStatus } from "../planning/status-signature.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { StatusOwner } from "./refuse-other-hub.ts";
import type { LastWrite, RunScope } from "./run-scope.ts";
import { defaultStatusBranch } from "./status-branches.ts";
import type { HistoryReading, Squash } from "./status-history.ts";
import { refusedSquash } from "./status-history.ts";
import type { StatusRecorder } from "./status-recorder.ts";
import type { StatusBranch } from "./write-back.ts";

interface BranchPorts extends Pick<ReconcilerOptions, "hubFacts" | "clock" | "log"> {
  readonly recorder: StatusRecorder;
  readonly statusBranch: StatusBranch;
}

/** So often the branch is read, though nothing is to be written: one that a person deleted is there again then. */
const readAgainMs = 3_600_000;

/** Writes the status branch if its interval has passed, or if a new commit or another branch is to be reported. */
export async function writeStatusBranch(scope: RunScope, ports: BranchPorts): Promise<void> {
  const { written, lastWrite } = scope;
  const spec = written.spec.writeBack ?? {};
  const source = written.status?.observedCommit;
  if (spec.mode === "None" || source === undefined) return;
  const branch = spec.branch ?? defaultStatusBranch;
  const nowMs = ports.clock.monotonicMs();
  const intervalMs = parseGoDuration(spec.interval ?? "60s") ?? 60_000;
  const isAsked = isRunRequested(scope.repository);
  const waitMs = untilNextWriteMs(lastWrite, { source, branch, intervalMs, nowMs, isAsked });
  if (waitMs > 0) {
    scope.nextWriteInMs = waitMs;
    // The failure of the last write stays until one succeeds.
    scope.writeBackError = lastWrite.error;
    scope.historyKept = lastWrite.historyKept;
    return;
  }
  const { readAtMs = nowMs } = lastWrite;
  const isReadAgain = isAsked || nowMs - readAtMs >= readAgainMs;
  if (isReadAgain) ports.statusBranch.forget();
  const before = scope.repository.status?.statusCommit;
  try {
    refuseUnsupported(spec);
    scope.statusCommit = await commitStatus(scope, ports, {
      branch,
      source,
      nowMs: ports.clock.nowMs(),
      hub: ports.hubFacts(),
    });
    const atMs = scope.statusCommit === before ? lastWrite.atMs : nowMs;
    const read = { readAtMs: isReadAgain ? nowMs : readAtMs };
    scope.lastWrite = { atMs, source, branch, ...read, error: undefined, historyKept: scope.historyKept };
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.writeBackError = error;
    scope.lastWrite = { atMs: nowMs, source, branch, error, historyKept: scope.historyKept };
    scope.nextWriteInMs = intervalMs;
    ports.log.warn("writing back failed", { error });
  }
}

interface NextWrite {
  readonly source: string;
  readonly branch: string;
  readonly intervalMs: number;
  /** Monotonic: a clock that is set back must not keep the branch from being written. */
  readonly nowMs: number;
  /** A person asked for this run. */
  readonly isAsked: boolean;
}

/**
 * How long the status branch waits after its last write. Not at all for a new commit or another branch, which has nothing yet,
 * nor where the last write failed and a person asks for a run: its cause may have been mended.
 */
export function untilNextWriteMs(
  last: Pick<LastWrite, "atMs" | "source" | "branch" | "error">,
  { source, branch, intervalMs, nowMs, isAsked }: NextWrite,
): number {
  const isNew = source !== last.source || branch !== last.branch;
  if (last.atMs === undefined || isNew || (isAsked && last.error !== undefined)) return 0;
  return last.atMs + intervalMs - nowMs;
}

function isRunRequested({ metadata, status }: Repository): boolean {
  const request = metadata.annotations?.[annotationKeys.requestedAt];
  return request !== undefined && request !== status?.lastHandledRequest;
}

interface CommitOptions {
  readonly branch: string;
  readonly source: string;
  readonly nowMs: number;
  readonly hub: HubFacts;
}

/** As one commit on top of the branch, or as a new beginning of it. Returns the head of the branch. */
async function commitStatus(scope: RunScope, ports: BranchPorts, options: CommitOptions): Promise<string | undefined> {
  const { branch, nowMs, hub } = options;
  const { signal } = scope;
  const days = scope.written.spec.writeBack?.history;
  const reading = await ports.statusBranch.readHistory({ branch, days, owner: ownerOf(scope, hub), nowMs, signal });
  const recordKept = ({ kept, isNews = false }: HistoryReading): void => {
    scope.historyKept = kept;
    if (isNews) ports.log.warn("the history of the status branch is not squashed", { reason: kept });
  };
  recordKept(reading);
  try {
    if (reading.due)
      return await commitRecords(scope, ports, { ...options, start: reading.due.start, squash: reading.due });
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error, "E_GIT_PUSH_DENIED", "E_GIT_PUSH_RACE")) throw error;
    // A lost race is retried with the next write. The status waits for neither.
    if (isAppError(error, "E_GIT_PUSH_DENIED"))
      recordKept(ports.statusBranch.keepHistory(days ?? 0, nowMs, refusedSquash(branch, error)));
  }
  return commitRecords(scope, ports, { ...options, start: reading.start });
}

async function commitRecords(
  scope: RunScope,
  { recorder, clock, statusBranch }: BranchPorts,
  { branch, source, nowMs, hub, start, squash }: CommitOptions & Pick<HistoryReading, "start"> & { squash?: Squash },
): Promise<string | undefined> {
  const recordedAt = { repository: scope.written, hub, plan: scope.plan, nowMs: clock.monotonicMs() };
  const { files, summary } = recorder.record({ ...recordedAt, history: start });
  const { counts } = summary;
  const owner = ownerOf(scope, hub);
  return statusBranch.write({
    branch,
    owner,
    files,
    squash,
    sign: (commit) => {
      const { epoch } = hub.trust;
      const sealed = { ...commit, hub: owner.hubId, repository: owner.repository, epoch };
      return signStatus(sealed, (payload) => hub.trust.sign(payload));
    },
    sourceCommit: source,
    subject: `status: ${counts.ready ?? 0} of ${countOf(counts.clusters, "cluster")} ready`,
    committedAtMs: nowMs,
    signal: scope.signal,
  });
}

function ownerOf({ written }: RunScope, { hubId }: HubFacts): StatusOwner {
  const adopted = written.metadata.annotations?.[annotationKeys.adopt];
  return { hubId, repository: repositoryLabelOf(written), adopted };
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
