import type { Request } from "./replay.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const merge = "application/merge-patch+json";
const text = { type: "string" };

interface Version {
  readonly name: string;
  readonly storage?: boolean;
  readonly properties?: object;
  readonly rest?: object;
}

function definition(plural: string, versions: readonly Version[], group = "GROUP", annotations: object = {}): Request {
  const kind = `${(plural[0] ?? "").toUpperCase()}${plural.slice(1, -1)}`;
  const body = {
    metadata: { name: `${plural}.${group}`, annotations },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: versions.map(({ name, storage = false, properties = {}, rest = {} }) => ({
        name,
        served: true,
        storage,
        schema: { openAPIV3Schema: { type: "object", properties } },
        ...rest,
      })),
    },
  };
  return { method: "POST", path: crds, body };
}

const spec = (properties: object): object => ({ spec: { type: "object", properties } });
const status = {
  type: "object",
  default: { phase: "New" },
  properties: { phase: text, count: { type: "integer", default: 3 } },
};

function collection(plural: string, version = "v1"): string {
  return `/apis/GROUP/${version}/namespaces/NS/${plural}`;
}

function object(kind: string, version: string, rest: object): object {
  return { apiVersion: `GROUP/${version}`, kind, metadata: { name: "a" }, ...rest };
}

/** What a definition declares for status, and whether its default is in all answers. */
export const statusRequests: readonly Request[] = [
  definition("states", [
    { name: "v1", storage: true, properties: { ...spec({ a: text }), status }, rest: { subresources: { status: {} } } },
  ]),
  { method: "POST", path: collection("states"), body: object("State", "v1", { status: { phase: "Sent" } }) },
  { method: "GET", path: `${collection("states")}/a` },
  { method: "PATCH", path: `${collection("states")}/a/status`, body: { status: { phase: "Set" } }, contentType: merge },
  { method: "PATCH", path: `${collection("states")}/a`, body: { status: { phase: "No" } }, contentType: merge },
  {
    method: "PATCH",
    path: `${collection("states")}/b?fieldManager=m`,
    body: { ...object("State", "v1", { spec: { a: "x" } }), metadata: { name: "b" } },
    contentType: "application/apply-patch+yaml",
  },
];

/** Fields that only one version knows, in both directions of a storage version that moves. */
export const versionRequests: readonly Request[] = [
  definition("twins", [
    { name: "v1", storage: true, properties: spec({ a: text, d: { ...text, default: "one" } }) },
    { name: "v2", properties: spec({ a: text, b: text, c: { ...text, default: "two" } }) },
    { name: "v1beta1", properties: { spec: { type: "object" } }, rest: { deprecated: true } },
    { name: "v1alpha1", rest: { deprecated: true, deprecationWarning: "its own words" } },
  ]),
  { method: "POST", path: collection("twins", "v2"), body: object("Twin", "v2", { spec: { a: "1", b: "2" } }) },
  ...["v1", "v2", "v1beta1", "v1alpha1"].map((version) => ({
    method: "GET" as const,
    path: `${collection("twins", version)}/a`,
  })),
  { method: "GET", path: collection("twins", "v2") },
  { method: "PATCH", path: `${collection("twins", "v2")}/a`, body: { spec: { b: "5" } }, contentType: merge },
  { method: "PATCH", path: `${collection("twins", "v2")}/a`, body: { spec: { a: "5" } }, contentType: merge },
  { method: "GET", path: `${collection("twins")}/a` },
];

/** Warnings for finalizers and formats. */
export const warningRequests: readonly Request[] = [
  definition("warnings", [
    {
      name: "v1",
      storage: true,
      properties: spec({
        a: { type: "string", format: "strange" },
        b: { type: "string", format: "date-time" },
        c: { type: "integer", format: "strange-too" },
        d: { "x-kubernetes-int-or-string": true },
        e: { type: "array", items: { type: "string", format: "strange" } },
      }),
    },
  ]),
  { method: "PATCH", path: `${crds}/warnings.GROUP`, body: { metadata: { labels: { a: "b" } } }, contentType: merge },
  ...[["short"], ["short", "short"], ["example.org/long"], ["orphan"], ["kubernetes", "other"]].map(
    (finalizers, index): Request => ({
      method: "POST",
      path: collection("warnings"),
      body: { ...object("Warning", "v1", {}), metadata: { name: `f${index}`, finalizers } },
    }),
  ),
  {
    method: "PATCH",
    path: `${collection("warnings")}/f0`,
    body: { metadata: { finalizers: ["short", "more"] } },
    contentType: merge,
  },
  {
    method: "PATCH",
    path: `${collection("warnings")}/f0`,
    body: { metadata: { labels: { a: "b" } } },
    contentType: merge,
  },
  { method: "PATCH", path: `${collection("warnings")}/f0`, body: { metadata: { finalizers: [] } }, contentType: merge },
];

const approvals = [
  "",
  "mailto:a@example.org",
  "https:a",
  "http://",
  "/a",
  "file:///a",
  "a://b",
  "https://example.org/a b",
];

/** Approvals of an API in a group of Kubernetes: what counts as a URL. */
export const approvalRequests: readonly Request[] = approvals.map((approval, index) => {
  const annotations = { "api-approved.kubernetes.io": approval };
  const request = definition(`things${index}s`, [{ name: "v1", storage: true }], "approvals.k8s.io", annotations);
  return { ...request, path: `${request.path}?dryRun=All` };
});
