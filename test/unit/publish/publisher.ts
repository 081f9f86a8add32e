import type { AppError } from "../../../src/core/errors.ts";
import type { KubeApi, KubeCache } from "../../../src/kube/kube.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { NamedKubeconfig } from "../../../src/publish/publish.ts";
import { publishCluster } from "../../../src/publish/publish.ts";
import { createAddressClaims } from "../../../src/publish/published-address.ts";
import type { PublishedIndex } from "../../../src/publish/published-index.ts";
import { createPublishedIndex } from "../../../src/publish/published-index.ts";
import type { ClusterAccess } from "../../../src/model/inline-kubeconfig.ts";

export const access = { server: "https://eu-1.example.com", proxyUrl: "http://proxy:3128" };
const { signal } = new AbortController();

export function clusterOf(namespace: string, name: string): Cluster {
  return { metadata: { namespace, name }, spec: { protocol: "rollcall" } } as Cluster;
}

export type Session = ReturnType<typeof openPublisher>;

/** A publisher for Argo CD on a list of Secrets. */
export function openPublisher(clusters: Cluster[]) {
  const secrets: KubeObject[] = [];
  const state: {
    kubeconfig: NamedKubeconfig | undefined;
    users: readonly string[];
    nowMs: number;
    access: ClusterAccess;
    refusal?: AppError;
    onApply?: () => void;
  } = {
    kubeconfig: { text: "kubeconfig", isClusterApis: false },
    users: [],
    access,
    nowMs: Date.parse("2027-01-01T00:00:00Z"),
  };
  const applied: KubeObject[] = [];
  const deleted: string[] = [];
  const statuses: KubeObject[] = [];
  const cache = {
    type: resourceTypes.secret,
    list: () => secrets,
    get: (namespace: string | undefined, name: string) =>
      secrets.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  } as unknown as KubeCache;
  const hubApi = {
    apply: (object: KubeObject, { subresource }: { readonly subresource?: string }) => {
      if (subresource === "status") {
        statuses.push(object);
        return Promise.resolve(object);
      }
      applied.push(object);
      state.onApply?.();
      const managedFields = [{ manager: "rollcall-hub", operation: "Apply" }];
      const at = secrets.findIndex(({ metadata }) => metadata.name === object.metadata.name);
      const made = { ...object, metadata: { ...object.metadata, managedFields } } as KubeObject;
      if (at < 0) secrets.push(made);
      else secrets[at] = made;
      return Promise.resolve(made);
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
    for (const object of objects) index.record({ ref: refOf(resourceTypes.secret, object), object });
    return index;
  };
  const context = {
    hubApi,
    targets: { clusterProfiles: false, argocd: "argocd" },
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
    publish: (workspace: string, name: string) => publishCluster(context, { workspace, name }, signal),
  };
}
