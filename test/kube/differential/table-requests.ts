import type { Request } from "./replay.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const readings = "/apis/GROUP/v1/namespaces/NS/readings";
const types = ["string", "integer", "number", "boolean", "date"];
const paths = [
  ".spec.value",
  ".spec.list[*].name",
  ".spec.list[1].name",
  ".spec.list[9].name",
  ".spec.list[?(@.name=='b')].value",
  ".spec.list[?(@.value)].name",
  ".spec.list[?(@.name!='a')].name",
  ".spec.list[-1:].name",
  ".spec.list[-2].name",
  ".spec.list[1:3].name",
  ".spec.list[:9].name",
  ".spec..name",
  ".spec.list",
  ".spec.absent",
  ".metadata.labels.a\\.b/c",
  ".metadata.creationTimestamp",
];
const values: readonly unknown[] = [
  "text",
  "",
  "2020-01-01T00:00:00Z",
  "not a date",
  7,
  1.5,
  1.0,
  -0.25,
  123456789,
  1732799324123456789,
  1234567.5,
  true,
  null,
  {},
  { b: "<&>", a: { d: 1, c: [null, true] } },
  [],
  ["x", { z: 1, y: 2 }],
];

const definition = {
  metadata: { name: "readings.GROUP" },
  spec: {
    group: "GROUP",
    scope: "Namespaced",
    names: { plural: "readings", kind: "Reading" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: types.flatMap((type) =>
          paths
            // Ages change while the hubs answer.
            .filter((path) => type !== "date" || !path.endsWith("creationTimestamp"))
            .map((jsonPath, index) => ({ name: `${type}-${index}`, type, jsonPath })),
        ),
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};

function reading(index: number, value: unknown): object {
  const list = [{ name: "a", value }, { name: "b", value }, { name: "b" }];
  return {
    apiVersion: "GROUP/v1",
    kind: "Reading",
    metadata: { name: `r${index}`, labels: { "a.b/c": "d" } },
    spec: { value, list },
  };
}

/** Values of every kind in columns of every type. */
export const tableRequests: readonly Request[] = [
  { method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body: definition },
  ...values.map((value, index): Request => ({ method: "POST", path: readings, body: reading(index, value) })),
  { method: "GET", path: readings, accept: table },
  { method: "GET", path: `${readings}?includeObject=None`, accept: table },
  { method: "GET", path: `${readings}?includeObject=Foo`, accept: table },
  { method: "GET", path: `${readings}/r0?includeObject=Foo`, accept: table },
  { method: "GET", path: "/api/v1/namespaces/NS/configmaps?includeObject=Foo", accept: table },
];
