import { describe, expect, it } from "vitest";
import { forgetUnreadFields } from "../../../src/hub/forget-unread-fields.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { apiVersionOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const { cluster, fleetBundleDeployment, work } = resourceTypes;

const objectOf = (type: ResourceType, parts: object): KubeObject => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  metadata: { name: "app", finalizers: ["example.com/stay"] },
  ...parts,
});
const conditions = [{ type: "Applied", status: "True" }];

describe("forgetUnreadFields", () => {
  it.each([
    [
      work,
      { spec: { workload: { manifests: [{ a: 1 }] } }, status: { conditions, manifestConditions: [{ deep: [[[]]] }] } },
      { spec: {}, status: { conditions } },
    ],
    [
      fleetBundleDeployment,
      {
        spec: { deploymentID: "s-1:2", options: { helm: {} }, stagedOptions: {}, helmChartOptions: {}, dependsOn: [] },
        status: { ready: true, conditions, resources: [{ any: { thing: 1 } }] },
      },
      { spec: { deploymentID: "s-1:2" }, status: { ready: true, conditions } },
    ],
    [work, {}, {}],
    [
      cluster,
      { spec: { workload: 1 }, status: { resources: {} } },
      { spec: { workload: 1 }, status: { resources: {} } },
    ],
  ])("A166 of a $kind holds what is read of it", (type, parts, held) => {
    const object = objectOf(type, structuredClone(parts));
    forgetUnreadFields(type, object);
    expect(object).toEqual(objectOf(type, held));
  });
});
