import { AppError } from "../../core/errors.ts";
import { isJsonEqual, isJsonObject } from "../../core/json.ts";
import type { KubeApi, KubeCache, KubeCacheOptions } from "../../kube/kube.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../model/kubernetes.ts";
import { describeRef, refOf } from "../../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../model/resource-types.ts";
import { applyFields, mergeFields } from "./apply-fields.ts";
import type { Selection, SimulatedObjects } from "./simulated-objects.ts";
import { createSimulatedObjects, isSelected } from "./simulated-objects.ts";
import { isTokenSecret, unsignedToken, withToken } from "./unsigned-token.ts";

/** One write that changed something. */
export interface SimulatedWrite {
  readonly verb: "create" | "update" | "delete";
  readonly ref: ObjectRef;
}

export interface SimulatedHub {
  readonly api: KubeApi;
  /** Caches that see each write at once. */
  readonly startCache: (type: ResourceType, options: KubeCacheOptions) => KubeCache;
  /** Every write so far. Writes of a status are not among them. */
  readonly writes: readonly SimulatedWrite[];
  has(ref: ObjectRef): boolean;
}

/** Versions of simulated writes are newer than those of any API server. */
const firstVersion = 10n ** 18n;
/** The uid of an object that is only planned begins with this. No name of a cluster or token has an underscore. */
const plannedUid = "planned_";

type Follower = Selection & Pick<KubeCacheOptions, "onChange">;

/**
 * A hub in memory that starts with these objects: what the controllers write to it stays here. It does what they depend on:
 * server-side apply with field owners, finalizers, tokens of accounts (without a signature), and namespaces that take what
 * is in them with them. It refuses nothing: admission is for a real hub. `base`: what exists under a name that is not among
 * the objects; no list and no cache has it. Default: nothing.
 */
export function createSimulatedHub(
  objects: Iterable<KubeObject>,
  nowMs: () => number,
  base: (ref: ObjectRef) => KubeObject | undefined = () => undefined,
): SimulatedHub {
  const held = createSimulatedObjects(objects, base);
  const followers = new Set<Follower>();
  const writer = createWriter({ objects: held, followers, nowMs });
  return {
    writes: writer.writes,
    has: (ref) => held.read(ref) !== undefined,
    startCache: (type, options) => startSimulatedCache(held, followers, { ...options, type }),
    api: createSimulatedApi(held, writer, nowMs),
  };
}

function startSimulatedCache(objects: SimulatedObjects, followers: Set<Follower>, follower: Follower): KubeCache {
  const { type } = follower;
  // As from a real hub, the first list comes after the cache is made.
  const synced = Promise.resolve().then(() => {
    followers.add(follower);
    for (const object of objects.list(follower)) follower.onChange?.({ ref: refOf(type, object), object });
  });
  return {
    type,
    whenSynced: () => synced,
    isSynced: true,
    list: (namespace) => objects.list(namespace === undefined ? follower : { ...follower, namespace }),
    get: (namespace, name) => objects.get({ type, name, ...(namespace === undefined ? {} : { namespace }) }),
    failingSinceMs: undefined,
    isAway: false,
    isStale: false,
    stop: async () => {
      followers.delete(follower);
    },
  };
}

/** What a write does besides storing: versions, the record of writes, what follows from it, and which watches receive it. */
interface Writer {
  readonly writes: readonly SimulatedWrite[];
  /** Of the last write. */
  version(): string;
  /** Returns the object as it is stored; nothing is written when it stays as it is. */
  write(ref: ObjectRef, change: (before: KubeObject | undefined) => KubeObject): KubeObject;
  /** Marks it as being deleted; it is removed once it has no finalizers. */
  delete(ref: ObjectRef): void;
}

function createWriter({
  objects,
  followers,
  nowMs,
}: {
  readonly objects: SimulatedObjects;
  readonly followers: ReadonlySet<Follower>;
  readonly nowMs: () => number;
}): Writer {
  const writes: SimulatedWrite[] = [];
  let version = firstVersion;

  const notify = (ref: ObjectRef, object: KubeObject | undefined, before: KubeObject | undefined): void => {
    for (const follower of followers) {
      const isFollowed = [object, before].some((seen) => seen !== undefined && isSelected(follower, ref, seen));
      if (isFollowed) follower.onChange?.({ ref, object });
    }
  };
  const put = (ref: ObjectRef, object: KubeObject, before: KubeObject | undefined): KubeObject => {
    version += 1n;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      remove(ref, before);
      return object;
    }
    const made: KubeObject = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: before?.metadata.uid ?? `${plannedUid}${version}`,
        resourceVersion: String(version),
        generation: generationOf(object, before),
        creationTimestamp: before?.metadata.creationTimestamp ?? new Date(nowMs()).toISOString(),
      },
    };
    const filled = isTokenSecret(made) ? withToken(made, (account) => objects.get(account)) : made;
    objects.set(ref, filled);
    notify(ref, filled, before);
    return filled;
  };
  const remove = (ref: ObjectRef, before: KubeObject | undefined): void => {
    if (before === undefined) return;
    objects.remove(ref);
    notify(ref, undefined, before);
    if (ref.type === resourceTypes.namespace) removeContent(ref.name);
  };
  const removeContent = (namespace: string): void => {
    for (const type of objects.types()) {
      for (const object of objects.list({ type, namespace })) {
        writes.push({ verb: "delete", ref: refOf(type, object) });
        remove(refOf(type, object), object);
      }
    }
  };

  return {
    writes,
    version: () => String(version),
    write: (ref, change) => {
      const before = objects.read(ref);
      const after = change(before);
      if (before !== undefined && isSameContent(before, after)) return before;
      const isStatusOnly = before !== undefined && isSameContent({ ...before, status: after["status"] }, after);
      if (!isStatusOnly) writes.push({ verb: before === undefined ? "create" : "update", ref });
      return put(ref, after, before);
    },
    delete: (ref) => {
      const before = objects.read(ref);
      if (before === undefined || before.metadata.deletionTimestamp !== undefined) return;
      writes.push({ verb: "delete", ref });
      const deletionTimestamp = new Date(nowMs()).toISOString();
      put(ref, { ...before, metadata: { ...before.metadata, deletionTimestamp } }, before);
    },
  };
}

function createSimulatedApi(objects: SimulatedObjects, writer: Writer, nowMs: () => number): KubeApi {
  const found = (ref: ObjectRef, verb: string): KubeObject => {
    const object = objects.read(ref);
    if (object === undefined) throw new AppError("E_KUBE_NOT_FOUND", `${verb} ${describeRef(ref)}: it is not there`);
    return object;
  };
  return {
    server: "the simulated hub",
    requestCounts: new Map(),
    get: (ref) => Promise.resolve(objects.read(ref)),
    list: (type, options = {}) =>
      Promise.resolve({ items: objects.list({ ...options, type }), resourceVersion: writer.version() }),
    create: async (object, { fieldManager }) => {
      const ref = refOfAny(object);
      if (objects.read(ref) !== undefined)
        throw new AppError("E_KUBE_EXISTS", `create ${describeRef(ref)}: it is there already`);
      return writer.write(ref, () => applyFields(undefined, object, { manager: fieldManager, operation: "Update" }));
    },
    apply: async (object, { fieldManager, subresource }) => {
      const ref = refOfAny(object);
      if (subresource === "status") found(ref, "apply status of");
      const part = subresource === undefined ? {} : { subresource };
      return writer.write(ref, (before) =>
        applyFields(before, object, { manager: fieldManager, operation: "Apply", ...part }),
      );
    },
    mergePatch: async (ref, patch) => {
      const before = found(ref, "patch");
      const { metadata = {}, ...rest } = patch;
      const { uid: _uid, resourceVersion: _version, ...changed } = isJsonObject(metadata) ? metadata : {};
      return writer.write(ref, () => mergeFields(before, { ...rest, metadata: changed }));
    },
    delete: async (ref) => writer.delete(ref),
    requestToken: async (request) => ({
      token: unsignedToken(request, (account) => objects.get(account)),
      expiresAt: new Date(nowMs() + request.expirationSeconds * 1000).toISOString(),
    }),
    update: () => unsupported("update"),
    watch: () => {
      throw new AppError("E_BUG", "watch: the simulated hub has caches only");
    },
    getRaw: () => unsupported("get a path"),
    close: () => Promise.resolve(),
  };
}

function unsupported(verb: string): Promise<never> {
  return Promise.reject(new AppError("E_BUG", `${verb}: the simulated hub does not do it`));
}

function refOfAny(object: KubeObject): ObjectRef {
  const type = resourceTypeOf(object);
  if (type === undefined) throw new AppError("E_BUG", `write ${object.kind}: it is no known kind`);
  return refOf(type, object);
}

function isSameContent(left: KubeObject, right: KubeObject): boolean {
  const content = ({ metadata: { managedFields: _, ...metadata }, ...rest }: KubeObject) => ({ ...rest, metadata });
  return isJsonEqual(content(left), content(right));
}

function generationOf(object: KubeObject, before: KubeObject | undefined): number {
  const generation = before?.metadata.generation ?? 0;
  return before !== undefined && isJsonEqual(before["spec"], object["spec"]) ? generation : generation + 1;
}
