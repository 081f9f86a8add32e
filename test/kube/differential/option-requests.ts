import type { Request } from "./replay.ts";

const maps = "/api/v1/namespaces/NS/configmaps";
const events = "/api/v1/namespaces/NS/events";
const newEvents = "/apis/events.k8s.io/v1/namespaces/NS/events";
const merge = "application/merge-patch+json";

function make(name: string): Request {
  return { method: "POST", path: maps, body: { metadata: { name } } };
}

const dryRuns =
  "dryRun= dryRun dryRun=&dryRun= dryRun=All&dryRun=All dryRun=all dryRun=All&dryRun=x dryRun=&dryRun=All";
const bodies: readonly unknown[] = [[], [""], ["All", "All"], ["All", ""], "All", null, [null], [1], { a: 1 }];

/** A dry run that is asked for in a wrong way. */
export const dryRunRequests: readonly Request[] = [
  ...dryRuns
    .split(" ")
    .flatMap((query, index): Request[] => [
      { method: "POST", path: `${maps}?${query}`, body: { metadata: { name: `new${index}` } } },
      make("a"),
      { method: "PUT", path: `${maps}/a?${query}`, body: { metadata: { name: "a" }, data: { a: "1" } } },
      { method: "PATCH", path: `${maps}/a?${query}`, contentType: merge, body: { data: { b: "2" } } },
      { method: "DELETE", path: `${maps}/a?${query}` },
      { method: "GET", path: `${maps}/a` },
    ]),
  ...bodies.flatMap((dryRun): Request[] => [
    make("b"),
    { method: "DELETE", path: `${maps}/b`, body: { apiVersion: "v1", kind: "DeleteOptions", dryRun } },
    { method: "GET", path: `${maps}/b` },
  ]),
  ...[{ gracePeriodSeconds: "1" }, { preconditions: [] }, { orphanDependents: "true" }].flatMap(
    (options): Request[] => [
      make("c"),
      { method: "DELETE", path: `${maps}/c`, body: { apiVersion: "v1", kind: "DeleteOptions", ...options } },
      { method: "GET", path: `${maps}/c` },
    ],
  ),
];

const finalizers: readonly (readonly string[])[] = [[], ["example.org/x"], ["foregroundDeletion"], ["orphan"]];

/** Deletes of Events, which own nothing. */
export const eventDeletes: readonly Request[] = [events, newEvents].flatMap((collection) =>
  ["Foreground", "Orphan", "Background", "x"].flatMap((policy) =>
    finalizers.flatMap((held, index): Request[] => {
      const name = `${policy.toLowerCase()}-${collection.length}-${index}`;
      const metadata = { name, finalizers: held };
      const involvedObject = { kind: "Pod", namespace: "NS", name: "x" };
      return [
        { method: "POST", path: events, body: { metadata, involvedObject, reason: "R", type: "Normal" } },
        { method: "DELETE", path: `${collection}/${name}?propagationPolicy=${policy}` },
        { method: "GET", path: `${events}/${name}` },
      ];
    }),
  ),
);

const things = "/apis/GROUP/v1/namespaces/NS/things";
const lists = [
  ..."limit=9223372036854775807 limit=9223372036854775808 limit=-9223372036854775808 limit=%2B0001".split(" "),
  ..."timeoutSeconds=00000000000000000000001 limit=-9223372036854775809 limit=".split(" "),
  ..."resourceVersion=99999999&resourceVersionMatch=Exact resourceVersion=99999999&limit=1".split(" "),
  ...["x in (", "x in (1", "x in (1,", "x in ()", "x in ((", "x in (=", "x in (,(", "x in 1"].map(selecting),
  ...["\0", "x=1,\0", "x\0", "x=1\0,y"].map(selecting),
];

function selecting(labelSelector: string): string {
  return new URLSearchParams({ labelSelector }).toString();
}

/** Lists, reads and writes with rare options. */
export const rareOptionRequests: readonly Request[] = [
  make("a"),
  { method: "POST", path: things, body: { apiVersion: "GROUP/v1", kind: "Thing", metadata: { name: "a" } } },
  ...lists.flatMap((query): Request[] => [
    { method: "GET", path: `${maps}?fieldSelector=metadata.name=a&${query}` },
    { method: "GET", path: `${maps}?fieldSelector=metadata.name!=kube-root-ca.crt&${query}` },
    { method: "GET", path: `${things}?${query}` },
  ]),
  ..."export=true export=false export= export export=1 export=0 export=x Export=true exact=true"
    .split(" ")
    .flatMap((query): Request[] => [
      { method: "GET", path: `${maps}/a?${query}` },
      { method: "GET", path: `${maps}/none?${query}` },
      { method: "GET", path: `${things}/a/status?${query}` },
      { method: "GET", path: `${things}?${query}` },
    ]),
];

const selectable = [
  ..."metadata.name metadata.namespace metadata.uid name type reason source status.phase status.replicas".split(" "),
  ..."spec.nodeName spec.hostNetwork status.podIP status.podIPs spec.unschedulable status.successful".split(" "),
  ..."spec.clusterIP spec.type involvedObject.kind regarding.kind reportingComponent spec.signerName".split(" "),
];
const namespaced = "/namespaces/NS";
const selectedKinds = [
  ..."/api/v1/namespaces /api/v1/nodes /apis/certificates.k8s.io/v1/certificatesigningrequests".split(" "),
  ...["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/apis/scheduling.k8s.io/v1/priorityclasses"],
  ..."pods secrets services events endpoints serviceaccounts".split(" ").map((name) => `/api/v1${namespaced}/${name}`),
  `/api/v1${namespaced}/replicationcontrollers`,
  ...["deployments", "replicasets"].map((name) => `/apis/apps/v1${namespaced}/${name}`),
  ...["jobs", "cronjobs"].map((name) => `/apis/batch/v1${namespaced}/${name}`),
  ...[
    newEvents,
    `/apis/coordination.k8s.io/v1${namespaced}/leases`,
    `/apis/policy/v1${namespaced}/poddisruptionbudgets`,
  ],
  ...[`/apis/networking.k8s.io/v1${namespaced}/ingresses`, things],
];

/** Lists that select by fields, those of each kind and those of others. */
export const fieldRequests: readonly Request[] = selectedKinds.flatMap((path) =>
  selectable.map((field): Request => ({ method: "GET", path: `${path}?fieldSelector=${field}%3Dnone` })),
);

const durations = "5 5x 5s5 5m3 s .s 1.s .5 -5 +5s 1h-2m 5ss 0 00 -0 9999999999999h 1e3s".split(" ");

/** Writes with times that they may take at most, most of which are none. */
export const timeoutRequests: readonly Request[] = durations.map((duration): Request => ({
  method: "GET",
  path: `${maps}?fieldSelector=metadata.name=none&timeout=${encodeURIComponent(duration)}`,
}));

/** Writes that are meant for an object that was there before. */
export const otherUidRequests: readonly Request[] = [
  { method: "POST", path: "/api/v1/namespaces/NS/endpoints", body: { metadata: { name: "a" } } },
  {
    method: "POST",
    path: "/apis/networking.k8s.io/v1/namespaces/NS/ingresses",
    body: { metadata: { name: "a" }, spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } } },
  },
  { method: "POST", path: things, body: { apiVersion: "GROUP/v1", kind: "Thing", metadata: { name: "a" } } },
  ...[
    "/api/v1/namespaces/NS",
    "/api/v1/namespaces/NS/configmaps/kube-root-ca.crt",
    "/api/v1/namespaces/NS/endpoints/a",
    "/api/v1/namespaces/default/services/kubernetes",
    "/apis/networking.k8s.io/v1/namespaces/NS/ingresses/a",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.GROUP",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/view",
    "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
  ].map((path): Request => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { method: "PUT", path, body: { metadata: { name, uid: "x" } } };
  }),
  {
    method: "PUT",
    path: `${things}/a`,
    body: { apiVersion: "GROUP/v1", kind: "Thing", metadata: { name: "a", uid: "x" } },
  },
];

const versions = [
  "0x1",
  "+5",
  "-1",
  "1_0",
  " 1",
  "1.0",
  "00",
  "0",
  "18446744073709551616",
  "abc",
  "99999999999999999999999",
];

/** Versions that are no numbers of 64 bits, in each place that takes one. */
export const versionTextRequests: readonly Request[] = [
  make("a"),
  ...versions.flatMap((version, index): Request[] => {
    const query = `resourceVersion=${encodeURIComponent(version)}`;
    const metadata = { name: "a", resourceVersion: version };
    return [
      { method: "GET", path: `${maps}/a?${query}` },
      { method: "GET", path: `${maps}?${query}&fieldSelector=metadata.name=a` },
      { method: "GET", path: `${maps}?${query}&limit=1&fieldSelector=metadata.name=a` },
      { method: "PUT", path: `${maps}/a`, body: { metadata } },
      { method: "PUT", path: `${maps}/absent`, body: { metadata: { ...metadata, name: "absent" } } },
      { method: "POST", path: maps, body: { metadata: { ...metadata, name: `new${index}` } } },
      { method: "PATCH", path: `${maps}/a`, contentType: merge, body: { metadata: { resourceVersion: version } } },
      { method: "DELETE", path: `${maps}/a?${query}` },
      make("a"),
    ];
  }),
];

const numbers = ["9223372036854775807", "9223372036854775808", "9999999999999999999", "007", "-1"];

/** Numbers of label selectors: those of 64 bits. */
export const numberSelectorRequests: readonly Request[] = numbers.map((number) => ({
  method: "GET",
  path: `${maps}?labelSelector=${encodeURIComponent(`a>${number}`)}`,
}));
