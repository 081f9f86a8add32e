import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePod } from "../../../../src/embedded-hub/validation/validate-pod.ts";
import { changed, pod } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const gates = (...names: string[]): Change => ["spec.schedulingGates", names.map((name) => ({ name }))];
const nodes = (nodeSelector: JsonObject | undefined): Change => ["spec.nodeSelector", nodeSelector];
const expression = (key: string): JsonObject => ({ key, operator: "Exists" });
const terms = (...nodeSelectorTerms: JsonObject[]): Change => [
  "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
  { nodeSelectorTerms },
];
const matching = (...keys: string[]): JsonObject => ({ matchExpressions: keys.map(expression) });
const preferred: Change = [
  "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
  [{ weight: 1, preference: matching("p") }],
];
const apart: Change = [
  "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
  [{ topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "a" } } }],
];
const none: Change = ["spec.affinity", undefined];

function textsOf(before: readonly Change[], after: readonly Change[]): string[] {
  const old = changed(pod, ...before);
  return validatePod(changed(old, ...after), old).map(({ field, message }) => `${field}: ${message}`);
}

const onlyAdditions = "only additions are allowed (no mutations or deletions)";
const termsField = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
const fixed = expect.stringMatching(/^spec: Forbidden: pod updates may not change fields other than /u) as string;

describe("the gates of a Pod", () => {
  it("can be taken away, one or all", () => {
    expect(textsOf([gates("a.io/x", "a.io/y")], [gates("a.io/y")])).toEqual([]);
    expect(textsOf([gates("a.io/x")], [["spec.schedulingGates", undefined]])).toEqual([]);
  });

  it("cannot be added after the Pod was made", () => {
    const text = (at: number, name: string) =>
      `spec.schedulingGates[${at}].name: Forbidden: only deletion is allowed, but found new scheduling gate '${name}'`;
    expect(textsOf([gates("a.io/x")], [gates("a.io/x", "a.io/y")])).toEqual([text(1, "a.io/y")]);
    expect(textsOf([], [gates("a.io/y")])).toEqual([text(0, "a.io/y")]);
  });
});

describe("the nodes of a Pod that is gated", () => {
  const gated = gates("a.io/x");

  it.each<{ reason: string; before: readonly Change[]; after: readonly Change[]; expected: readonly string[] }>([
    { reason: "a selector", before: [], after: [nodes({ a: "b" })], expected: [] },
    { reason: "one more label", before: [nodes({ a: "b" })], after: [nodes({ a: "b", c: "d" })], expected: [] },
    { reason: "affinity", before: [], after: [terms(matching("a"))], expected: [] },
    { reason: "terms beside a preference", before: [preferred], after: [terms(matching("a"))], expected: [] },
    { reason: "another preference", before: [terms(matching("a"))], after: [preferred], expected: [] },
    { reason: "one more expression", before: [terms(matching("a"))], after: [terms(matching("a", "b"))], expected: [] },
    {
      reason: "another value of a label",
      before: [nodes({ a: "b" })],
      after: [nodes({ a: "z", c: "d" })],
      expected: [
        'spec.nodeSelector: Invalid value: {"a":"z","c":"d"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    },
    {
      reason: "a label less",
      before: [nodes({ a: "b", c: "d" })],
      after: [nodes({ a: "b" })],
      expected: [
        'spec.nodeSelector: Invalid value: {"a":"b"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    },
    {
      reason: "another expression",
      before: [terms(matching("a"))],
      after: [terms(matching("b"))],
      expected: [
        `${termsField}[0]: Invalid value: {"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}: ${onlyAdditions}`,
      ],
    },
    {
      reason: "an expression less",
      before: [terms(matching("a", "b"))],
      after: [terms(matching("a"))],
      expected: [
        `${termsField}[0]: Invalid value: {"MatchExpressions":[{"Key":"a","Operator":"Exists","Values":null}],"MatchFields":null}: ${onlyAdditions}`,
      ],
    },
    {
      reason: "one more term, which would match more nodes",
      before: [terms(matching("a"))],
      after: [terms(matching("a"), matching("b"))],
      expected: [
        expect.stringMatching(
          /nodeSelectorTerms: Invalid value: .*: no additions\/deletions to non-empty NodeSelectorTerms list are allowed$/u,
        ) as string,
      ],
    },
    {
      reason: "no affinity any more",
      before: [terms(matching("a"))],
      after: [none],
      expected: [
        `${termsField}: Invalid value: []: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
      ],
    },
    { reason: "distance from other Pods", before: [], after: [apart], expected: [fixed] },
    { reason: "distance beside affinity", before: [terms(matching("a"))], after: [apart], expected: [fixed] },
  ])("may or may not get $reason", ({ before, after, expected }) => {
    expect(textsOf([gated, ...before], after)).toEqual(expected);
  });

  it("stay as they are once it is not gated any more", () => {
    expect(textsOf([], [nodes({ a: "b" })])).toEqual([fixed]);
    expect(textsOf([], [terms(matching("a"))])).toEqual([fixed]);
  });
});
