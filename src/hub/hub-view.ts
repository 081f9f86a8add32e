import type { MemberState } from "../model/member-state.ts";
import { memberStateName, readMemberState } from "../model/member-state.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { isSameVersion, refOf } from "../model/kubernetes.ts";
import type { Member, TokenSubject } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import type { MemberIndex } from "../planning/member-index.ts";
import type { Observed } from "../planning/observed.ts";
import type { ProtocolObjects } from "./assemble-member.ts";
import { assembleMember } from "./assemble-member.ts";
import type { ChildOwner } from "./child-owners.ts";
import { forgetLargeMetadata } from "./forget-large-metadata.ts";
import { forgetLargeSets } from "./forget-large-sets.ts";
import { forgetUnreadFields } from "./forget-unread-fields.ts";
import { HeldObjects } from "./held-objects.ts";
import type { ListedObjects } from "./own-writes.ts";
import type { ShareValues } from "./share-values.ts";
import { OwnWrites } from "./own-writes.ts";
import type { CacheNews, WatchCachesOptions } from "./watch-caches.ts";
import { WatchCaches } from "./watch-caches.ts";
import { WorkspaceMembers } from "./workspace-members.ts";

/** A change that the view has taken in. `before` is what it held until then. */
export interface ViewChange {
  readonly ref: ObjectRef;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  /** Set when this process wrote it while it carried out a plan of git: then it is no drift. */
  readonly isPlanned: boolean;
  /** Set when a watch reported the deletion, and this process did not ask for it. */
  readonly isDeletionSeen?: boolean;
}

export interface HubViewOptions extends WatchCachesOptions, ProtocolObjects {
  /** Kinds of children by whose spec a member is found. Default none. */
  readonly identifyingTypes?: readonly ResourceType[];
  /** Whether a labelled namespace may be used at all (chart and Repository declare it). */
  readonly isAllowedWorkspace: (name: string) => boolean;
  /** Lets the objects that are held share memory. Default: each has its own. */
  readonly shareValues?: ShareValues;
}

/**
 * What the hub holds, kept current by watches: every kind of interest, in every workspace. It indexes children by their
 * Cluster and token, so that the cost of reading one member does not grow with the fleet. Own writes are seen at once
 * (`recordWritten`), before the watch brings them back.
 */
export class HubView implements Observed {
  readonly #options: HubViewOptions;
  readonly #caches: WatchCaches;
  readonly #held = new HeldObjects({ has: (name) => this.isWorkspace(name) });
  readonly #listeners = new Set<(change: ViewChange) => void>();
  readonly #workspaceListeners = new Set<() => void>();
  readonly #own = new OwnWrites();
  readonly #members: WorkspaceMembers;
  /** Parsed once for each version of the object. */
  readonly #memories = new WeakMap<KubeObject, MemberState | undefined>();
  #isStopped = false;

  constructor(options: HubViewOptions) {
    this.#options = options;
    this.#members = new WorkspaceMembers(this, options.identifyingTypes ?? []);
    this.#caches = new WatchCaches(options, {
      followWorkspace: (name, object) => this.#followWorkspace(name, object),
      get: (ref) => this.get(ref),
      hold: (type, object) => this.#hold(type, object),
      takeNews: (news) => this.#takeNews(news),
      settleWith: (listed) => this.#settleWith(listed),
    });
  }

  /** Resolves when every kind of every workspace known by then is listed. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#caches.whenSynced(signal);
  }

  get isComplete(): boolean {
    return this.#caches.isComplete;
  }

  /** Since when (clock ms) some watch of a kind has been failing; undefined while all are healthy. */
  failingSinceMs(type: ResourceType): number | undefined {
    return this.#caches.failingSinceMs(type);
  }

  isWorkspace(namespace: string): boolean {
    return this.#caches.has(namespace);
  }

  /** True while a kind of this workspace is not listed yet, or not again since the hub is back. */
  isBeingListed(workspace: string): boolean {
    return this.#caches.isBeingListed(workspace);
  }

  /** The uid of the namespace of a workspace: one that was deleted and created again has another. */
  workspaceUid(name: string): string | undefined {
    return this.isWorkspace(name) ? this.#caches.namespace(name)?.metadata.uid : undefined;
  }

  get workspaces(): readonly string[] {
    return [...this.#caches.workspaces].sort();
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#held.get(ref);
  }

  /** True where every object of this kind is watched, whatever its labels, and listed. */
  listsAll(ref: ObjectRef): boolean {
    return this.#caches.listsAll(ref);
  }

  list(type: ResourceType, namespace?: string): readonly KubeObject[] {
    return this.#held.list(type, namespace);
  }

  /** Objects of a kind in a workspace that carry no label of a member or a token: others created them. */
  unownedOf(type: ResourceType, workspace: string): readonly KubeObject[] {
    return this.#held.unownedOf(type, workspace);
  }

  /** Objects that carry the label with this value in this workspace, or outside for it, and what is in their namespaces. */
  childrenOf(label: ChildOwner["label"], workspace: string, name: string): readonly KubeObject[] {
    return this.#held.childrenOf({ label, workspace, name });
  }

  /** Whom an object belongs to by its labels or name, or by the labels of the namespace it is in. */
  ownersOf(ref: ObjectRef, object: KubeObject): readonly ChildOwner[] {
    return this.#held.ownersOf(ref, object);
  }

  memberStateOf(workspace: string, name: string): MemberState | undefined {
    const object = this.get({ type: resourceTypes.configMap, namespace: workspace, name: memberStateName(name) });
    if (!object) return undefined;
    if (!this.#memories.has(object)) this.#memories.set(object, readMemberState(object));
    return this.#memories.get(object);
  }

  memberOf(workspace: string, name: string): Member | undefined {
    const member = this.#memberAlone(workspace, name);
    const from = member?.state?.movedFrom;
    const former = member && from && this.#memberAlone(from.workspace, from.name);
    const isMoving = former?.cluster.metadata.annotations?.[annotationKeys.movedTo] === `${workspace}/${name}`;
    return member && former && isMoving ? { ...member, former } : member;
  }

  /** The members of a workspace: an index that follows each change of the view. */
  membersOf(workspace: string): MemberIndex {
    return this.#members.of(workspace);
  }

  /** Names of the members of a workspace that have a state and no Cluster. */
  statesWithoutCluster(workspace: string): readonly string[] {
    return this.#members.withoutCluster(workspace);
  }

  tokenOf(workspace: string, name: string): TokenSubject | undefined {
    const token = this.get({ type: resourceTypes.clusterRegistrationToken, namespace: workspace, name });
    if (!token) return undefined;
    const children = this.childrenOf(labelKeys.token, workspace, name);
    return { workspace, name, token: token as ClusterRegistrationToken, children };
  }

  tokensOf(workspace: string): TokenSubject[] {
    const tokens = this.list(resourceTypes.clusterRegistrationToken, workspace);
    return tokens.flatMap(({ metadata }) => this.tokenOf(workspace, metadata.name) ?? []);
  }

  /** Calls `listener` after every change; returns the function that ends it. */
  subscribe(listener: (change: ViewChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` when a namespace became a workspace, or is none any more; returns the function that ends it. */
  subscribeToWorkspaces(listener: () => void): () => void {
    this.#workspaceListeners.add(listener);
    return () => this.#workspaceListeners.delete(listener);
  }

  /** Takes in the answer to an own write, so that the next decision does not see the past. */
  recordWritten(type: ResourceType, object: KubeObject, { isPlanned = false } = {}): void {
    const ref = refOf(type, object);
    if (!this.#caches.isWatched(ref)) return;
    this.#shrink(type, object);
    if (this.#own.recordWritten(ref, object, this.get(ref))) this.#take(ref, object, isPlanned);
  }

  /** Takes in an own delete. */
  recordDeleted(ref: ObjectRef, { isPlanned = false } = {}): void {
    const held = this.get(ref);
    if (!held) return;
    this.#own.recordDeleted(ref, held);
    this.#take(ref, undefined, isPlanned);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#caches.stop();
    this.#listeners.clear();
    this.#workspaceListeners.clear();
  }

  #memberAlone(workspace: string, name: string): Member | undefined {
    return assembleMember(this, this.#options, { workspace, name });
  }

  /** Asks anew which labelled namespaces may be used: what a Repository allows has changed. */
  chooseWorkspaces(): void {
    for (const object of this.#caches.labelledNamespaces()) this.#followWorkspace(object.metadata.name, object);
  }

  #followWorkspace(name: string, object: KubeObject | undefined): void {
    if (this.#isStopped) return;
    const isWanted =
      object !== undefined && object.metadata.deletionTimestamp === undefined && this.#options.isAllowedWorkspace(name);
    if (isWanted === this.isWorkspace(name)) return;
    if (isWanted) {
      // By its labels, an object from a cluster-scoped watch already belonged to other members, or to none.
      const held = this.#held.listIn(name);
      for (const [ref, before] of held) this.#held.remove(ref, before);
      this.#caches.watchWorkspace(name);
      for (const [ref, before] of held) this.#held.add(ref, before);
      this.#members.forget();
    } else this.#leaveWorkspace(name);
    for (const listener of this.#workspaceListeners) listener();
  }

  /** Listeners are notified when nothing of it is known any more: what one of them starts at once must not see a part of it. */
  #leaveWorkspace(name: string): void {
    // Also what this process wrote and no watch has shown yet.
    const held = this.#held.listIn(name);
    for (const [ref, object] of held) this.#held.remove(ref, object);
    this.#caches.leaveWorkspace(name);
    this.#members.forget();
    for (const [ref, before] of held) this.#notify({ ref, object: undefined, before, isPlanned: false });
    for (const [type, object] of this.#caches.listOutside(name)) this.#take(refOf(type, object), object);
  }

  /** A list replaces own writes that come before it, also where a restored server has lost them. */
  #settleWith(listed: ListedObjects): () => void {
    const { count } = this.#own;
    return () => {
      for (const ref of this.#own.settle(count, listed)) this.#take(ref, listed.get(ref));
    };
  }

  /** The answer to an own write is held already when the watch brings the same version: one copy is enough. */
  #hold(type: ResourceType, object: KubeObject): KubeObject {
    const held = this.get(refOf(type, object));
    if (held !== undefined && isSameVersion(held, object)) return held;
    this.#shrink(type, object);
    return object;
  }

  #shrink(type: ResourceType, object: KubeObject): void {
    forgetLargeSets(type, object);
    forgetLargeMetadata(type, object);
    forgetUnreadFields(type, object);
    this.#options.shareValues?.(object);
  }

  #takeNews({ ref, object, removed, isDeletionSeen = false }: CacheNews): void {
    if (this.#own.isNews(ref, object, this.get(ref), removed)) this.#take(ref, object, false, isDeletionSeen);
  }

  #take(ref: ObjectRef, object: KubeObject | undefined, isPlanned = false, isDeletionSeen = false): void {
    const before = this.get(ref);
    // The watch's echo of an own write was reported already.
    if (before === object || (before && object && isSameVersion(before, object))) return;
    if (before) this.#held.remove(ref, before);
    if (object) this.#held.add(ref, object);
    const ownersOf = () => [before, object].flatMap((version) => (version ? this.ownersOf(ref, version) : []));
    this.#members.record(ref, { before, object }, ownersOf);
    this.#notify({ ref, object, before, isPlanned, ...(isDeletionSeen ? { isDeletionSeen } : {}) });
  }

  #notify(change: ViewChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
