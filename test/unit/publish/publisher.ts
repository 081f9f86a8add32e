import type { JsonObject } from "../../../src/core/json.ts";
import type { AppError } from "../../../src/core/errors.ts";
import type { ApplyOptions, KubeApi, KubeCache } from "../../../src/kube/kube.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { NamedKubeconfig } from "../../../src/publish/publish.ts";
import type { PublishTargets } from "../../../src/publish/publish.ts";
import { publishCluster } from "../../../src/publish/publish.ts";
import { createAddressClaims } from "../../../src/publish/published-address.ts";
import type { PublishedIndex } from "../../../src/publish/published-index.ts";
import { createPublishedIndex } from "../../../src/publish/published-index.ts";
import type { ClusterAccess } from "../../../src/model/inline-kubeconfig.ts";

export const access = { server: "https://eu-1.example.com", proxyUrl: "http://proxy:3128" };
const { signal } = new AbortController();
const applyEntry = { manager: "rollcall-hub", operation: "Apply" } as const;

export function clusterOf(namespace: string, name: string): Cluster {
  return { metadata: { namespace, name }, spec: { protocol: "rollcall" } } as Cluster;
}

/** The FieldsV1 of what an apply wrote. Items of lists have a type or a name. */
function ownedOf(value: unknown): JsonObject {
  if (Array.isArray(value))
    return Object.fromEntries(
      value.map((item: Record<string, unknown>) => {
        const key = "type" in item ? "type" : "name";
        return [`k:${JSON.stringify({ [key]: item[key] })}`, { ".": {}, ...ownedOf(item) }];
      }),
    );
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [`f:${key}`, ownedOf(child)]));
}

function typeOf({ kind }: KubeObject): ResourceType {
  return kind === "ClusterProfile" ? resourceTypes.clusterProfile : resourceTypes.secret;
}

export type Session = ReturnType<typeof openPublisher>;

const argoCd: PublishTargets = { clusterProfiles: false, argocd: "argocd" };

/** A publisher, by default for Argo CD, on a list of Secrets and ClusterProfiles. */
export function openPublisher(clusters: Cluster[], targets = argoCd) {
  const secrets: KubeObject[] = [];
  const state: {
    kubeconfig: NamedKubeconfig | undefined;
    users: readonly string[];
    nowMs: number;
    access: ClusterAccess;
    refusal?: AppError;
    onApply?: (object: KubeObject) => void;
  } = {
    kubeconfig: { text: "kubeconfig", isClusterApis: false },
    users: [],
    access,
    nowMs: Date.parse("2027-01-01T00:00:00Z"),
  };
  const applied: KubeObject[] = [];
  const deleted: string[] = [];
  const statuses: KubeObject[] = [];
  /** Whether each write of an object may take fields of another program. */
  const forced: boolean[] = [];
  const cache = {
    type: resourceTypes.secret,
    list: () => secrets,
    get: (namespace: string | undefined, name: string) =>
      secrets.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  } as unknown as KubeCache;
  const hubApi = {
    apply: async (object: KubeObject, { subresource, isForced = false }: Partial<ApplyOptions>) => {
      if (subresource === "status") {
        statuses.push(object);
        const of = secrets.findIndex(
          ({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name,
        );
        const live = secrets[of];
        if (live === undefined) return object;
        const entry = { ...applyEntry, subresource, fieldsV1: ownedOf({ status: object["status"] }) };
        const managedFields = [...(live.metadata.managedFields ?? []).slice(0, 1), entry];
        secrets[of] = { ...live, metadata: { ...live.metadata, managedFields }, status: object["status"] };
        return object;
      }
      state.onApply?.(object);
      applied.push(object);
      forced.push(isForced);
      const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
      const { labels, annotations } = metadata;
      const fieldsV1 = ownedOf({
        ...rest,
        metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
      });
      const managedFields = [{ ...applyEntry, fieldsV1 }];
      const at = secrets.findIndex(({ metadata }) => metadata.name === object.metadata.name);
      const made = { ...object, metadata: { ...object.metadata, managedFields } } as KubeObject;
      if (at < 0) secrets.push(made);
      else secrets[at] = made;
      return made;
    },
    mergePatch: ({ name }: { readonly name: string }, { metadata }: KubeObject) => {
      const at = secrets.findIndex((secret) => secret.metadata.name === name);
      const before = secrets[at];
      if (before === undefined) throw new Error("no such Secret");
      const annotations = { ...before.metadata.annotations, ...metadata.annotations };
      secrets[at] = { ...before, metadata: { ...before.metadata, annotations } };
      return Promise.resolve(secrets[at]);
    },
    delete: ({ name }: { readonly name: string }) => {
      deleted.push(name);
      secrets.splice(
        secrets.findIndex(({ metadata }) => metadata.name === name),
        1,
      );
      return Promise.resolve();
    },
  } as unknown as KubeApi;
  const indexOf = (objects: readonly KubeObject[]): PublishedIndex => {
    const index = createPublishedIndex();
    for (const object of objects) index.record({ ref: refOf(typeOf(object), object), object });
    return index;
  };
  const context = {
    hubApi,
    targets,
    clusterOf: (workspace: string, name: string) =>
      clusters.find(({ metadata }) => metadata.namespace === workspace && metadata.name === name),
    kubeconfigOf: () => state.kubeconfig,
    readAccess: () => (state.refusal === undefined ? Promise.resolve(state.access) : Promise.reject(state.refusal)),
    published: [cache],
    publishedIndex: {
      of: (key: string) => indexOf(secrets).of(key),
      at: (server: string) => indexOf(secrets).at(server),
    },
    claims: createAddressClaims(),
    usersOf: () => Promise.resolve(state.users),
    removal: { timeoutMs: 60_000, unselects: false },
    nowMs: () => state.nowMs,
  };
  return {
    state,
    statuses,
    clusters,
    secrets,
    applied,
    deleted,
    forced,
    publish: (workspace: string, name: string) => publishCluster(context, { workspace, name }, signal),
  };
}
