import { smallestOf } from "../core/extremes.ts";
import type { Log } from "../core/log.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import type { OutsideType } from "../join/join.ts";
import type { KubeCache, KubeCacheOptions } from "../kube/kube.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";
import { isSelected } from "./outside-types.ts";
import type { ListedObjects } from "./own-writes.ts";

export interface WatchCachesOptions {
  /** Kinds to watch in every workspace. */
  readonly types: readonly ResourceType[];
  /** Kinds to watch elsewhere: children that protocols keep outside the workspaces. Default none. */
  readonly outsideTypes?: readonly OutsideType[];
  readonly startCache: (type: ResourceType, options: KubeCacheOptions) => KubeCache;
  readonly log: Log;
}

export type CacheNews = Parameters<NonNullable<KubeCacheOptions["onChange"]>>[0];

/** Who takes in what the watches bring. */
export interface CacheReceiver {
  /** A namespace with the label of workspaces has changed; undefined when it lost that label, or is deleted. */
  followWorkspace(name: string, object: KubeObject | undefined): void;
  /** What is known of an object by now. */
  get(ref: ObjectRef): KubeObject | undefined;
  /** What a cache holds of an object that a list or a watch brought. */
  hold(type: ResourceType, object: KubeObject): KubeObject;
  takeNews(news: CacheNews): void;
  /** A list is asked for; what it returns is called when the cache holds it. */
  settleWith(listed: ListedObjects): () => void;
}

/** The watches of a hub: of the namespaces that are labelled as workspaces, of every kind in each workspace, and outside. */
export class WatchCaches {
  readonly #options: WatchCachesOptions;
  readonly #receiver: CacheReceiver;
  readonly #namespaces: KubeCache;
  readonly #workspaces = new Map<string, readonly KubeCache[]>();
  readonly #outside: readonly KubeCache[];

  constructor(options: WatchCachesOptions, receiver: CacheReceiver) {
    this.#options = options;
    this.#receiver = receiver;
    this.#namespaces = options.startCache(resourceTypes.namespace, {
      labelSelector: labelKeys.workspace,
      onChange: ({ ref, object }) => receiver.followWorkspace(ref.name, object),
    });
    this.#outside = (options.outsideTypes ?? []).map((outside) => this.#watchOutside(outside));
  }

  /** Resolves when every kind of every workspace known by then is listed. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await this.#namespaces.whenSynced(signal);
    await unlessAborted(Promise.all(this.#all().map((cache) => cache.whenSynced())), signal);
  }

  get isComplete(): boolean {
    return this.#namespaces.isSynced && this.#all().every((cache) => cache.isSynced);
  }

  /** Since when (clock ms) some watch of a kind has been failing; undefined while all are healthy. */
  failingSinceMs(type: ResourceType): number | undefined {
    const times = this.#all()
      .filter((cache) => cache.type === type)
      .flatMap((cache) => (cache.failingSinceMs === undefined ? [] : [cache.failingSinceMs]));
    return times.length === 0 ? undefined : smallestOf(times);
  }

  /** Names of the workspaces that are watched. */
  get workspaces(): IterableIterator<string> {
    return this.#workspaces.keys();
  }

  /** True of a workspace that is watched. */
  has(workspace: string): boolean {
    return this.#workspaces.has(workspace);
  }

  /**
   * True while a kind of this workspace is not listed yet: what is missing may be there. And, when the hub is back, while one
   * kind is listed again and another is not: the hub may be an older copy, and the two would show different times of it.
   */
  isBeingListed(workspace: string): boolean {
    const caches = this.#workspaces.get(workspace) ?? [];
    const stale = caches.filter(({ isStale }) => isStale).length;
    return caches.some(({ isSynced }) => !isSynced) || (stale > 0 && stale < caches.length);
  }

  /** Namespaces with the label of workspaces, whether they are watched or not. */
  labelledNamespaces(): readonly KubeObject[] {
    return this.#namespaces.list();
  }

  namespace(name: string): KubeObject | undefined {
    return this.#namespaces.get(undefined, name);
  }

  isWatched({ type, namespace }: ObjectRef): boolean {
    if (namespace !== undefined && this.#workspaces.has(namespace)) return true;
    return (this.#options.outsideTypes ?? []).some(
      (outside) => outside.type === type && (outside.namespace ?? namespace) === namespace,
    );
  }

  /** True where every object of this kind is watched, whatever its labels, and listed. */
  listsAll({ type, namespace }: ObjectRef): boolean {
    const inside = namespace === undefined ? undefined : this.#workspaces.get(namespace);
    if (inside) return inside.some((cache) => cache.type === type && cache.isSynced);
    return (this.#options.outsideTypes ?? []).some(
      (outside, index) =>
        outside.type === type &&
        outside.labelSelector === "" &&
        (outside.namespace ?? namespace) === namespace &&
        this.#outside[index]?.isSynced === true,
    );
  }

  /** What the watches outside of workspaces hold in a namespace. */
  listOutside(namespace: string): readonly (readonly [ResourceType, KubeObject])[] {
    return this.#outside.flatMap((cache) =>
      cache.type.isNamespaced ? cache.list(namespace).map((object) => [cache.type, object] as const) : [],
    );
  }

  watchWorkspace(name: string): void {
    this.#workspaces.set(
      name,
      this.#options.types.map((type) => this.#watchInside(type, name)),
    );
  }

  leaveWorkspace(name: string): void {
    const caches = this.#workspaces.get(name) ?? [];
    this.#workspaces.delete(name);
    for (const cache of caches)
      cache.stop().catch((error: unknown) => this.#options.log.warn("stopping a watch failed", { error }));
  }

  async stop(): Promise<void> {
    await this.#namespaces.stop();
    await Promise.all(this.#all().map((cache) => cache.stop()));
  }

  #all(): readonly KubeCache[] {
    return [...this.#workspaces.values(), this.#outside].flat();
  }

  #watchInside(type: ResourceType, namespace: string): KubeCache {
    const listed: ListedObjects = {
      covers: (ref) => ref.type === type && ref.namespace === namespace && this.#workspaces.has(namespace),
      get: ({ name }) => cache.get(namespace, name),
    };
    const cache = this.#options.startCache(type, {
      namespace,
      hold: (object) => this.#receiver.hold(type, object),
      onChange: (news) => {
        if (this.#workspaces.has(namespace)) this.#receiver.takeNews(news);
      },
      onListing: () => this.#receiver.settleWith(listed),
    });
    return cache;
  }

  #watchOutside({ type, namespace, labelSelector = labelKeys.ownerWorkspace }: OutsideType): KubeCache {
    // Of two watches of one kind, one does not list what the other does: then the labels of an object show whose it is.
    const isOnly = this.#options.outsideTypes?.filter((other) => other.type === type).length === 1;
    const listed: ListedObjects = {
      covers: (ref) =>
        ref.type === type &&
        (namespace ?? ref.namespace) === ref.namespace &&
        !this.#workspaces.has(ref.namespace ?? "") &&
        (isOnly || isSelected(this.#receiver.get(ref) ?? cache.get(ref.namespace, ref.name), labelSelector)),
      get: (ref) =>
        [cache, ...this.#outside].flatMap((each) =>
          each.type === type ? (each.get(ref.namespace, ref.name) ?? []) : [],
        )[0],
    };
    const cache = this.#options.startCache(type, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === "" ? {} : { labelSelector }),
      hold: (object) => this.#receiver.hold(type, object),
      onChange: ({ isDeletionSeen, ...news }) => {
        const isElsewhere = news.ref.namespace !== undefined && this.#workspaces.has(news.ref.namespace);
        // A watch with a selector reports a deletion where only the label was removed, too.
        const isSeen = isDeletionSeen === true && labelSelector === "";
        if (!isElsewhere) this.#receiver.takeNews({ ...news, isDeletionSeen: isSeen });
      },
      onListing: () => this.#receiver.settleWith(listed),
    });
    return cache;
  }
}
