import type { ViewChange } from "../hub/hub-view.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { isOwned } from "../planning/hub-objects.ts";
import type { RevertedEdit } from "../planning/hub-edits.ts";
import { editsBetween } from "../planning/hub-edits.ts";

/** Objects whose edits are kept in mind at most. */
const mostObjects = 1000;

interface Remembered {
  readonly uid: string | undefined;
  readonly edits: readonly RevertedEdit[];
}

/**
 * What people changed on objects of other projects' kinds. The hub's controllers revert such a field at once, before a run can
 * read it, so the change is taken from the watch. It is kept in this process alone: a process that dies forgets it, and
 * git stays as it is.
 */
export class RevertedEdits {
  readonly #remembered = new Map<string, Remembered>();

  record({ ref, object, before, isPlanned }: ViewChange): void {
    const key = describeRef(ref);
    if (object === undefined) return void this.#remembered.delete(key);
    if (isPlanned || before === undefined || ref.type.group === resourceTypes.cluster.group) return;
    if (!isOwned(object) || before.metadata.uid !== object.metadata.uid) return;
    const edits = editsBetween(before, object);
    if (edits.length === 0 || (this.#remembered.size >= mostObjects && !this.#remembered.has(key))) return;
    const paths = new Set(edits.map(({ path }) => JSON.stringify(path)));
    const earlier = this.#of(key, object).filter(({ path }) => !paths.has(JSON.stringify(path)));
    this.#remembered.set(key, { uid: object.metadata.uid, edits: [...earlier, ...edits] });
  }

  of(live: KubeObject): readonly RevertedEdit[] {
    const type = resourceTypeOf(live);
    return type === undefined ? [] : this.#of(describeRef(refOf(type, live)), live);
  }

  /** Git has them, or will not have them. */
  forget(live: KubeObject): void {
    const type = resourceTypeOf(live);
    if (type !== undefined) this.#remembered.delete(describeRef(refOf(type, live)));
  }

  #of(key: string, { metadata }: KubeObject): readonly RevertedEdit[] {
    const found = this.#remembered.get(key);
    return found?.uid === metadata.uid ? (found?.edits ?? []) : [];
  }
}
