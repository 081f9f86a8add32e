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

describe("a HorizontalPodAutoscaler by metrics of objects", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "m" },
                describedObject: { apiVersion: "v1", kind: "K", name: "n" },
                target: { type: "Value", value: "1" },
              },
            },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "m" },
                describedObject: { apiVersion: "v1", kind: "", name: "a/b" },
                target: { type: "Value", value: "1" },
              },
            },
          ],
        ],
      ],
      expected: [
        "spec.metrics[0].object.describedObject.kind: Required value",
        "spec.metrics[0].object.describedObject.name: Invalid value: \"a/b\": may not contain '/'",
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "m" },
                describedObject: { apiVersion: "a/b/c", kind: "K", name: "n" },
                target: { type: "Value", value: "1" },
              },
            },
          ],
        ],
      ],
      expected: [
        'spec.metrics[0].object.describedObject.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "m" },
                describedObject: { apiVersion: "v1", kind: "K", name: "n" },
                target: { type: "Value" },
              },
            },
          ],
        ],
      ],
      expected: [
        "spec.metrics[0].object.target.averageValue: Required value: must set either a target value or averageValue",
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "m" },
                describedObject: { apiVersion: "v1", kind: "K", name: "n" },
                target: { type: "Odd", value: "0" },
              },
            },
          ],
        ],
      ],
      expected: [
        'spec.metrics[0].object.target.type: Invalid value: "Odd": must be either Utilization, Value, or AverageValue',
        'spec.metrics[0].object.target.value: Invalid value: "0": must be positive',
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "m" },
                describedObject: { apiVersion: "v1", kind: "K", name: "n" },
                target: { type: "", averageValue: "-1" },
              },
            },
          ],
        ],
      ],
      expected: [
        "spec.metrics[0].object.target.type: Required value: must specify a metric target type",
        'spec.metrics[0].object.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
        'spec.metrics[0].object.target.averageValue: Invalid value: "-1": must be positive',
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "m" },
                describedObject: { apiVersion: "v1", kind: "K", name: "n" },
                target: { type: "Value", value: "1", averageValue: "1" },
              },
            },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "" },
                describedObject: { apiVersion: "v1", kind: "K", name: "n" },
                target: { type: "Value", value: "1" },
              },
            },
          ],
        ],
      ],
      expected: ["spec.metrics[0].object.metric.name: Required value: must specify a metric name"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "a/b" },
                describedObject: { apiVersion: "v1", kind: "K", name: "n" },
                target: { type: "Value", value: "1" },
              },
            },
          ],
        ],
      ],
      expected: ["spec.metrics[0].object.metric.name: Invalid value: \"a/b\": may not contain '/'"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Object",
              object: {
                metric: { name: "m" },
                describedObject: { apiVersion: "v1", kind: "K", name: "n" },
                target: { type: "Value", value: "1" },
              },
            },
          ],
        ],
        ["spec.minReplicas", 0],
      ],
      expected: ["spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "1" } } }],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        ["spec.metrics", [{ type: "External", external: { metric: { name: "m" }, target: { type: "Value" } } }]],
      ],
      expected: [
        "spec.metrics[0].external.target.averageValue: Required value: must set either a target value for metric or a per-pod target",
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "External",
              external: { metric: { name: "m" }, target: { type: "Value", value: "1", averageValue: "1" } },
            },
          ],
        ],
      ],
      expected: [
        "spec.metrics[0].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target",
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "External",
              external: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1" } },
            },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "External", external: { metric: { name: "" }, target: { type: "Value", value: "1" } } }],
        ],
      ],
      expected: ["spec.metrics[0].external.metric.name: Required value: must specify a metric name"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "1" } } }],
        ],
        ["spec.minReplicas", 0],
      ],
      expected: ["spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validateAutoscaler(changed(autoscaler, ...changes), undefined))).toEqual(expected);
  });
});
