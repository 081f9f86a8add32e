import { describe, expect, it } from "vitest";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

// The answers of kube-apiserver 1.34.4.

describe("the resource claims of a Pod", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    { changes: [["resourceClaims", [{ name: "a", resourceClaimName: "x" }]]], expected: [] },
    { changes: [["resourceClaims", [{ name: "a", resourceClaimTemplateName: "x" }]]], expected: [] },
    {
      changes: [["resourceClaims", [{ name: "a" }]]],
      expected: [
        'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      ],
    },
    {
      changes: [["resourceClaims", [{ name: "", resourceClaimName: "x" }]]],
      expected: ["spec.resourceClaims[0].name: Required value"],
    },
    {
      changes: [["resourceClaims", [{ name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" }]]],
      expected: [
        'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":"x","ResourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
      ],
    },
    {
      changes: [["resourceClaims", [{ name: "A_", resourceClaimName: "B_" }]]],
      expected: [
        "spec.resourceClaims[0].name: Invalid value: \"A_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        "spec.resourceClaims[0].resourceClaimName: Invalid value: \"B_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    {
      changes: [["resourceClaims", [{ name: "a", resourceClaimTemplateName: "" }]]],
      expected: [
        "spec.resourceClaims[0].resourceClaimTemplateName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    {
      changes: [
        ["resourceClaims", [{ name: "a", resourceClaimName: "x" }]],
        ["containers.0.resources", { claims: [{ name: "a" }] }],
      ],
      expected: [],
    },
    {
      changes: [
        ["resourceClaims", [{ name: "a", resourceClaimName: "x" }]],
        ["containers.0.resources", { claims: [{ name: "b" }] }],
      ],
      expected: [
        'spec.containers[0].resources.claims[0]: Not found: "b": must be one of the names in pod.spec.resourceClaims: a',
      ],
    },
    {
      changes: [["containers.0.resources", { claims: [{ name: "b" }] }]],
      expected: [
        'spec.containers[0].resources.claims[0]: Not found: "b": must be one of the names in pod.spec.resourceClaims which is empty',
      ],
    },
    {
      changes: [
        ["resourceClaims", [{ name: "a", resourceClaimName: "x" }]],
        ["containers.0.resources", { claims: [{ name: "" }] }],
      ],
      expected: ["spec.containers[0].resources.claims[0]: Required value"],
    },
    {
      changes: [
        ["resourceClaims", [{ name: "a", resourceClaimName: "x" }]],
        ["containers.0.resources", { claims: [{ name: "a", request: "r" }] }],
      ],
      expected: [],
    },
    {
      changes: [
        ["resourceClaims", [{ name: "a", resourceClaimName: "x" }]],
        ["containers.0.resources", { claims: [{ name: "a", request: "A_" }] }],
      ],
      expected: [
        "spec.containers[0].resources.claims[0].request: Invalid value: \"A_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
    {
      changes: [
        [
          "resourceClaims",
          [
            { name: "a", resourceClaimName: "x" },
            { name: "c", resourceClaimName: "x" },
            { name: "b", resourceClaimName: "x" },
          ],
        ],
        ["containers.0.resources", { claims: [{ name: "d" }] }],
      ],
      expected: [
        'spec.containers[0].resources.claims[0]: Not found: "d": must be one of the names in pod.spec.resourceClaims: a, b, c',
      ],
    },
    {
      changes: [
        ["resourceClaims", [{ name: "a", resourceClaimName: "x" }]],
        [
          "containers.0.resources",
          {
            claims: [
              { name: "a", request: "r" },
              { name: "a", request: "s" },
            ],
          },
        ],
      ],
      expected: [],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true))).toEqual(expected);
  });
});
