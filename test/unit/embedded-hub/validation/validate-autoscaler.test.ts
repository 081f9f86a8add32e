import { describe, expect, it } from "vitest";
import { validateAutoscaler } from "../../../../src/embedded-hub/validation/validate-autoscaler.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { changed, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const autoscaler: KubeObject = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "a" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
  },
};

// The answers of kube-apiserver 1.34.4.

describe("the target and the counts of a HorizontalPodAutoscaler", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    { changes: [], expected: [] },
    {
      changes: [["spec.minReplicas", 0]],
      expected: [
        "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
      ],
    },
    {
      changes: [["spec.minReplicas", -1]],
      expected: ["spec.minReplicas: Invalid value: -1: must be greater than or equal to 1"],
    },
    { changes: [["spec.minReplicas", 3]], expected: [] },
    {
      changes: [["spec.minReplicas", 4]],
      expected: ["spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"],
    },
    {
      changes: [["spec.maxReplicas", 0]],
      expected: [
        "spec.maxReplicas: Invalid value: 0: must be greater than 0",
        "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
      ],
    },
    { changes: [["spec.maxReplicas", 1]], expected: [] },
    {
      changes: [["spec.scaleTargetRef.apiVersion", ""]],
      expected: ['spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'],
    },
    {
      changes: [["spec.scaleTargetRef.apiVersion", "v1"]],
      expected: ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
    },
    { changes: [["spec.scaleTargetRef.apiVersion", "apps/v1"]], expected: [] },
    {
      changes: [["spec.scaleTargetRef.apiVersion", "/v1"]],
      expected: ['spec.scaleTargetRef.apiVersion: Invalid value: "/v1": apiVersion must specify API group'],
    },
    {
      changes: [["spec.scaleTargetRef.apiVersion", "a/b/c"]],
      expected: ['spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    },
    {
      changes: [
        ["spec.scaleTargetRef.apiVersion", "v1"],
        ["spec.scaleTargetRef.kind", "ReplicationController"],
      ],
      expected: [],
    },
    { changes: [["spec.scaleTargetRef.kind", ""]], expected: ["spec.scaleTargetRef.kind: Required value"] },
    {
      changes: [["spec.scaleTargetRef.kind", "a/b"]],
      expected: ["spec.scaleTargetRef.kind: Invalid value: \"a/b\": may not contain '/'"],
    },
    { changes: [["spec.scaleTargetRef.name", ""]], expected: ["spec.scaleTargetRef.name: Required value"] },
    {
      changes: [["spec.scaleTargetRef.name", ".."]],
      expected: ["spec.scaleTargetRef.name: Invalid value: \"..\": may not be '..'"],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validateAutoscaler(changed(autoscaler, ...changes), undefined))).toEqual(expected);
  });
});

describe("the behavior of a HorizontalPodAutoscaler", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [["spec.behavior", { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }] } }]],
      expected: [],
    },
    {
      changes: [
        [
          "spec.behavior",
          { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }], stabilizationWindowSeconds: -1 } },
        ],
      ],
      expected: [
        "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero",
      ],
    },
    {
      changes: [
        [
          "spec.behavior",
          { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }], stabilizationWindowSeconds: 0 } },
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.behavior",
          { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }], stabilizationWindowSeconds: 3600 } },
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.behavior",
          { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }], stabilizationWindowSeconds: 3601 } },
        ],
      ],
      expected: [
        "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
      ],
    },
    {
      changes: [
        [
          "spec.behavior",
          { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }], selectPolicy: "Odd" } },
        ],
      ],
      expected: [
        'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Odd": supported values: "Disabled", "Max", "Min"',
      ],
    },
    {
      changes: [
        [
          "spec.behavior",
          { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }], selectPolicy: "Disabled" } },
        ],
      ],
      expected: [],
    },
    {
      changes: [["spec.behavior", { scaleUp: { policies: [{ type: "Odd", value: 0, periodSeconds: 0 }] } }]],
      expected: [
        'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Odd": supported values: "Percent", "Pods"',
        "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
        "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
      ],
    },
    {
      changes: [["spec.behavior", { scaleUp: { policies: [{ type: "Percent", value: 1, periodSeconds: 1800 }] } }]],
      expected: [],
    },
    {
      changes: [
        [
          "spec.behavior",
          {
            scaleUp: {
              policies: [
                { type: "Pods", value: 1, periodSeconds: 1 },
                { type: "Pods", value: -1, periodSeconds: 1801 },
              ],
            },
          },
        ],
      ],
      expected: [
        "spec.behavior.scaleUp.policies[1].value: Invalid value: -1: must be greater than zero",
        "spec.behavior.scaleUp.policies[1].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
      ],
    },
    {
      changes: [
        [
          "spec.behavior",
          { scaleDown: { selectPolicy: "", policies: [{ type: "Pods", value: 1, periodSeconds: 1 }] } },
        ],
      ],
      expected: [
        'spec.behavior.scaleDown.selectPolicy: Unsupported value: "": supported values: "Disabled", "Max", "Min"',
      ],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validateAutoscaler(changed(autoscaler, ...changes), undefined))).toEqual(expected);
  });
});
