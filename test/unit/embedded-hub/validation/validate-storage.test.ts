import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateCsiNode } from "../../../../src/embedded-hub/validation/validate-storage.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

function made(kind: string, content: JsonObject): KubeObject {
  return { apiVersion: "storage.k8s.io/v1", kind, metadata: { name: "a" }, ...content };
}

describe("validateCsiNode", () => {
  const driver = { name: "a.io", nodeID: "a", topologyKeys: null };
  const node = (...drivers: readonly JsonObject[]): KubeObject => made("CSINode", { spec: { drivers } });
  const at = "spec.drivers[0]";

  it.each<{ drivers: readonly JsonObject[]; problems: readonly string[] }>([
    { drivers: [], problems: [] },
    { drivers: [driver, { ...driver, name: "b.io" }], problems: [] },
    { drivers: [driver, driver], problems: ["Duplicate spec.drivers[1].name"] },
    { drivers: [{ ...driver, name: "" }], problems: [`Required ${at}.name`, `Invalid ${at}.name`] },
    { drivers: [{ ...driver, name: "A.io" }], problems: [] },
    { drivers: [{ ...driver, name: "a".repeat(63) }], problems: [] },
    { drivers: [{ ...driver, name: `a.${"a".repeat(62)}` }], problems: [`TooLong ${at}.name`] },
    { drivers: [{ ...driver, nodeID: "" }], problems: [`Required ${at}.nodeID`] },
    { drivers: [{ ...driver, nodeID: "a".repeat(256) }], problems: [] },
    { drivers: [{ ...driver, nodeID: "a".repeat(257) }], problems: [`Invalid ${at}.nodeID`] },
    { drivers: [{ ...driver, allocatable: { count: 0 } }], problems: [] },
    { drivers: [{ ...driver, allocatable: { count: -1 } }], problems: [`Invalid ${at}.allocatable.count`] },
    { drivers: [{ ...driver, topologyKeys: ["a", "b"] }], problems: [] },
    { drivers: [{ ...driver, topologyKeys: ["a", "a"] }], problems: [`Duplicate ${at}`] },
    { drivers: [{ ...driver, topologyKeys: ["a b"] }], problems: [`Invalid ${at}`] },
  ])("finds $problems in $drivers", ({ drivers, problems }) => {
    expect(problemsOf(validateCsiNode(node(...drivers), undefined))).toEqual(problems);
  });

  it("keeps a driver as it is, and lets drivers come and leave", () => {
    const other = { ...driver, name: "b.io" };
    expect(validateCsiNode(node(other), node(driver))).toEqual([]);
    const changed = node({ ...driver, allocatable: { count: 1 } });
    expect(validateCsiNode(changed, node(driver)).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.drivers: Invalid value: {"Name":"a.io","NodeID":"a","TopologyKeys":null,"Allocatable":{"Count":1}}: ' +
        "field is immutable",
    ]);
  });
});
