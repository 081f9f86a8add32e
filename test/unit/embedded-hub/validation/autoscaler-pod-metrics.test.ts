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

describe("a HorizontalPodAutoscaler by metrics of Pods", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [["spec.metrics", [{ type: "" }]]],
      expected: [
        "spec.metrics[0].type: Required value: must specify a metric source type",
        'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ],
    },
    {
      changes: [["spec.metrics", [{ type: "Odd" }]]],
      expected: [
        'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ],
    },
    {
      changes: [["spec.metrics", [{ type: "Resource" }]]],
      expected: ["spec.metrics[0].resource: Required value: must populate information for the given metric source"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "Odd", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
        ],
      ],
      expected: [
        'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Resource",
              resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } },
              pods: { metric: { name: "p" }, target: { type: "AverageValue", averageValue: "1" } },
            },
          ],
        ],
      ],
      expected: ["spec.metrics[0].pods: Forbidden: must populate the given metric source only"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Pods",
              resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } },
              object: {
                metric: { name: "p" },
                describedObject: { kind: "K", name: "n" },
                target: { type: "Value", value: "1" },
              },
            },
          ],
        ],
      ],
      expected: [
        "spec.metrics[0].pods: Required value: must populate information for the given metric source",
        "spec.metrics[0].object: Forbidden: must populate the given metric source only",
        "spec.metrics[0].resource: Forbidden: must populate the given metric source only",
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "Pods", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } }],
        ],
      ],
      expected: ["spec.metrics[0].pods: Required value: must populate information for the given metric source"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1" } } }],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        ["spec.metrics", [{ type: "Pods", pods: { metric: { name: "m" }, target: { type: "Value", value: "1" } } }]],
      ],
      expected: [
        "spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target averageValue",
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "0" } } }],
        ],
      ],
      expected: ['spec.metrics[0].pods.target.averageValue: Invalid value: "0": must be positive'],
    },
    {
      changes: [["spec.metrics", [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } }]]],
      expected: [
        "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 0 } } }],
        ],
      ],
      expected: ["spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "Resource",
              resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1, averageValue: "1" } },
            },
          ],
        ],
      ],
      expected: [
        "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization",
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } }],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "Resource", resource: { name: "", target: { type: "AverageValue", averageValue: "1" } } }],
        ],
      ],
      expected: ["spec.metrics[0].resource.name: Required value: must specify a resource name"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [{ type: "Resource", resource: { name: "odd", target: { type: "AverageValue", averageValue: "1" } } }],
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
              type: "ContainerResource",
              containerResource: { name: "cpu", container: "web", target: { type: "AverageValue", averageValue: "1" } },
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
              type: "ContainerResource",
              containerResource: { name: "", container: "web", target: { type: "AverageValue", averageValue: "1" } },
            },
          ],
        ],
      ],
      expected: ["spec.metrics[0].containerResource.name: Required value: must specify a resource name"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "ContainerResource",
              containerResource: { name: "odd", container: "web", target: { type: "AverageValue", averageValue: "1" } },
            },
          ],
        ],
      ],
      expected: [
        'spec.metrics[0].containerResource.name: Invalid value: "odd": must be a standard resource type or fully qualified',
        'spec.metrics[0].containerResource.name: Invalid value: "odd": must be a standard resource for containers',
      ],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "ContainerResource",
              containerResource: { name: "cpu", container: "", target: { type: "AverageValue", averageValue: "1" } },
            },
          ],
        ],
      ],
      expected: ["spec.metrics[0].containerResource.container: Required value: must specify a container"],
    },
    {
      changes: [
        [
          "spec.metrics",
          [
            {
              type: "ContainerResource",
              containerResource: { name: "cpu", container: "A_", target: { type: "AverageValue", averageValue: "1" } },
            },
          ],
        ],
      ],
      expected: [
        "spec.metrics[0].containerResource.container: Invalid value: \"A_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validateAutoscaler(changed(autoscaler, ...changes), undefined))).toEqual(expected);
  });
});
