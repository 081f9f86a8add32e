import type { AppError } from "../core/errors.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Plan, PlannedChange } from "../model/plan.ts";
import type { FieldFights } from "../planning/field-fights.ts";
import { labelKeys } from "../model/well-known.ts";
import type { ProposedBranch } from "./proposals.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { RunPhase } from "./reconciler-options.ts";

/** What a run knows, phase by phase; each field says which phase sets it. */
export interface RunScope {
  /** reserve: with the removals of the plan counted. */
  repository: Repository;
  readonly signal: AbortSignal;
  /** Monotonic. */
  readonly startedAtMs: number;
  /** What each phase took, in milliseconds. */
  readonly phasesMs: Partial<Record<RunPhase, number>>;
  /** readHead */
  snapshot: SourceSnapshot | undefined;
  sourceError: unknown;
  /** Why the newest commits are not applied. */
  unverified: AppError | undefined;
  /** The commit that listed keys vouch for; undefined where nobody asked. */
  verifiedCommit: string | undefined;
  /** plan */
  plan: Plan | undefined;
  /** execute */
  outcomes: readonly ChangeOutcome[];
  /** execute: the fields that other writers change back. */
  fights: FieldFights;
  /** execute: changes that wait because of that. */
  postponed: readonly PlannedChange[];
  /** propose */
  proposed: readonly ProposedBranch[];
  /** writeBack */
  statusCommit: string | undefined;
  writeBackError: unknown;
  nextWriteInMs: number | undefined;
}

/** True for an object that belongs to this Repository. */
export function isOurs(object: KubeObject, { metadata }: Repository): boolean {
  return object.metadata.labels?.[labelKeys.repository] === `${metadata.namespace}.${metadata.name}`;
}
