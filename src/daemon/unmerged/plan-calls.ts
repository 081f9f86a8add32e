import type { MessagePort } from "node:worker_threads";
import type { Commit } from "../../git/git.ts";
import type { Repository } from "../../model/generated/repository.ts";
import type { Problem } from "../../model/problem.ts";

/** What a thread gets with the order to plan a branch; everything else it asks for. */
export interface PlanOrder {
  readonly repository: Repository;
  /** Of the daemon. */
  readonly namespace: string;
  readonly workspaceLimit?: readonly string[] | undefined;
  readonly head: string;
  readonly nowMs: number;
  readonly hasKeys: boolean;
  readonly hasEvaluator: boolean;
  readonly needsSignatures: boolean;
  readonly isComplete: boolean;
  readonly main: {
    readonly commit: Commit;
    readonly selection?: string;
    readonly pathProblems: readonly Problem[];
    readonly refusedPaths?: readonly string[];
  };
  /** Of all files that are parsed. */
  readonly maximumBytes: number;
  readonly maximumDocuments: number;
  /** That the two branches do not share. */
  readonly maximumCommits: number;
  /** Answers to calls that block the thread. */
  readonly answers: MessagePort;
  /** Its element 0 is 1 when such an answer is there. */
  readonly signal: Int32Array;
}

/** Asks the main thread for one thing. */
export interface PlanCall {
  /** 0: the thread blocks until the answer is there. */
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type PlanAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError };

/** An error as it is sent to another thread, which cannot receive classes. */
export interface SentError {
  readonly message: string;
  /** Of an AppError: its code and its other fields. */
  readonly code?: string;
  readonly recovery?: string;
  readonly remedy?: string;
  readonly data?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** Items that are sent at once: either thread continues other work between two pieces. */
export const pieceSize = 100;
