import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { apiServiceColumns, controllerRevisionColumns } from "../../../../src/embedded-hub/table/group-columns.ts";

it.each<{ conditions: readonly JsonObject[]; available: string }>([
  { conditions: [], available: "Unknown" },
  { conditions: [{ type: "Other", status: "True" }], available: "Unknown" },
  { conditions: [{ type: "Available", status: "True", reason: "Local" }], available: "True" },
  { conditions: [{ type: "Available", status: "False", reason: "Down" }], available: "False (Down)" },
  { conditions: [{ type: "Available", status: "False" }], available: "False" },
])("an APIService with $conditions is available: $available", ({ conditions, available }) => {
  const service = { apiVersion: "v1", kind: "APIService", metadata: { name: "v1.a.io" }, status: { conditions } };
  expect(apiServiceColumns.slice(0, 3).map(({ cell }) => cell(service, 0))).toEqual(["v1.a.io", "Local", available]);
});

it.each<{ owners: readonly JsonObject[]; shown: string }>([
  { owners: [], shown: "<none>" },
  { owners: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "A" }], shown: "<none>" },
  {
    owners: [
      { apiVersion: "v1", kind: "Node", name: "n" },
      { apiVersion: "apps/v1", kind: "StatefulSet", name: "A", controller: true },
    ],
    shown: "statefulset.apps/A",
  },
  { owners: [{ apiVersion: "v1", kind: "Node", name: "n", controller: true }], shown: "node/n" },
])("a ControllerRevision with $owners is of $shown", ({ owners, shown }) => {
  const metadata = { name: "a", ownerReferences: owners.map((owner) => ({ uid: "u", ...owner })) };
  const one = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata,
    revision: 2n ** 62n,
  } as unknown as KubeObject;
  expect(controllerRevisionColumns.slice(0, 3).map(({ cell }) => cell(one, 0))).toEqual(["a", shown, 2n ** 62n]);
});

it("a ControllerRevision without a revision has the one of 0", () => {
  const one = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: { name: "a" } };
  expect(controllerRevisionColumns.slice(0, 3).map(({ cell }) => cell(one, 0))).toEqual(["a", "<none>", 0]);
});
