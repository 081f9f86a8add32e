import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateFailurePolicy,
  validateSuccessPolicy,
} from "../../../../src/embedded-hub/validation/validate-job-policies.ts";
import { objectAt } from "../../../../src/core/read-json.ts";
import { changed, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const job: JsonObject = {
  spec: {
    completions: 5,
    parallelism: 1,
    completionMode: "Indexed",
    template: { spec: { restartPolicy: "Never", containers: [{ name: "web" }], initContainers: [{ name: "i" }] } },
  },
};

function problems(changes: readonly Change[]): string[] {
  const spec = objectAt(changed(job, ...changes), "spec") ?? {};
  const policy = objectAt(spec, "podFailurePolicy");
  const ofFailures = policy === undefined ? [] : validateFailurePolicy(spec, policy, "spec.podFailurePolicy.rules");
  return textsOf([...ofFailures, ...validateSuccessPolicy(spec, "spec.successPolicy")]);
}

// The answers of kube-apiserver 1.34.4.

describe("the rules by which a failed Pod fails its Job", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] }],
      ],
      expected: [],
    },
    {
      changes: [["spec.podFailurePolicy", { rules: [{}] }]],
      expected: [
        'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
      ],
    },
    {
      changes: [["spec.podFailurePolicy", { rules: [{ action: "", onExitCodes: { operator: "In", values: [1] } }] }]],
      expected: [
        'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
      ],
    },
    {
      changes: [["spec.podFailurePolicy", { rules: [{ action: "Odd", onExitCodes: { operator: "", values: [1] } }] }]],
      expected: [
        'spec.podFailurePolicy.rules[0].action: Unsupported value: "Odd": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
        'spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
      ],
    },
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "FailJob", onExitCodes: { operator: "Odd", values: [] } }] }],
      ],
      expected: [
        'spec.podFailurePolicy.rules[0].onExitCodes.operator: Unsupported value: "Odd": supported values: "In", "NotIn"',
        "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required",
      ],
    },
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [0] } }] }],
      ],
      expected: [
        "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
      ],
    },
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "FailJob", onExitCodes: { operator: "NotIn", values: [0] } }] }],
      ],
      expected: [],
    },
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [2, 1] } }] }],
      ],
      expected: ["spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered"],
    },
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1, 1] } }] }],
      ],
      expected: ["spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Duplicate value: 1"],
    },
    {
      changes: [
        [
          "spec.podFailurePolicy",
          { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1], containerName: "odd" } }] },
        ],
      ],
      expected: [
        'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "odd": must be one of the container or initContainer names in the pod template',
      ],
    },
    {
      changes: [
        [
          "spec.podFailurePolicy",
          { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1], containerName: "i" } }] },
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.podFailurePolicy",
          { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1], containerName: "web" } }] },
        ],
      ],
      expected: [],
    },
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }] }],
      ],
      expected: [
        'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      ],
    },
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }] }],
        ["spec.backoffLimitPerIndex", 1],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.podFailurePolicy",
          { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }] },
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.podFailurePolicy",
          { rules: [{ action: "Ignore", onPodConditions: [{ type: "a b", status: "True" }] }] },
        ],
      ],
      expected: [
        "spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
    {
      changes: [
        ["spec.podFailurePolicy", { rules: [{ action: "Ignore", onPodConditions: [{ type: "", status: "Odd" }] }] }],
      ],
      expected: [
        'spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: "": name part must be non-empty',
        "spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        'spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"',
      ],
    },
    {
      changes: [
        [
          "spec.podFailurePolicy",
          {
            rules: [
              {
                action: "Ignore",
                onExitCodes: { operator: "In", values: [1] },
                onPodConditions: [{ type: "a", status: "True" }],
              },
            ],
          },
        ],
      ],
      expected: [
        "spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
      ],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(problems(changes)).toEqual(expected);
  });
});

describe("the rules by which a Job has succeeded", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    ...[
      {
        successPolicy: { rules: [{ succeededIndexes: "<" }] },
        shown: String.raw`{"SucceededIndexes":"\u003c","SucceededCount":null}`,
      },
      { successPolicy: { rules: [{ succeededCount: 1 }] }, shown: '{"SucceededIndexes":null,"SucceededCount":1}' },
    ].map(({ successPolicy, shown }): { changes: readonly Change[]; expected: readonly string[] } => ({
      changes: [
        ["spec.completionMode", "NonIndexed"],
        ["spec.successPolicy", successPolicy],
      ],
      expected: [`spec.successPolicy: Invalid value: {"Rules":[${shown}]}: requires indexed completion mode`],
    })),
    {
      changes: [["spec.successPolicy", { rules: [] }]],
      expected: [
        "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified",
      ],
    },
    {
      changes: [["spec.successPolicy", { rules: [{}] }]],
      expected: [
        "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified",
      ],
    },
    { changes: [["spec.successPolicy", { rules: [{ succeededCount: 5 }] }]], expected: [] },
    {
      changes: [["spec.successPolicy", { rules: [{ succeededCount: 6 }] }]],
      expected: [
        "spec.successPolicy.rules[0].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)",
      ],
    },
    {
      changes: [["spec.successPolicy", { rules: [{ succeededCount: -1 }] }]],
      expected: ["spec.successPolicy.rules[0].succeededCount: Invalid value: -1: must be greater than or equal to 0"],
    },
    {
      changes: [
        [
          "spec.successPolicy",
          {
            rules: [
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
            ],
          },
        ],
      ],
      expected: [],
    },
    {
      changes: [
        [
          "spec.successPolicy",
          {
            rules: [
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
              { succeededCount: 1 },
            ],
          },
        ],
      ],
      expected: ["spec.successPolicy.rules: Too many: 21: must have at most 20 items"],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(problems(changes)).toEqual(expected);
  });
});
