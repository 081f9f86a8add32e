import type { Dispatcher } from "undici";

export interface AuditedRequest {
  readonly method?: Dispatcher.HttpMethod;
  readonly path: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** No credential but what the headers have. */
  readonly isStranger?: boolean;
}

/** None of it is a default of kube-apiserver. */
export const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [Panic]
rules:
- {level: None, users: ["system:apiserver"]}
- {level: None, userGroups: ["system:serviceaccounts", "system:nodes"]}
- {level: None, nonResourceURLs: ["/readyz*", "/livez"]}
- {level: Metadata, users: [admin], verbs: [create, patch], resources: [{group: "", resources: [namespaces]}]}
- {level: None, namespaces: [kube-system, kube-public, ""], verbs: [get, list, watch, create, update, patch]}
- {level: Metadata, verbs: [create, update, patch], resources: [{group: "", resources: [pods, namespaces]}, {group: apps}]}
- {level: Metadata, resources: [{group: "", resources: [secrets]}], omitStages: [RequestReceived]}
- {level: Metadata, resources: [{group: "", resources: [configmaps], resourceNames: [plain]}]}
- {level: Request, verbs: [patch], resources: [{group: "", resources: [configmaps]}]}
- {level: RequestResponse, omitManagedFields: true, resources: [{group: "", resources: ["configmaps", "serviceaccounts/*"]}]}
- {level: RequestResponse, resources: [{group: coordination.k8s.io}]}
- {level: Metadata, nonResourceURLs: ["/version", "/absent*", "/api"]}
`;

const maps = "/api/v1/namespaces/default/configmaps";
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const type = (contentType: string) => ({ "content-type": contentType });
const merge = type("application/merge-patch+json");
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };

const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
const levels = (labels: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(labels).map(([mode, level]) => [`pod-security.kubernetes.io/${mode}`, level]));

/** Pods beside namespaces with levels of Pod Security, which a namespace gets its account for. */
function podRequests(name: string, labels: Readonly<Record<string, string>>): readonly AuditedRequest[] {
  const spec = { containers: [{ name: "a", image: "none" }] };
  const risky = { hostNetwork: true, ...spec };
  const template = { metadata: { labels: { app: "a" } }, spec: risky };
  const deployment = { metadata: { name: "a" }, spec: { selector: { matchLabels: { app: "a" } }, template } };
  return [
    { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name, labels: levels(labels) } } },
    { method: "POST", path: pods(name), body: { metadata: { name: "plain" }, spec } },
    { method: "POST", path: pods(name), body: { metadata: { name: "risky" }, spec: risky } },
    { method: "POST", path: `/apis/apps/v1/namespaces/${name}/deployments?dryRun=All`, body: deployment },
  ];
}

export const requests: readonly AuditedRequest[] = [
  { method: "POST", path: maps, body: { metadata: { name: "a" }, data: { key: "value" } } },
  { method: "POST", path: maps, body: { metadata: { name: "a" } } },
  { method: "POST", path: maps, body: { metadata: { name: "Not a name" } } },
  { method: "POST", path: maps, body: "{" },
  { method: "POST", path: maps, body: { metadata: { generateName: "made-" } } },
  { method: "POST", path: `${maps}?dryRun=All`, body: "metadata: {name: b}\n", headers: type("application/yaml") },
  { path: `${maps}/a` },
  { path: `${maps}/a`, headers: table },
  { path: `${maps}/a`, headers: { accept: "application/vnd.kubernetes.protobuf" } },
  { path: `${maps}/a`, headers: { accept: "application/yaml" } },
  { path: `${maps}/absent` },
  { path: `${maps}/plain` },
  { method: "POST", path: maps, body: { metadata: { name: "plain" }, data: { key: "value" } } },
  { path: `${maps}?fieldSelector=metadata.name%3Da`, headers: { "x-forwarded-for": "10.0.0.1, x, 10.0.0.2" } },
  { path: `${maps}?labelSelector=none`, headers: { "audit-id": "chosen", "user-agent": "u".repeat(1100) } },
  { path: `${maps}?limit=x` },
  { method: "PUT", path: `${maps}/a`, body: { metadata: { name: "a", uid: "other" }, data: { key: "other" } } },
  { method: "PUT", path: `${maps}/a`, body: { metadata: { name: "a" }, data: { key: "other" } } },
  { method: "PATCH", path: `${maps}/a`, body: { data: { key: null } }, headers: merge },
  {
    method: "PATCH",
    path: `${maps}/applied?fieldManager=me`,
    // In YAML that is no JSON, kube-apiserver 1.34 loses the last event: it writes the patch into it as it is.
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { key: "value" } },
    headers: type("application/apply-patch+yaml"),
  },
  {
    method: "PATCH",
    path: `${maps}/a`,
    body: [{ op: "add", path: "/data", value: { other: "1" } }],
    headers: type("application/json-patch+json"),
  },
  { method: "DELETE", path: `${maps}/a`, body: { propagationPolicy: "Background" } },
  { method: "DELETE", path: `${maps}/a` },
  { method: "DELETE", path: `${maps}?labelSelector=none` },
  {
    method: "POST",
    path: "/api/v1/namespaces/default/secrets",
    body: { metadata: { name: "s" }, stringData: { a: "b" } },
  },
  { path: "/api/v1/namespaces/default/secrets/s" },
  { method: "POST", path: leases, body: { metadata: { name: "a" }, spec: { holderIdentity: "me" } } },
  { path: `${leases}/a` },
  { path: `${leases}/a/status` },
  { method: "DELETE", path: `${leases}/a` },
  { path: `${maps}/a`, headers: { "impersonate-user": "someone", "impersonate-group": "some" } },
  { path: `${maps}/absent`, headers: { "impersonate-user": "someone", "impersonate-group": "system:masters" } },
  { path: `${maps}/a`, isStranger: true },
  { path: `${maps}/a`, isStranger: true, headers: { authorization: "Bearer unknown" } },
  ...podRequests("audit-none", {}),
  ...podRequests("audit-baseline", { audit: "baseline" }),
  ...podRequests("audit-restricted", { enforce: "baseline", audit: "restricted", "audit-version": "v1.24" }),
  ...podRequests("audit-warn", { warn: "restricted" }),
  ...podRequests("audit-privileged", { enforce: "privileged", "enforce-version": "v1.20", audit: "privileged" }),
  { path: "/version" },
  { path: "/version", isStranger: true },
  { path: "/absent/path" },
  { path: "/absent", isStranger: true },
  { path: "/apis/absent.example.org/v1/namespaces/default/things" },
];
