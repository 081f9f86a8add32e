import type { Request } from "./replay.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const name = "v7.NS";
const spec = { group: "NS", version: "v7", groupPriorityMinimum: 100, versionPriority: 10 };

function made(change: object, metadata: object = { name }): Request {
  const body = { metadata, spec: { ...spec, ...change } };
  return { method: "POST", path: `${services}?dryRun=All`, body };
}

function patched(body: object, place = "?dryRun=All"): Request {
  return { method: "PATCH", path: `${services}/${name}${place}`, contentType: "application/merge-patch+json", body };
}

const condition = { type: "Available", status: "False", reason: "Down" };

/** APIServices of versions that no other server serves: what is wrong with them, and what each half of them keeps. */
export const apiServiceRequests: readonly Request[] = [
  ...[
    {},
    { group: "" },
    { group: "A" },
    { version: "" },
    { version: "1" },
    { groupPriorityMinimum: 0 },
    { groupPriorityMinimum: 20_001 },
    { versionPriority: -1 },
    { versionPriority: 1001 },
    { caBundle: "" },
    { caBundle: "YQ==" },
    { insecureSkipTLSVerify: true },
  ].map((change) => made(change)),
  ...[{ name: "v8.NS" }, { name: "a/b" }, {}, { name, generateName: "v7." }, { name, finalizers: ["a"] }].map(
    (metadata) => made({}, metadata),
  ),
  made({ group: "", version: "v1" }, { name: "v1." }),
  {
    method: "POST",
    path: services,
    body: { metadata: { name, labels: { a: "b" } }, spec, status: { conditions: [] } },
  },
  { method: "POST", path: services, body: { metadata: { name }, spec } },
  { method: "GET", path: `${services}/${name}` },
  patched({ spec: { groupPriorityMinimum: 0 } }),
  patched({ spec: { version: "v8" } }),
  patched({ metadata: { labels: { a: "c" } }, spec: { versionPriority: 11 }, status: { conditions: null } }, ""),
  patched({ metadata: { labels: { a: "d" } }, spec: { version: "v8" } }, "/status?dryRun=All"),
  patched({ status: { conditions: [condition] } }, "/status?dryRun=All"),
  patched({ status: { conditions: [{ ...condition, status: "Odd" }, { type: "Other" }] } }, "/status?dryRun=All"),
  { method: "PUT", path: `${services}/${name}`, body: { metadata: { name }, spec } },
  {
    method: "PATCH",
    path: `${services}/${name}?fieldManager=a`,
    contentType: "application/apply-patch+yaml",
    body: {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name },
      spec: { versionPriority: 11 },
    },
  },
  { method: "DELETE", path: `${services}/${name}` },
];
