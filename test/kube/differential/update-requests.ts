import type { Request } from "./replay.ts";

const namespace = "/api/v1/namespaces/NS";
const maps = `${namespace}/configmaps`;
const things = "/apis/GROUP/v1/namespaces/NS/things";
const merge = "application/merge-patch+json";

function post(path: string, body: object): Request {
  return { method: "POST", path, body };
}

function patch(path: string, body: object, contentType = merge): Request {
  return { method: "PATCH", path, contentType, body };
}

const get = (path: string): Request => ({ method: "GET", path });

const slices = "/apis/discovery.k8s.io/v1/namespaces/NS/endpointslices";
const deployments = "/apis/apps/v1/namespaces/NS/deployments";
const spread = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };
const template = {
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "main", image: "none" }], topologySpreadConstraints: [spread] },
};
const slice = { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }], ports: [] };

/** Addresses of Pods, warnings of templates, families of slices. */
export const changedKindRequests: readonly Request[] = [
  post(`${namespace}/serviceaccounts`, { metadata: { name: "default" } }),
  post(`${namespace}/pods`, {
    metadata: { name: "a" },
    spec: { automountServiceAccountToken: false, schedulerName: "none", containers: [{ name: "main", image: "none" }] },
  }),
  ...[
    { podIPs: [{ ip: "192.0.2.1" }] },
    { podIP: "192.0.2.2" },
    { podIP: "192.0.2.3", podIPs: [{ ip: "192.0.2.3" }, { ip: "2001:db8::1" }] },
    { podIPs: [{ ip: "192.0.2.4" }] },
    { podIP: null, podIPs: null },
  ].map((status) => patch(`${namespace}/pods/a/status?fieldManager=kubelet`, { status })),
  patch(`${namespace}/pods/a`, { metadata: { labels: { a: "b" } }, spec: { priority: null, preemptionPolicy: null } }),
  post(deployments, {
    metadata: { name: "a" },
    spec: { replicas: 0, paused: true, selector: { matchLabels: { app: "a" } }, template },
  }),
  patch(`${deployments}/a?dryRun=All`, { metadata: { annotations: { note: "new" } } }),
  patch(`${deployments}/a?dryRun=All`, { metadata: { labels: { note: "new" } } }),
  post(slices, { metadata: { name: "a" }, ...slice }),
  patch(`${slices}/a`, { addressType: "IPv6" }),
  patch(`${slices}/a`, { addressType: "IPv6", endpoints: [{ addresses: ["192.0.2.2"] }] }),
  ...["192.0.2.01", "::ffff:192.0.2.1", "2001:DB8::1", "192.0.2.1"].flatMap((ip) =>
    ["addresses", "notReadyAddresses"].map((list) =>
      post(`${namespace}/endpoints?dryRun=All`, {
        metadata: { name: "b" },
        subsets: [{ [list]: [{ ip }], ports: [] }],
      }),
    ),
  ),
  post(`${slices}?dryRun=All`, {
    metadata: { name: "b" },
    addressType: "FQDN",
    endpoints: [{ addresses: ["a.example.org"] }],
  }),
  ...["IPv4", "IPv6"].flatMap((addressType) =>
    ["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "192.0.2.01", "127.0.0.1", "::1", "fe80::1", "::", "x", ""].map(
      (address) =>
        post(`${slices}?dryRun=All`, {
          metadata: { name: "b" },
          addressType,
          endpoints: [{ addresses: [address] }],
          ports: [],
        }),
    ),
  ),
].map((request) => (request.path.startsWith(`${deployments}/a`) ? { ...request, view: "owners" } : request));

const manager = { manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" };
const link = { metadata: { name: "linked", selfLink: "/x" } };
const secrets = `${namespace}/secrets`;
const apply = "application/apply-patch+yaml";

/** Fields that the server keeps, drops or reads in another way than it was sent. */
export const keptFieldRequests: readonly Request[] = [
  ...["1", "abc", "0"].map((resourceVersion) =>
    post(`${maps}?dryRun=All`, { metadata: { name: "a", resourceVersion } }),
  ),
  post(maps, link),
  patch(`${maps}/linked?dryRun=All`, { metadata: { selfLink: "/y" } }),
  patch(`${maps}/linked`, { metadata: { selfLink: "/y" } }),
  patch(`${maps}/linked`, { metadata: { selfLink: "/y" }, data: { a: "1" } }),
  get(`${maps}/linked`),
  post(things, { apiVersion: "GROUP/v1", kind: "Thing", ...link }),
  patch(`${things}/linked`, { metadata: { selfLink: "/y", labels: { a: "1" } } }),
  get(`${things}/linked`),
  ...[{}, { "x:other": {} }, { "f:data": { "f:a": {} } }].flatMap((fieldsV1, index) => [
    patch(`${maps}/linked`, { metadata: { managedFields: [{ ...manager, fieldsV1 }] }, data: { b: String(index) } }),
    get(`${maps}/linked`),
  ]),
  post(secrets, { metadata: { name: "a" }, data: { a: "YQ==" } }),
  post(secrets, { metadata: { name: "b" }, data: { a: null, b: "Yg==" } }),
  get(`${secrets}/b`),
  ...[{ name: "a" }, { name: "a", namespace: "NS" }].map((metadata) =>
    patch(
      `${secrets}/a?fieldManager=m&force=true`,
      { apiVersion: "v1", kind: "Secret", metadata, data: { a: "!" } },
      apply,
    ),
  ),
];

const rights = "/apis/rbac.authorization.k8s.io/v1";
const own = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "binder-NS" };
const references = [
  { kind: "Role", name: "absent" },
  { kind: "ClusterRole", name: "absent-NS" },
  { kind: "Other", name: "absent" },
  { kind: "Role", name: "" },
  { kind: "ClusterRole", name: "" },
];

/** Bindings to roles that do not exist, by a user who may write bindings and holds nothing else. */
export const roleReferenceRequests: readonly Request[] = [
  post(`${rights}/clusterroles`, {
    metadata: { name: "binder-NS" },
    rules: [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["*"], verbs: ["create"] }],
  }),
  post(`${rights}/clusterrolebindings`, {
    metadata: { name: "binder-NS" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "binder-NS" },
    subjects: [own],
  }),
  ...references.flatMap((reference) =>
    ["rolebindings", "clusterrolebindings"].map((plural): Request => {
      const place = plural === "rolebindings" ? `${rights}/namespaces/NS` : rights;
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", ...reference };
      return { ...post(`${place}/${plural}?dryRun=All`, { metadata: { name: "a-NS" }, roleRef }), user: "binder-NS" };
    }),
  ),
];
