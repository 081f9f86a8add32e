import { describe, expect, it } from "vitest";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

function problems(...changes: readonly Change[]): string[] {
  return textsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true));
}

// The answers of kube-apiserver 1.34.4.

describe("mounts and systems of a Pod", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [["os", { name: "odd" }]],
      expected: ['spec.os: Unsupported value: "odd": supported values: "linux", "windows"'],
    },
    { changes: [["os", { name: "" }]], expected: ["spec.os.name: Required value"] },
    { changes: [["os", {}]], expected: ["spec.os.name: Required value"] },
    {
      changes: [["containers.0.volumeMounts", [{ name: "v", mountPath: "/v", recursiveReadOnly: "Enabled" }]]],
      expected: [
        'spec.containers[0].volumeMounts[0].name: Not found: "v"',
        "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
      ],
    },
    {
      changes: [
        ["containers.0.volumeMounts", [{ name: "v", mountPath: "/v", recursiveReadOnly: "Enabled" }]],
        ["volumes", [{ name: "v", emptyDir: {} }]],
      ],
      expected: [
        "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
      ],
    },
    {
      changes: [
        ["containers.0.volumeMounts", [{ name: "v", mountPath: "/v", recursiveReadOnly: "Odd" }]],
        ["volumes", [{ name: "v", emptyDir: {} }]],
      ],
      expected: [
        'spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: "Odd": supported values: "Disabled", "Enabled", "IfPossible"',
      ],
    },
    {
      changes: [
        ["containers.0.volumeMounts", [{ name: "v", mountPath: "/v", recursiveReadOnly: "Enabled", readOnly: true }]],
        ["volumes", [{ name: "v", emptyDir: {} }]],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "containers.0.volumeMounts",
          [
            {
              name: "v",
              mountPath: "/v",
              recursiveReadOnly: "Enabled",
              readOnly: true,
              mountPropagation: "HostToContainer",
            },
          ],
        ],
        ["volumes", [{ name: "v", emptyDir: {} }]],
      ],
      expected: [
        "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified",
      ],
    },
    {
      changes: [
        ["containers.0.volumeMounts", [{ name: "v", mountPath: "/v", recursiveReadOnly: "IfPossible" }]],
        ["volumes", [{ name: "v", emptyDir: {} }]],
      ],
      expected: [
        "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
      ],
    },
    {
      changes: [
        ["containers.0.volumeMounts", [{ name: "v", mountPath: "/v", recursiveReadOnly: "Disabled" }]],
        ["volumes", [{ name: "v", emptyDir: {} }]],
      ],
      expected: [],
    },
    {
      changes: [
        ["containers.0.volumeMounts", [{ name: "v", mountPath: "/v", recursiveReadOnly: "" }]],
        ["volumes", [{ name: "v", emptyDir: {} }]],
      ],
      expected: [
        'spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: "": supported values: "Disabled", "Enabled", "IfPossible"',
      ],
    },
    {
      changes: [
        [
          "containers.0.volumeMounts",
          [{ name: "v", mountPath: "/v", recursiveReadOnly: "Enabled", mountPropagation: "Bidirectional" }],
        ],
        ["volumes", [{ name: "v", emptyDir: {} }]],
      ],
      expected: [
        "spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
        "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
        "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified",
      ],
    },
  ])("have $expected with $changes", ({ changes, expected }) => {
    expect(problems(...changes)).toEqual(expected);
  });
});

describe("the search list of a Pod", () => {
  const part = `${"a".repeat(63)}.`;
  const name = (length: number) => part.repeat(4).slice(0, length);
  const searches = (...lengths: readonly number[]): Change => ["dnsConfig", { searches: lengths.map(name) }];
  const full = [251, 251, 251, 251, 251, 251, 251, 251];

  it("has at most 2,048 characters with the spaces between names", () => {
    expect(problems(searches(...full, 32))).toEqual([]);
    expect(problems(searches(...full, 33)).map((text) => text.slice(text.lastIndexOf(":")))).toEqual([
      ": must not have more than 2048 characters (including spaces) in the search list",
    ]);
  });

  it("has names of at most 253 characters", () => {
    expect(problems(searches(253))).toEqual([]);
    expect(problems(searches(254))).toEqual([
      `spec.dnsConfig.searches[0]: Invalid value: "${name(254)}": must be no more than 253 characters`,
    ]);
  });
});
