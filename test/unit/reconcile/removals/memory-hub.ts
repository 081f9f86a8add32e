import { AppError } from "../../../../src/core/errors.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { isJsonEqual, isJsonObject } from "../../../../src/core/json.ts";
import { textAt } from "../../../../src/core/read-json.ts";
import { HubView } from "../../../../src/hub/hub-view.ts";
import type { KubeApi, KubeCache } from "../../../../src/kube/kube.ts";
import { silentLog } from "../../../../src/core/log.ts";
import type { KubeObject, ResourceType } from "../../../../src/model/kubernetes.ts";
import { describeRef, refOf } from "../../../../src/model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../../src/model/well-known.ts";
import type { SeenRemoval } from "./fleet-files.ts";

/** What befalls one call that writes. `lost`: it takes effect, and its answer does not arrive. */
export type Fault = "kill-before" | "kill-after" | "refused" | "lost";

export interface MemoryHub {
  readonly api: KubeApi;
  objects(type: ResourceType): KubeObject[];
  put(object: KubeObject): void;
  remove(object: KubeObject): void;
  /** A view that holds what the hub holds now. */
  openView(): HubView;
  /** Called for each removal that a write makes. */
  onRemoval: (removal: SeenRemoval) => void;
  /** Called for each Cluster that is applied, by its name. */
  onApply: (name: string) => void;
  /** Asked for what befalls the next write. */
  faultOf: (isStatus: boolean) => Fault | undefined;
  /** Ends the process whose call is under way. */
  kill: () => void;
}

/** The part of an API server that a run needs, in memory: applied fields, merge patches, preconditions. */
export function createMemoryHub(): MemoryHub {
  const store = new Map<string, KubeObject>();
  let version = 0;
  const keyOf = (object: KubeObject): string => describeRef(refOf(typeOf(object), object));
  const save = (object: KubeObject): KubeObject => {
    version += 1;
    const { metadata } = object;
    const saved = {
      ...object,
      metadata: { ...metadata, uid: metadata.uid ?? `uid-${version}`, resourceVersion: `${version}` },
    };
    store.set(keyOf(saved), saved);
    return saved;
  };
  const write = async (isStatus: boolean, work: () => KubeObject): Promise<KubeObject> => {
    await Promise.resolve();
    const fault = hub.faultOf(isStatus);
    if (fault === "kill-before") hub.kill();
    if (fault === "refused") throw new AppError("E_KUBE_SERVER", "the server answers 500");
    const result = work();
    if (fault === "kill-after") hub.kill();
    if (fault === "lost") throw new AppError("E_KUBE_SERVER", "the answer is lost");
    return result;
  };
  const check = (live: KubeObject | undefined, { uid, resourceVersion }: Preconditions): void => {
    const isOther = uid !== undefined && uid !== live?.metadata.uid;
    const isChanged = resourceVersion !== undefined && resourceVersion !== live?.metadata.resourceVersion;
    if (isOther || (live !== undefined && isChanged)) throw new AppError("E_KUBE_CONFLICT", "the object has changed");
  };
  const reportRemovals = (live: KubeObject | undefined, wanted: KubeObject): void => {
    if (!live || typeOf(live) !== resourceTypes.cluster) return;
    const { name } = live.metadata;
    const to = textAt(wanted, "spec", "protocol") ?? "rollcall";
    if ((textAt(live, "spec", "protocol") ?? "rollcall") !== to) hub.onRemoval({ kind: "protocol", name, to });
    const isTierLost = live.metadata.labels?.["tier"] !== undefined && wanted.metadata.labels?.["tier"] === undefined;
    if (isTierLost) hub.onRemoval({ kind: "label", name });
  };
  const unused = (): never => {
    throw new Error("a run does not call this here");
  };
  const api: KubeApi = {
    server: "memory",
    get: (ref) => Promise.resolve(store.get(describeRef(ref))),
    list: unused,
    watch: unused,
    create: unused,
    update: unused,
    apply: (object, { fieldManager, subresource }) =>
      write(subresource === "status", () => {
        const live = store.get(keyOf(object));
        check(live, object.metadata);
        // A write of what is there changes no version.
        if (subresource === "status" && live && isJsonEqual(live["status"], object["status"])) return live;
        if (subresource === "status") return save({ ...(live ?? object), status: object["status"] });
        const { apiVersion, kind, metadata, ...rest } = object;
        const managed = {
          manager: fieldManager,
          operation: "Apply" as const,
          fieldsV1: fieldsOf({
            ...rest,
            metadata: { labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} },
          }),
        };
        const annotations = { ...live?.metadata.annotations, ...metadata.annotations };
        reportRemovals(live, object);
        if (typeOf(object) === resourceTypes.cluster) hub.onApply(metadata.name);
        return save({
          ...live,
          apiVersion,
          kind,
          ...rest,
          metadata: { ...live?.metadata, ...metadata, annotations, managedFields: [managed] },
        });
      }),
    mergePatch: (ref, patch) =>
      write(false, () => {
        const live = store.get(describeRef(ref));
        if (!live) throw new AppError("E_KUBE_NOT_FOUND", "there is no such object");
        const metadata = (patch["metadata"] ?? {}) as {
          annotations?: Record<string, string | null>;
          uid?: string;
          resourceVersion?: string;
        };
        check(live, {
          ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
          ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
        });
        const merged = Object.entries({ ...live.metadata.annotations, ...metadata.annotations });
        const annotations = Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
        const isNew = (key: string): boolean =>
          live.metadata.annotations?.[key] === undefined && annotations[key] !== undefined;
        if (isNew(annotationKeys.leave)) hub.onRemoval({ kind: "leave", name: live.metadata.name });
        if (isNew(annotationKeys.movedTo)) hub.onRemoval({ kind: "move", name: live.metadata.name });
        return save({ ...live, metadata: { ...live.metadata, annotations } });
      }),
    delete: unused,
    requestToken: unused,
    getRaw: unused,
    requestCounts: new Map(),
    close: () => Promise.resolve(),
  };
  const objects = (type: ResourceType): KubeObject[] =>
    [...store.values()].filter((object) => object.kind === type.kind && typeOf(object) === type);
  const startCache = (
    type: ResourceType,
    onChange?: (change: { ref: ReturnType<typeof refOf>; object: KubeObject }) => void,
  ): KubeCache => {
    const held = type === resourceTypes.namespace ? [workspace] : objects(type);
    queueMicrotask(() => {
      for (const object of held) onChange?.({ ref: refOf(type, object), object });
    });
    return {
      type,
      whenSynced: () => Promise.resolve(),
      isSynced: true,
      list: () => held,
      get: () => undefined,
      failingSinceMs: undefined,
      isAway: false,
      isStale: false,
      stop: () => Promise.resolve(),
    };
  };
  const hub: MemoryHub = {
    api,
    objects,
    put: (object) => void save(object),
    remove: (object) => void store.delete(keyOf(object)),
    openView: () =>
      new HubView({
        types: [resourceTypes.cluster],
        startCache: (type, { onChange }) => startCache(type, onChange),
        isAllowedWorkspace: () => true,
        log: silentLog,
      }),
    onRemoval: () => undefined,
    onApply: () => undefined,
    faultOf: () => undefined,
    kill: () => undefined,
  };
  return hub;
}

type Preconditions = Partial<Pick<KubeObject["metadata"], "uid" | "resourceVersion">>;

const workspace: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "fleet", uid: "n", resourceVersion: "1", labels: { [labelKeys.workspace]: "true" } },
};

function typeOf(object: KubeObject): ResourceType {
  const type = resourceTypeOf(object);
  if (!type) throw new Error(`no type of ${object.kind}`);
  return type;
}

function fieldsOf(value: unknown): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [`f:${key}`, fieldsOf(item)]));
}
