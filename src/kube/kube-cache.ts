import { backoffMs } from "../core/backoff.ts";
import { isAppError } from "../core/errors.ts";
import { abortReason, unlessAborted } from "../core/unless-aborted.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import type { KubeApi, KubeCache, KubeCacheEnvironment, KubeCacheOptions, WatchEvent } from "./kube.ts";
import { createKubeStore } from "./kube-store.ts";

/** As client-go begins and ends: k8s.io/client-go/tools/cache, NewReflector. */
const failureBackoff: KubeCacheEnvironment["awayBackoff"] = { initialMs: 800, maximumMs: 30_000 };

type CacheApi = Pick<KubeApi, "list" | "watch">;

/** A watch without events that ends sooner than this has failed, whatever its answer. */
const shortWatchMs = 1000;
/** After so many watches in a row that were not even accepted, only listing is left: the cache polls. */
const mostRefusals = 5;
/** The server answered: it is the one that was there before. */
const resumableCodes = ["E_KUBE_FORBIDDEN", "E_KUBE_THROTTLED", "E_KUBE_UNAUTHORIZED"] as const;

/**
 * A cache of one kind: a list, then watches from its version on. Failures are retried after 0.8 s, then less often. A version
 * that is too old, a watch without events, a server that was away, or one with older data cause a new list, of which the
 * differences are reported. A server that was away may be one that was restored from an older copy: what the copy lacks
 * is missing in a list alone, because the server soon writes past the version that a watch would begin at.
 */
export function startKubeCache(
  api: CacheApi,
  type: ResourceType,
  options: KubeCacheOptions,
  environment: KubeCacheEnvironment,
): KubeCache {
  return new Reflector(api, type, options, environment);
}

class Reflector implements KubeCache {
  readonly type: ResourceType;
  isSynced = false;
  failingSinceMs: number | undefined;
  isAway = false;
  isStale = false;
  readonly #api: CacheApi;
  readonly #options: KubeCacheOptions;
  readonly #environment: KubeCacheEnvironment;
  readonly #store;
  readonly #stopping = new AbortController();
  readonly #synced: Promise<void>;
  readonly #running: Promise<void>;
  #markSynced: () => void = () => undefined;
  #failures = 0;
  #refusals = 0;

  constructor(api: CacheApi, type: ResourceType, options: KubeCacheOptions, environment: KubeCacheEnvironment) {
    this.type = type;
    this.#api = api;
    this.#options = options;
    this.#environment = environment;
    this.#store = createKubeStore(type);
    this.#synced = new Promise((resolve, reject) => {
      this.#markSynced = resolve;
      this.#stopping.signal.addEventListener("abort", () => reject(abortReason(this.#stopping.signal)), { once: true });
    });
    // Waiting callers get the error; waiting is optional.
    this.#synced.catch(() => undefined);
    const { signal } = environment;
    const abort = () => this.#stopping.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    this.#running = this.#run().finally(() => signal?.removeEventListener("abort", abort));
  }

  list(namespace?: string): readonly KubeObject[] {
    return this.#store.list(namespace);
  }

  get(namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#store.get(namespace, name);
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return unlessAborted(this.#synced, signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        let version: string | undefined = await this.#readList();
        while (version !== undefined) version = await this.#watchFrom(version);
      } catch (error) {
        this.isAway = isAppError(error, "E_KUBE_UNREACHABLE", "E_KUBE_TLS");
        const { awayBackoff } = this.#environment;
        if (!signal.aborted) await this.#waitAfterFailure(error, this.isAway ? awayBackoff : undefined);
      }
    }
  }

  async #readList(): Promise<string> {
    const { signal } = this.#stopping;
    const onListed = this.#options.onListing?.();
    const { items, resourceVersion } = await this.#api.list(this.type, { ...this.#selection(), signal });
    signal.throwIfAborted();
    this.isAway = false;
    this.isStale = false;
    const { removed, put } = this.#store.replace(items.map((item) => this.#trim(item)));
    onListed?.();
    for (const object of removed) this.#notify(object, undefined);
    for (const object of put) this.#notify(object, object);
    this.isSynced = true;
    this.#markSynced();
    return resourceVersion;
  }

  /** One watch. Returns the version that the next one begins at, or undefined when a new list is needed. */
  async #watchFrom(startVersion: string): Promise<string | undefined> {
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    const startedMs = this.#environment.clock.monotonicMs();
    let version = startVersion;
    let isOpen = false;
    let hasNews = false;
    const onOpen = () => {
      isOpen = true;
      this.#refusals = 0;
      this.failingSinceMs = undefined;
    };
    try {
      const watchOptions = { ...this.#selection(), resourceVersion: version, signal, onOpen };
      for await (const event of this.#api.watch(this.type, watchOptions)) {
        signal.throwIfAborted();
        if (event.kind === "bookmark" && isOlder(event.resourceVersion, version)) return undefined;
        version = this.#takeEvent(event) ?? version;
        hasNews = true;
        this.#failures = 0;
      }
      signal.throwIfAborted();
      if (hasNews) return version;
      if (this.#environment.clock.monotonicMs() - startedMs < shortWatchMs) await this.#waitAfterFailure();
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!isOpen) this.#refusals++;
      if (isAppError(error, "E_KUBE_UNREACHABLE", "E_KUBE_TLS", "E_KUBE_GONE")) this.isStale = true;
      // The first time a version is too old, the list is read at once; a server that always answers so is not
      // overloaded.
      if (isAppError(error, "E_KUBE_GONE") && this.#failures++ === 0) return undefined;
      await this.#waitAfterFailure(error);
      return isAppError(error, ...resumableCodes) && this.#refusals < mostRefusals ? version : undefined;
    }
  }

  /** The version after the event. */
  #takeEvent(event: WatchEvent): string | undefined {
    if (event.kind === "bookmark") return event.resourceVersion;
    const object = this.#trim(event.object);
    if (event.kind === "deleted") {
      if (this.#store.remove(object)) this.#notify(object, undefined, true);
    } else if (this.#store.put(object)) {
      this.#notify(object, object);
    }
    return object.metadata.resourceVersion;
  }

  #selection() {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return { namespace, labelSelector, fieldSelector };
  }

  #trim(object: KubeObject): KubeObject {
    if (this.#options.keepManagedFields === false) delete object.metadata.managedFields;
    return this.#options.hold?.(object) ?? object;
  }

  #notify(subject: KubeObject, object: KubeObject | undefined, isDeletionSeen = false): void {
    try {
      this.#options.onChange?.({
        ref: refOf(this.type, subject),
        object,
        ...(object === undefined ? { removed: subject } : {}),
        ...(isDeletionSeen ? { isDeletionSeen } : {}),
      });
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch {
      // A listener that fails on a failure cannot be notified of its own; the cache continues.
    }
  }

  /** Also returns, at once, when the cache is stopped. */
  async #waitAfterFailure(error?: unknown, backoff = failureBackoff): Promise<void> {
    const { clock, random } = this.#environment;
    this.failingSinceMs ??= clock.nowMs();
    if (error !== undefined) this.#report(error);
    const askedSeconds = isAppError(error) ? error.data["retryAfterSeconds"] : undefined;
    const askedMs = typeof askedSeconds === "number" ? Math.min(askedSeconds, 300) * 1000 : 0;
    const waitMs = Math.max(askedMs, backoffMs(this.#failures++, random, backoff));
    // Aborted: the loops check the signal.
    await clock.sleep(waitMs, this.#stopping.signal).catch(() => undefined);
  }
}

/** True when the server's version is lower: it was restored from a backup. */
function isOlder(version: string, than: string): boolean {
  return /^\d+$/u.test(version) && /^\d+$/u.test(than) && BigInt(version) < BigInt(than);
}
