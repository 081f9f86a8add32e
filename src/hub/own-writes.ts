import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";

/** What a list of the server holds. */
export interface ListedObjects {
  readonly covers: (ref: ObjectRef) => boolean;
  readonly get: (ref: ObjectRef) => KubeObject | undefined;
}

interface OwnWrite {
  readonly ref: ObjectRef;
  /** How many writes came before it. */
  readonly order: number;
  readonly version: bigint;
  readonly isDeleted: boolean;
  readonly uid: string | undefined;
}

/** An answer is never so late that more objects were deleted meanwhile. */
const mostDeleted = 1000;

/**
 * Remembers what this process wrote until the watch has caught up, so that an older event does not bring the past back.
 * Versions of one kind on one server can be compared. Source: Kubernetes API concepts, resource versions.
 */
export class OwnWrites {
  readonly #writes = new Map<string, OwnWrite>();
  /** Uids of objects that the watch has recently shown as deleted. */
  readonly #gone = new Set<string>();
  #count = 0;

  /** How many writes were recorded until now. */
  get count(): number {
    return this.#count;
  }

  /**
   * False when the watch has already shown something newer than this answer, which may come after it: `held` is what is known
   * of the object by now.
   */
  recordWritten(ref: ObjectRef, object: KubeObject, held: KubeObject | undefined): boolean {
    const key = describeRef(ref);
    const version = versionOf(object);
    if (this.#gone.has(object.metadata.uid ?? "")) return false;
    if (held && versionOf(held) >= version) return false;
    const known = this.#writes.get(key);
    if (known && known.version >= version && known.uid === object.metadata.uid) return false;
    this.#writes.set(key, { ref, order: this.#count++, version, isDeleted: false, uid: object.metadata.uid });
    return true;
  }

  recordDeleted(ref: ObjectRef, held: KubeObject): void {
    const { uid } = held.metadata;
    this.#writes.set(describeRef(ref), {
      ref,
      order: this.#count++,
      version: versionOf(held),
      isDeleted: true,
      uid,
    });
  }

  /**
   * Forgets the first `count` writes where a list covers them that was asked for after them: it shows them, or the server
   * is an older copy that lost them. A watch would never show those. Returns the objects that are as the list has them.
   */
  settle(count: number, listed: ListedObjects): readonly ObjectRef[] {
    const settled: ObjectRef[] = [];
    for (const [key, { ref, order, isDeleted, uid }] of this.#writes) {
      if (order >= count || !listed.covers(ref)) continue;
      const metadata = listed.get(ref)?.metadata;
      // Finalizers still hold it: the deletion is not lost.
      if (isDeleted && metadata?.uid === uid && metadata?.deletionTimestamp !== undefined) continue;
      this.#writes.delete(key);
      settled.push(ref);
    }
    return settled;
  }

  /**
   * True when an event of the watch has newer content than is known; forgets the own write once it was seen. `held` is
   * the known state of the object until then. `removed` is the object whose deletion the event is of; default: `held`.
   */
  isNews(ref: ObjectRef, object: KubeObject | undefined, held: KubeObject | undefined, removed = held): boolean {
    const key = describeRef(ref);
    const deletedUid = object === undefined ? removed?.metadata.uid : undefined;
    if (deletedUid !== undefined) this.#recordDeletedUid(deletedUid);
    // Of an older copy of the server; or a watch with a selector has reported that it lost the label.
    if (object?.metadata.uid !== undefined) this.#gone.delete(object.metadata.uid);
    const known = this.#writes.get(key);
    if (!known) return true;
    if (object === undefined) {
      // Of a former object with this name: what this process has made since then is there.
      if (deletedUid !== undefined && known.uid !== undefined && deletedUid !== known.uid) return false;
      this.#writes.delete(key);
      return true;
    }
    const isSameObject = known.uid === object.metadata.uid;
    const version = versionOf(object);
    if (known.isDeleted) return !isSameObject && version > known.version;
    if (version < known.version) return false;
    this.#writes.delete(key);
    return true;
  }

  #recordDeletedUid(uid: string): void {
    this.#gone.add(uid);
    const [oldest] = this.#gone;
    if (this.#gone.size > mostDeleted && oldest !== undefined) this.#gone.delete(oldest);
  }
}

function versionOf(object: KubeObject): bigint {
  const text = object.metadata.resourceVersion ?? "0";
  return /^\d{1,20}$/u.test(text) ? BigInt(text) : 0n;
}
