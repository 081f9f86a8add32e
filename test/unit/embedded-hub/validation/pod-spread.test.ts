import { describe, expect, it } from "vitest";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

function problems(...changes: readonly Change[]): string[] {
  return textsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true));
}

// The answers of kube-apiserver 1.34.4.

describe("rules of how Pods are spread", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [
        [
          "topologySpreadConstraints",
          [
            {
              maxSkew: 1,
              topologyKey: "a",
              whenUnsatisfiable: "DoNotSchedule",
              nodeAffinityPolicy: "Odd",
              nodeTaintsPolicy: "Odd",
            },
          ],
        ],
      ],
      expected: [
        'spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
        'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
      ],
    },
    {
      changes: [
        [
          "topologySpreadConstraints",
          [{ maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["a"] }],
        ],
      ],
      expected: [
        "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
      ],
    },
    {
      changes: [
        [
          "topologySpreadConstraints",
          [
            {
              maxSkew: 1,
              topologyKey: "a",
              whenUnsatisfiable: "DoNotSchedule",
              matchLabelKeys: ["a", "a b"],
              labelSelector: { matchLabels: { a: "b" } },
            },
          ],
        ],
      ],
      expected: [
        "spec.topologySpreadConstraints[0].matchLabelKeys[1]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
    {
      changes: [["topologySpreadConstraints", [{ maxSkew: 1, topologyKey: "a b", whenUnsatisfiable: "" }]]],
      expected: [
        'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
      ],
    },
    {
      changes: [
        [
          "topologySpreadConstraints",
          [
            { maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "DoNotSchedule" },
            { maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "DoNotSchedule" },
          ],
        ],
      ],
      expected: [
        'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{a, DoNotSchedule}"',
      ],
    },
    {
      changes: [
        [
          "topologySpreadConstraints",
          [
            {
              maxSkew: 1,
              topologyKey: "a",
              whenUnsatisfiable: "ScheduleAnyway",
              minDomains: 0,
              labelSelector: { matchExpressions: [{ key: "a", operator: "In", values: ["x y"] }] },
            },
          ],
        ],
      ],
      expected: [
        "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero",
        "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
        "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values[0]: Invalid value: \"x y\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    },
    {
      changes: [
        [
          "topologySpreadConstraints",
          [
            {
              maxSkew: 1,
              topologyKey: "t",
              whenUnsatisfiable: "DoNotSchedule",
              matchLabelKeys: ["a"],
              labelSelector: { matchLabels: { a: "b" } },
            },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "topologySpreadConstraints",
          [
            {
              maxSkew: 1,
              topologyKey: "t",
              whenUnsatisfiable: "DoNotSchedule",
              matchLabelKeys: ["a", "a"],
              labelSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
            },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "topologySpreadConstraints",
          [
            {
              maxSkew: 1,
              topologyKey: "t",
              whenUnsatisfiable: "DoNotSchedule",
              matchLabelKeys: ["a"],
              labelSelector: {},
            },
          ],
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "topologySpreadConstraints",
          [
            {
              maxSkew: 1,
              topologyKey: "t",
              whenUnsatisfiable: "DoNotSchedule",
              matchLabelKeys: ["a"],
              labelSelector: { matchLabels: { "a b": "b" } },
              nodeTaintsPolicy: "Odd",
              minDomains: 0,
            },
          ],
        ],
      ],
      expected: [
        "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero",
        'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
        "spec.topologySpreadConstraints[0].labelSelector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
  ])("have $expected with $changes", ({ changes, expected }) => {
    expect(problems(...changes)).toEqual(expected);
  });
});
