import type { HubView, ViewChange } from "../hub/hub-view.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { annotationKeys } from "../model/well-known.ts";
import { isFromGit } from "../planning/edits-by-hand.ts";
import { hubPolicyOf } from "../planning/hub-policy.ts";
import type { DeclaredPlace } from "../planning/declared-place.ts";
import { declaredPlaceOf } from "../planning/declared-place.ts";
import { isOurs } from "./run-scope.ts";

/** Deletions are one decision as long as each follows the one before within this time. */
const quietMs = 10_000;
/** Objects that are kept in mind at most; more are not the work of a person who means each of them. */
const mostDeletions = 1000;

export interface DeletionScene {
  readonly repository: Repository;
  /** Whether a document of the same kind as the object declares the Cluster, token or group of this name. */
  readonly isDeclared: (object: KubeObject, place: DeclaredPlace) => boolean;
  /** Monotonic. */
  readonly nowMs: number;
}

interface Deletion {
  readonly ref: ObjectRef;
  readonly workspace: string;
  readonly workspaceUid: string;
  /** Monotonic. */
  readonly atMs: number;
}

/**
 * Objects of files that a person deleted on the hub. Only a deletion that a watch reported counts: an object that is missing
 * after a list, in a restored hub or with its namespace or definition, was not deleted by a person who meant it. The
 * deletions are kept in this process alone, so that a process that dies forgets them and git stays as it is.
 */
export class HubDeletions {
  readonly #view: Pick<HubView, "get" | "workspaceUid">;
  readonly #deletions = new Map<string, Deletion>();

  constructor(view: Pick<HubView, "get" | "workspaceUid">) {
    this.#view = view;
  }

  /** Takes in a change of the view. `isDeclared`: the commit in force declares the object. */
  record(
    { ref, object, before, isDeletionSeen = false }: ViewChange,
    { repository, isDeclared, nowMs }: DeletionScene,
  ): void {
    if (object !== undefined || before === undefined || !isDeletionSeen) return;
    const place = declaredPlaceOf(before, ref.type);
    // The object of another project's kind has no mark of its file: its Cluster or token has.
    const owner = place && (place.isItself ? before : this.#view.get(place.ref));
    if (place === undefined || owner === undefined || !isOurs(owner, repository) || !isFromGit(owner)) return;
    if (owner.metadata.annotations?.[annotationKeys.leave] !== undefined) return;
    const { workspace } = place;
    const { deletions } = hubPolicyOf(repository.spec, { kind: ref.type.kind, workspace });
    const workspaceUid = this.#view.workspaceUid(workspace);
    if (deletions === "Ignore" || workspaceUid === undefined || this.#deletions.size >= mostDeletions) return;
    if (!isDeclared(before, place)) return;
    this.#deletions.delete(describeRef(ref));
    this.#deletions.set(describeRef(ref), { ref, workspace, workspaceUid, atMs: nowMs });
  }

  /**
   * An object that could not be created again at once is not one that a person deleted: its namespace or kind ends. Nor is
   * one that the plan deleted, whose deletion a watch may report before the API server answers.
   */
  confirm(outcomes: readonly ChangeOutcome[]): void {
    for (const { change, error } of outcomes)
      if (error !== undefined || change.kind === "delete") this.#deletions.delete(describeRef(change.ref));
  }

  /** The deleted objects as they exist again, once no further deletion came for a while; else none. */
  due(nowMs: number): readonly KubeObject[] {
    if (this.dueInMs(nowMs) !== 0) return [];
    return [...this.#deletions.values()].flatMap(({ ref, workspace, workspaceUid }) => {
      const isSame = this.#view.workspaceUid(workspace) === workspaceUid;
      return (isSame ? this.#view.get(ref) : undefined) ?? [];
    });
  }

  /** What was due at that time is decided. */
  forget(nowMs: number): void {
    for (const [key, { atMs }] of this.#deletions) if (atMs + quietMs <= nowMs) this.#deletions.delete(key);
  }

  /** Milliseconds until the deletions are due; undefined when there are none. */
  dueInMs(nowMs: number): number | undefined {
    if (this.#deletions.size === 0) return undefined;
    // In the order in which they came.
    const newest = [...this.#deletions.values()].at(-1);
    return Math.max(0, (newest?.atMs ?? nowMs) + quietMs - nowMs);
  }
}
