import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { LastWrite, RunScope } from "../../../src/reconcile/run-scope.ts";
import type { HistoryReading } from "../../../src/reconcile/status-history.ts";
import { writeStatusBranch } from "../../../src/reconcile/write-status-branch.ts";
import { repository, scopeOf } from "./phase-builders.ts";

export const nowMs = 1_000_000;
export const denied = new AppError("E_GIT_PUSH_DENIED", "push");
export const race = new AppError("E_GIT_PUSH_RACE", "push");
const never: LastWrite = {
  ...{ atMs: undefined, source: undefined, branch: undefined, error: undefined, historyKept: undefined },
};
export const lastWrite: LastWrite = { ...never, atMs: nowMs - 20_000, source: "c1", branch: "rollcall/status" };
export const start = { since: "2026-01-01T00:00:00Z", after: "a", branch: "rollcall/status-past" };
export const squash = { start: { ...start, after: "head" }, head: "head", pastHead: undefined };

export interface Given {
  readonly writeBack?: NonNullable<Repository["spec"]["writeBack"]>;
  readonly status?: Repository["status"];
  readonly annotations?: Record<string, string>;
  readonly lastWrite?: LastWrite;
  readonly reading?: HistoryReading;
  /** What each write ends with, in their order; else it succeeds. */
  readonly errors?: readonly (Error | undefined)[];
  readonly signal?: AbortSignal;
  readonly ready?: number;
  /** What the clock of the machine shows. Default: {@link nowMs}. */
  readonly epochMs?: number;
}

/** What the phase asks of the branch and leaves in the scope, for a status of three clusters. */
export async function writeStatus({
  writeBack = {},
  status = { observedCommit: "c1" },
  reading = {},
  ...given
}: Given = {}) {
  const asked: Record<string, unknown>[] = [];
  const warnings: unknown[] = [];
  const annotations = given.annotations ?? {};
  const written: Repository = {
    ...repository,
    metadata: { ...repository.metadata, annotations },
    spec: { ...repository.spec, writeBack },
    status,
  };
  const fields: Partial<RunScope> = { repository: written, written, lastWrite: given.lastWrite ?? never };
  const scope = scopeOf({ ...fields, ...(given.signal ? { signal: given.signal } : {}) });
  const errors = [...(given.errors ?? [])];
  const statusBranch = {
    readHistory: ({ days, branch }: { days?: number; branch: string }) => {
      asked.push({ read: branch, days });
      return Promise.resolve(reading);
    },
    forget: () => void asked.push({ forget: true }),
    keepHistory: (days: number, atMs: number, reason: string): HistoryReading => {
      asked.push({ keep: days, atMs });
      return { kept: reason, isNews: true };
    },
    write: (request: { sign: (sealed: object) => { signature: string } } & Record<string, unknown>) => {
      const { branch, squash: renewed, sourceCommit, subject, owner, files } = request;
      const { signature, ...signed } = request.sign({ parent: "p", digest: "d" });
      const bytes = Buffer.from(signature, "base64").toString().split("\n");
      asked.push({ write: branch, squash: renewed, sourceCommit, subject, owner, files, signed, bytes });
      const error = errors.shift();
      return error ? Promise.reject(error) : Promise.resolve("head");
    },
  };
  const summary = { counts: { clusters: 3, ...(given.ready === undefined ? {} : { ready: given.ready }) } };
  await writeStatusBranch(scope, {
    statusBranch,
    recorder: { record: (at: { history?: unknown }) => ({ files: at.history ?? "whole", summary }) },
    hubFacts: () => ({ hubId: "hub-1", trust: { epoch: 4, sign: (payload: Uint8Array) => payload } }),
    clock: { nowMs: () => given.epochMs ?? nowMs, monotonicMs: () => nowMs },
    log: { ...silentLog, warn: (message: string, more: object) => warnings.push({ message, ...more }) },
  } as never);
  return { scope, asked, warnings };
}

export const writesOf = (asked: readonly Record<string, unknown>[]) => asked.filter((call) => "write" in call);
