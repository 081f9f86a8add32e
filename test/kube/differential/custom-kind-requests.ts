import type { Request } from "./replay.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const gadgets = "/apis/GROUP/v1/namespaces/NS/gadgets";
const maps = "/api/v1/namespaces/NS/configmaps";
const merge = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";

const definition = {
  metadata: { name: "gadgets.GROUP" },
  spec: {
    group: "GROUP",
    scope: "Namespaced",
    names: { plural: "gadgets", kind: "Gadget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { replicas: { type: "integer" }, note: { type: "string" } } },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

/** Duplicate fields behind fields that are unknown. */
function twice(name: string): string {
  return `{"apiVersion":"GROUP/v1","kind":"Gadget","metadata":{"name":"${name}","foo":1},"bar":1,"spec":{"note":"a","baz":1,"note":"b"}}`;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Verbs that paths of a custom kind do not have, and bodies with several faults. */
export const customKindRequests: readonly Request[] = [
  { method: "POST", path: crds, body: definition },
  {
    method: "POST",
    path: gadgets,
    body: { apiVersion: "GROUP/v1", kind: "Gadget", metadata: { name: "a" }, spec: {} },
  },
  ...["scale", "status"].flatMap((part) => [
    { method: "POST" as const, path: `${gadgets}/a/${part}`, body: {} },
    { method: "DELETE" as const, path: `${gadgets}/a/${part}` },
  ]),
  ...methods.map((method): Request => ({ method, path: `${gadgets}/a/none`, body: {}, contentType: merge })),
  ...["PUT", "PATCH"].map((method): Request => ({
    method: method === "PUT" ? "PUT" : "PATCH",
    path: gadgets,
    body: {},
    contentType: method === "PUT" ? "application/json" : merge,
  })),
  ...["Strict", "Warn", "Ignore"].flatMap((validation): Request[] => [
    { method: "POST", path: `${gadgets}?fieldValidation=${validation}`, body: twice(validation.toLowerCase()) },
    { method: "PUT", path: `${gadgets}/a?fieldValidation=${validation}`, body: twice("a") },
  ]),
  ...[maps, gadgets].map((path): Request => ({
    method: "PATCH",
    path: `${path}/${path === maps ? "kube-root-ca.crt" : "a"}`,
    body: Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "Gadget" })),
    contentType: jsonPatch,
  })),
];
