import { describe, expect, it } from "vitest";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

// The answers of kube-apiserver 1.34.4.

const volumes: Change = [
  "volumes",
  [
    { name: "c", persistentVolumeClaim: { claimName: "c" } },
    { name: "d", persistentVolumeClaim: { claimName: "d" } },
    { name: "e", emptyDir: {} },
    {
      name: "g",
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
      },
    },
  ],
];

describe("the block devices of a container", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [
        [
          "containers.0.volumeDevices",
          [
            { name: "c", devicePath: "/c" },
            { name: "d", devicePath: "/d" },
            { name: "g", devicePath: "/g" },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [["containers.0.volumeDevices", [{ name: "", devicePath: "/c" }]]],
      expected: [
        "spec.containers[0].volumeDevices[0].name: Required value",
        'spec.containers[0].volumeDevices[0].name: Not found: ""',
      ],
    },
    {
      changes: [["containers.0.volumeDevices", [{ name: "c", devicePath: "" }]]],
      expected: ["spec.containers[0].volumeDevices[0].devicePath: Required value"],
    },
    {
      changes: [["containers.0.volumeDevices", [{ name: "e", devicePath: "/e" }]]],
      expected: [
        'spec.containers[0].volumeDevices[0].name: Invalid value: "e": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      ],
    },
    {
      changes: [["containers.0.volumeDevices", [{ name: "x", devicePath: "/x" }]]],
      expected: ['spec.containers[0].volumeDevices[0].name: Not found: "x"'],
    },
    {
      changes: [["containers.0.volumeDevices", [{ name: "c", devicePath: "/a/../b" }]]],
      expected: [
        "spec.containers[0].volumeDevices[0].devicePath: Invalid value: \"/a/../b\": can not contain backsteps ('..')",
      ],
    },
    {
      changes: [
        [
          "containers.0.volumeDevices",
          [
            { name: "c", devicePath: "/c" },
            { name: "c", devicePath: "/d" },
          ],
        ],
      ],
      expected: ['spec.containers[0].volumeDevices[1].name: Invalid value: "c": must be unique'],
    },
    {
      changes: [
        [
          "containers.0.volumeDevices",
          [
            { name: "c", devicePath: "/a/../b" },
            { name: "d", devicePath: "/a/../b" },
          ],
        ],
      ],
      expected: [
        "spec.containers[0].volumeDevices[0].devicePath: Invalid value: \"/a/../b\": can not contain backsteps ('..')",
        "spec.containers[0].volumeDevices[1].devicePath: Invalid value: \"/a/../b\": can not contain backsteps ('..')",
      ],
    },
    {
      changes: [
        ["containers.0.volumeDevices", [{ name: "c", devicePath: "/c" }]],
        ["containers.0.volumeMounts", [{ name: "c", mountPath: "/x" }]],
      ],
      expected: [
        'spec.containers[0].volumeMounts[0].name: Invalid value: "c": must not already exist in volumeDevices',
        'spec.containers[0].volumeDevices[0].name: Invalid value: "c": must not already exist in volumeMounts',
      ],
    },
    {
      changes: [
        ["containers.0.volumeDevices", [{ name: "c", devicePath: "/c" }]],
        ["containers.0.volumeMounts", [{ name: "d", mountPath: "/c" }]],
      ],
      expected: [
        'spec.containers[0].volumeMounts[0].mountPath: Invalid value: "/c": must not already exist as a path in volumeDevices',
        'spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/c": must not already exist as a path in volumeMounts',
      ],
    },
    {
      changes: [
        ["containers.0.volumeDevices", [{ name: "c", devicePath: "/c" }]],
        ["containers.0.volumeMounts", [{ name: "d", mountPath: "/d" }]],
      ],
      expected: [],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validatePodSpec(changed(podSpec, volumes, ...changes), "spec", true))).toEqual(expected);
  });
});
