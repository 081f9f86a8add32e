import type { Request } from "./replay.ts";

const pods = "/api/v1/namespaces/NS/pods";

function pod(name: string, metadata: object = {}, spec: object = {}): Request {
  const body = {
    metadata: { name, finalizers: ["example.org/hold"], ...metadata },
    spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "none" }], ...spec },
  };
  return { method: "POST", path: pods, body };
}

function evict(name: string, deleteOptions?: object, metadata: object = { name }): Request {
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata,
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  };
  return { method: "POST", path: `${pods}/${name}/eviction`, body };
}

function evictIn(apiVersion: string, name: string, deleteOptions: object): Request {
  const { body, ...rest } = evict(name, deleteOptions);
  return { ...rest, body: { ...(typeof body === "object" ? body : {}), apiVersion } };
}

const get = (name: string): Request => ({ method: "GET", path: `${pods}/${name}` });

/** Evictions of Pods that wait for a node, with the options of a delete. */
export const evictionRequests: readonly Request[] = [
  { method: "POST", path: "/api/v1/namespaces/NS/serviceaccounts", body: { metadata: { name: "default" } } },
  pod("a"),
  evict("a", undefined, {}),
  evict("a", undefined, { name: "b" }),
  evict("a", { preconditions: { uid: "00000000-0000-0000-0000-000000000000", resourceVersion: "1" } }),
  evict("a", { preconditions: { resourceVersion: "1" } }),
  evict("a", { preconditions: { resourceVersion: "1" }, dryRun: ["All"] }),
  get("a"),
  evict("a", { gracePeriodSeconds: 5 }),
  get("a"),
  evict("a"),
  get("a"),
  pod("b"),
  evict("b", { propagationPolicy: "Sideways" }),
  get("b"),
  evict("absent"),
  pod("c"),
  evictIn("policy/v1beta1", "c", { dryRun: ["All"] }),
  evictIn("policy/v1beta1", "c", { gracePeriodSeconds: "5" }),
  evictIn("policy/v2", "c", {}),
  evictIn("policy/v1beta1", "c", {}),
  get("c"),
];

const mirror = { annotations: { "kubernetes.io/config.mirror": "a" } };

/** Debug containers of a Pod that mirrors a static one. */
export const mirrorRequests: readonly Request[] = [
  { method: "POST", path: "/api/v1/namespaces/NS/serviceaccounts", body: { metadata: { name: "default" } } },
  pod("static", mirror),
  pod("static", mirror, { nodeName: "none" }),
  pod("account", mirror, { nodeName: "none", serviceAccountName: "default" }),
  pod("secret", mirror, { nodeName: "none", volumes: [{ name: "a", secret: { secretName: "a" } }] }),
  pod("pull", mirror, { nodeName: "none", imagePullSecrets: [{ name: "a" }] }),
  {
    method: "PATCH",
    path: `${pods}/static`,
    contentType: "application/merge-patch+json",
    body: { metadata: { annotations: { "kubernetes.io/config.mirror": null } } },
  },
  {
    method: "PATCH",
    path: `${pods}/static/ephemeralcontainers`,
    contentType: "application/merge-patch+json",
    body: { spec: { ephemeralContainers: [{ name: "debug", image: "none", terminationMessagePolicy: "File" }] } },
  },
];
