import { AppError } from "../../core/errors.ts";
import { isJsonEqual, isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { KubeApi, KubeCache, KubeCacheOptions, TokenRequest } from "../../kube/kube.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../model/kubernetes.ts";
import { describeRef, refOf } from "../../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../model/resource-types.ts";
import { applyFields, mergeFields } from "./apply-fields.ts";

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
/** The uid of an object that is only planned begins with this. */
const plannedUid = "planned";
const tokenSecretType = "kubernetes.io/service-account-token";

interface Follower extends KubeCacheOptions {
  readonly type: ResourceType;
}

/**
 * A hub in memory that starts with these objects: what the controllers write to it stays here. It does what they depend on:
 * server-side apply with field owners, finalizers, tokens of accounts (without a signature), and namespaces that take what
 * is in them with them. It refuses nothing: admission is for a real hub. `base`: what stands under a name that is not among
 * the objects; no list and no cache has it. Default: nothing.
 */
export function createSimulatedHub(
  objects: Iterable<KubeObject>,
  nowMs: () => number,
  base: (ref: ObjectRef) => KubeObject | undefined = () => undefined,
): SimulatedHub {
  const held = new Map<string, KubeObject>();
  const deleted = new Set<string>();
  const byType = new Map<ResourceType, Set<string>>();
  const followers = new Set<Follower>();
  const writes: SimulatedWrite[] = [];
  let version = firstVersion;

  const read = (ref: ObjectRef): KubeObject | undefined => {
    const key = describeRef(ref);
    return held.get(key) ?? (deleted.has(key) ? undefined : base(ref));
  };
  const keysOf = (type: ResourceType): Set<string> => {
    const known = byType.get(type) ?? new Set<string>();
    byType.set(type, known);
    return known;
  };
  const tell = (ref: ObjectRef, object: KubeObject | undefined, before: KubeObject | undefined): void => {
    for (const follower of followers) {
      const isFollowed = [object, before].some((seen) => seen !== undefined && isMatch(follower, ref, seen));
      if (isFollowed) follower.onChange?.({ ref, object });
    }
  };
  const put = (ref: ObjectRef, object: KubeObject, before: KubeObject | undefined): KubeObject => {
    const key = describeRef(ref);
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
        uid: before?.metadata.uid ?? `${plannedUid}-${version}`,
        resourceVersion: String(version),
        generation: generationOf(object, before),
        creationTimestamp: before?.metadata.creationTimestamp ?? new Date(nowMs()).toISOString(),
      },
    };
    const filled = isTokenSecret(made) ? withToken(made, held) : made;
    held.set(key, filled);
    keysOf(ref.type).add(key);
    tell(ref, filled, before);
    return filled;
  };
  const remove = (ref: ObjectRef, before: KubeObject | undefined): void => {
    if (before === undefined) return;
    const key = describeRef(ref);
    held.delete(key);
    deleted.add(key);
    keysOf(ref.type).delete(key);
    tell(ref, undefined, before);
    if (ref.type === resourceTypes.namespace) removeContent(ref.name);
  };
  const removeContent = (namespace: string): void => {
    for (const [type, keys] of byType) {
      for (const object of [...keys].flatMap((key) => held.get(key) ?? [])) {
        if (object.metadata.namespace !== namespace) continue;
        writes.push({ verb: "delete", ref: refOf(type, object) });
        remove(refOf(type, object), object);
      }
    }
  };
  const write = (ref: ObjectRef, change: (before: KubeObject | undefined) => KubeObject): KubeObject => {
    const before = read(ref);
    const after = change(before);
    if (before !== undefined && isSameContent(before, after)) return before;
    const isStatusOnly = before !== undefined && isSameContent({ ...before, status: after["status"] }, after);
    if (!isStatusOnly) writes.push({ verb: before === undefined ? "create" : "update", ref });
    return put(ref, after, before);
  };
  const found = (ref: ObjectRef, verb: string): KubeObject => {
    const object = read(ref);
    if (object === undefined) throw new AppError("E_KUBE_NOT_FOUND", `${verb} ${describeRef(ref)}: it is not there`);
    return object;
  };
  const listOf = (type: ResourceType, options: Follower | Omit<KubeCacheOptions, "onChange">): KubeObject[] =>
    [...keysOf(type)]
      .flatMap((key) => held.get(key) ?? [])
      .filter((object) => isMatch({ ...options, type }, refOf(type, object), object));

  for (const object of objects) {
    const type = resourceTypeOf(object);
    if (type === undefined) continue;
    const key = describeRef(refOf(type, object));
    held.set(key, object);
    keysOf(type).add(key);
  }

  return {
    writes,
    has: (ref) => read(ref) !== undefined,
    startCache: (type, options) => {
      const follower = { ...options, type };
      // As from a real hub, the first list comes after the cache is made.
      const synced = Promise.resolve().then(() => {
        followers.add(follower);
        for (const object of listOf(type, follower)) options.onChange?.({ ref: refOf(type, object), object });
      });
      return {
        type,
        whenSynced: () => synced,
        isSynced: true,
        list: (namespace) => listOf(type, namespace === undefined ? follower : { ...follower, namespace }),
        get: (namespace, name) =>
          held.get(describeRef({ type, name, ...(namespace === undefined ? {} : { namespace }) })),
        failingSinceMs: undefined,
        stop: async () => {
          followers.delete(follower);
        },
      };
    },
    api: {
      server: "the simulated hub",
      requestCounts: new Map(),
      get: (ref) => Promise.resolve(read(ref)),
      list: (type, options = {}) => Promise.resolve({ items: listOf(type, options), resourceVersion: String(version) }),
      create: async (object, { fieldManager }) => {
        const ref = refOfAny(object);
        if (read(ref) !== undefined)
          throw new AppError("E_KUBE_EXISTS", `create ${describeRef(ref)}: it is there already`);
        return write(ref, () => applyFields(undefined, object, { manager: fieldManager, operation: "Update" }));
      },
      apply: async (object, { fieldManager, subresource }) => {
        const ref = refOfAny(object);
        if (subresource === "status") found(ref, "apply status of");
        const part = subresource === undefined ? {} : { subresource };
        return write(ref, (before) =>
          applyFields(before, object, { manager: fieldManager, operation: "Apply", ...part }),
        );
      },
      mergePatch: async (ref, patch) => {
        const before = found(ref, "patch");
        const { metadata = {}, ...rest } = patch;
        const { uid: _uid, resourceVersion: _version, ...changed } = isJsonObject(metadata) ? metadata : {};
        return write(ref, () => mergeFields(before, { ...rest, metadata: changed }));
      },
      delete: async (ref) => {
        const before = read(ref);
        if (before === undefined || before.metadata.deletionTimestamp !== undefined) return;
        writes.push({ verb: "delete", ref });
        const deletionTimestamp = new Date(nowMs()).toISOString();
        put(ref, { ...before, metadata: { ...before.metadata, deletionTimestamp } }, before);
      },
      requestToken: async (request) => ({
        token: unsignedToken(request, held),
        expiresAt: new Date(nowMs() + request.expirationSeconds * 1000).toISOString(),
      }),
      update: () => unsupported("update"),
      watch: () => {
        throw new AppError("E_BUG", "watch: the simulated hub has caches only");
      },
      getRaw: () => unsupported("get a path"),
      close: () => Promise.resolve(),
    },
  };
}

function unsupported(verb: string): Promise<never> {
  return Promise.reject(new AppError("E_BUG", `${verb}: the simulated hub does not do it`));
}

function isMatch({ type, namespace, labelSelector = "" }: Follower, ref: ObjectRef, object: KubeObject): boolean {
  if (ref.type !== type || (namespace !== undefined && ref.namespace !== namespace)) return false;
  if (labelSelector === "") return true;
  const [key = "", value] = labelSelector.split("=");
  const label = object.metadata.labels?.[key];
  return value === undefined ? label !== undefined : label === value;
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

function isTokenSecret(object: KubeObject): boolean {
  return object.kind === "Secret" && object["type"] === tokenSecretType && object["data"] === undefined;
}

/** What the API server's token controller does. */
function withToken(secret: KubeObject, held: ReadonlyMap<string, KubeObject>): KubeObject {
  const { namespace = "", annotations = {} } = secret.metadata;
  const account = annotations["kubernetes.io/service-account.name"] ?? "";
  const request = { namespace, serviceAccount: account, expirationSeconds: 0 };
  const token = Buffer.from(unsignedToken(request, held), "utf8").toString("base64");
  return { ...secret, data: { token, namespace: Buffer.from(namespace, "utf8").toString("base64") } };
}

/** Its claims name account and Secret, as those of a real one; nobody accepts it. */
function unsignedToken(
  { namespace, serviceAccount, boundSecret }: TokenRequest,
  held: ReadonlyMap<string, KubeObject>,
) {
  const account = held.get(describeRef({ type: resourceTypes.serviceAccount, namespace, name: serviceAccount }));
  const claims: JsonObject = {
    "kubernetes.io": {
      namespace,
      serviceaccount: { name: serviceAccount, uid: account?.metadata.uid },
      ...(boundSecret === undefined ? {} : { secret: { ...boundSecret } }),
    },
  };
  const encode = (part: JsonObject): string => Buffer.from(JSON.stringify(part), "utf8").toString("base64url");
  return `${encode({ alg: "none" })}.${encode(claims)}.`;
}
