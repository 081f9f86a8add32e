import { describe, expect, it } from "vitest";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

function problems(...changes: readonly Change[]): string[] {
  return textsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true));
}

// The answers of kube-apiserver 1.34.4.

describe("amounts of huge pages, and of what a Pod itself takes", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [["overhead", { cpu: "-1" }]],
      expected: ['spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    },
    {
      changes: [["overhead", { odd: "1" }]],
      expected: [
        'spec.overhead.limits[odd]: Invalid value: "odd": must be a standard resource type or fully qualified',
        'spec.overhead.limits[odd]: Invalid value: "odd": must be a standard resource for containers',
      ],
    },
    { changes: [["overhead", { cpu: "1" }]], expected: [] },
    { changes: [["overhead", { "example.com/x": "1" }]], expected: [] },
    {
      changes: [["containers.0.resources", { limits: { "hugepages-2Mi": "1Mi", cpu: "1" } }]],
      expected: [
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "1Mi": 1Mi is not positive integer multiple of hugepages-2Mi',
      ],
    },
    { changes: [["containers.0.resources", { limits: { "hugepages-2Mi": "4Mi", cpu: "1" } }]], expected: [] },
    {
      changes: [["containers.0.resources", { limits: { "hugepages-odd": "4Mi", cpu: "1" } }]],
      expected: [
        'spec.containers[0].resources.limits[hugepages-odd]: Invalid value: "4Mi": 4Mi is not positive integer multiple of hugepages-odd',
      ],
    },
    {
      changes: [
        ["containers.0.resources", { limits: { "hugepages-2Mi": "4Mi", "hugepages-1Gi": "1Gi", memory: "1" } }],
      ],
      expected: [],
    },
    { changes: [["containers.0.resources", { limits: { "hugepages-2Mi": "0", cpu: "1" } }]], expected: [] },
    {
      changes: [["containers.0.resources", { limits: { "hugepages-0": "1", cpu: "1" } }]],
      expected: [
        'spec.containers[0].resources.limits[hugepages-0]: Invalid value: "1": 1 is not positive integer multiple of hugepages-0',
      ],
    },
    {
      changes: [["containers.0.resources", { limits: { "hugepages-100m": "1", cpu: "1" } }]],
      expected: [
        'spec.containers[0].resources.limits[hugepages-100m]: Invalid value: "1": 1 is not positive integer multiple of hugepages-100m',
      ],
    },
    {
      changes: [["containers.0.resources", { limits: { "hugepages--2": "4", cpu: "1" } }]],
      expected: [
        'spec.containers[0].resources.limits[hugepages--2]: Invalid value: "4": 4 is not positive integer multiple of hugepages--2',
      ],
    },
    {
      changes: [
        [
          "containers.0.resources",
          { limits: { "hugepages-2Mi": "3Mi", cpu: "1" }, requests: { "hugepages-2Mi": "3Mi" } },
        ],
      ],
      expected: [
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      ],
    },
    {
      changes: [["containers.0.resources", { limits: { "hugepages-2": "-4", cpu: "1" } }]],
      expected: [
        'spec.containers[0].resources.limits[hugepages-2]: Invalid value: "-4": must be greater than or equal to 0',
      ],
    },
    {
      changes: [["containers.0.resources", { limits: { "hugepages-2": "4500m", cpu: "1" } }]],
      expected: [
        'spec.containers[0].resources.limits[hugepages-2]: Invalid value: "4500m": 4500m is not positive integer multiple of hugepages-2',
      ],
    },
    {
      changes: [["overhead", { "hugepages-2Mi": "2Mi" }]],
      expected: ["spec.overhead: Forbidden: HugePages require cpu or memory"],
    },
    {
      changes: [["overhead", { "example.com/x": "1500m" }]],
      expected: ['spec.overhead.limits[example.com/x]: Invalid value: "1500m": must be an integer'],
    },
  ])("have $expected with $changes", ({ changes, expected }) => {
    expect(problems(...changes)).toEqual(expected);
  });
});
