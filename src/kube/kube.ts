// kube: the one Kubernetes client. This file is its port; transports, reflector and leader election are beside it.
import type { BackoffOptions } from "../core/backoff.ts";
import type { Clock, Random } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";

export interface ListOptions {
  /** Absent: all namespaces (or a cluster-scoped kind). */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * What is held of each object, asked as its page is read. For kinds whose objects would not fit into memory together; an
   * API that has them there anyway may give them whole. Default: the object.
   */
  readonly hold?: (object: KubeObject) => KubeObject;
  readonly signal?: AbortSignal;
}

export interface ListResult {
  readonly items: KubeObject[];
  readonly resourceVersion: string;
}

/** Of everything that changes something. */
interface SendOptions {
  readonly signal?: AbortSignal;
  /** Called before each attempt, repetitions included: what it throws ends the call, and nothing is sent. Default: nothing. */
  readonly beforeSend?: () => void;
}

export interface ApplyOptions extends SendOptions {
  readonly fieldManager: string;
  /** Take over fields that another manager owns. Default true: git is the only source. */
  readonly isForced?: boolean;
  /** Ask the server without writing. Default false. */
  readonly isDryRun?: boolean;
  readonly subresource?: "status";
}

export interface WriteOptions extends SendOptions {
  readonly fieldManager: string;
  readonly isDryRun?: boolean;
}

export interface DeleteOptions extends SendOptions {
  /** Preconditions: the server refuses with E_KUBE_CONFLICT when the object is another one meanwhile. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
}

export type WatchEvent =
  | { readonly kind: "added" | "modified" | "deleted"; readonly object: KubeObject }
  | { readonly kind: "bookmark"; readonly resourceVersion: string };

export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  /** Called once, when the server has accepted the watch (its first event may be a minute away). */
  readonly onOpen?: () => void;
}

/** A token asked from a service account (authentication.k8s.io TokenRequest). */
export interface TokenRequest extends SendOptions {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly expirationSeconds: number;
  readonly audiences?: readonly string[];
  /** The token dies with this object. */
  readonly boundSecret?: { readonly name: string; readonly uid: string };
  /** The same for a Pod of this account. At most one of the two. */
  readonly boundPod?: { readonly name: string; readonly uid: string };
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * What this program asks of a Kubernetes API server. Every method throws AppError with an E_KUBE_* code: NOT_FOUND
 * (404), CONFLICT (409, also a namespace that is being deleted), EXISTS (409 AlreadyExists), INVALID (400, 415, 422),
 * FORBIDDEN (403), UNAUTHORIZED (401), THROTTLED (429), GONE (410), SERVER (5xx, or an answer that no API server gives:
 * a proxy's page), UNREACHABLE (no answer), TLS (certificate not trusted). 401 and 403 are a matter of credentials; a
 * network error, a 5xx or a TLS error never is. Messages name verb and object, never a body. `data` of such an error has
 * `verb`, `object` and, if the server sent them, `status`, `reason`, `cause` (of the first cause), `field` (of the
 * first cause) and `retryAfterSeconds`. A call whose signal is aborted rejects with the signal's reason.
 */
export interface KubeApi {
  /** The server's address, for messages. */
  readonly server: string;
  /** Undefined when there is no such object; E_KUBE_NOT_FOUND when the server does not know the resource at all. */
  get(ref: ObjectRef, options?: { readonly signal?: AbortSignal }): Promise<KubeObject | undefined>;
  /** The whole list, read in pages of one consistent version; a page that fails fails the call. */
  list(type: ResourceType, options?: ListOptions): Promise<ListResult>;
  /**
   * Events after `resourceVersion`, until the server ends the watch (the iterator returns), it fails (throws; E_KUBE_GONE
   * asks for a new list) or the signal is aborted (returns).
   */
  watch(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent>;
  create(object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  /** Replaces an object; its resourceVersion is the precondition. */
  update(object: KubeObject, options: WriteOptions & { readonly subresource?: "status" }): Promise<KubeObject>;
  /** Server-side apply: the fields in `object` are the whole intent of `fieldManager`. */
  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /**
   * JSON merge patch (RFC 7386). `isStrategic`: for built-in kinds, lists with merge keys (conditions by their type) keep the
   * elements that the patch does not name. Default false.
   */
  mergePatch(
    ref: ObjectRef,
    patch: JsonObject,
    options: WriteOptions & { readonly subresource?: "status"; readonly isStrategic?: boolean },
  ): Promise<KubeObject>;
  /** Resolves also when the object was already deleted; E_KUBE_NOT_FOUND when the server does not know the resource. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  requestToken(request: TokenRequest): Promise<IssuedToken>;
  /** GET of a path that is not a resource (`/version`, `/readyz`): status and text, without throwing for 4xx and 5xx. */
  getRaw(path: string, options?: { readonly signal?: AbortSignal }): Promise<{ status: number; text: string }>;
  /** Requests made so far by verb (`get`, `list`, `watch`, `create`, `update`, `apply`, `patch`, `delete`, `token`, `raw`). */
  readonly requestCounts: ReadonlyMap<string, number>;
  /** Ends all connections: whatever is under way, watches too, fails with E_KUBE_UNREACHABLE. */
  close(): Promise<void>;
}

/** A read cache of one kind, kept current by list and watch; it heals itself after any failure. */
export interface KubeCache {
  readonly type: ResourceType;
  /** Resolves when the first list is in the cache; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  readonly isSynced: boolean;
  /** All objects. Callers must not change them. */
  list(namespace?: string): readonly KubeObject[];
  get(namespace: string | undefined, name: string): KubeObject | undefined;
  /** Since when (clock ms) the watch has been failing without interruption; undefined while it is healthy. */
  readonly failingSinceMs: number | undefined;
  /** True from a list that did not reach the server to the next one that does. */
  readonly isAway: boolean;
  /** True from a watch that lost its server to the next list: the server may be restored from an older copy meanwhile. */
  readonly isStale: boolean;
  stop(): Promise<void>;
}

export interface KubeCacheOptions extends Omit<ListOptions, "signal" | "hold"> {
  /** What the cache holds of an object that a list or a watch brought: another copy of the same version. Default: the object. */
  readonly hold?: (object: KubeObject) => KubeObject;
  /** False saves the memory of `metadata.managedFields`. Default true. */
  readonly keepManagedFields?: boolean;
  /**
   * Called after the cache changed; `object` is undefined when `removed` was deleted. `isDeletionSeen`: the watch reported the
   * deletion; an object that is only missing in a list may have been deleted, or the list is of an older copy of the hub.
   * Errors thrown here are reported, never fatal.
   */
  readonly onChange?: (change: {
    readonly ref: ObjectRef;
    readonly object: KubeObject | undefined;
    readonly removed?: KubeObject;
    readonly isDeletionSeen?: boolean;
  }) => void;
  /**
   * Called before each list is asked for. What it returns is called when the cache holds the list, before the differences are
   * reported.
   */
  readonly onListing?: () => () => void;
  /** Called with the error of every failed list or watch; the cache continues by itself. */
  readonly onError?: (error: unknown) => void;
}

export interface KubeCacheEnvironment {
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the cache, like its `stop`. */
  readonly signal?: AbortSignal;
  /** The waits between two lists of a server that cannot be reached. Default: as after any other failure. */
  readonly awayBackoff?: BackoffOptions;
}
