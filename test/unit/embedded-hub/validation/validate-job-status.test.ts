import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateJobStatus } from "../../../../src/embedded-hub/validation/validate-job-status.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { textsOf } from "./validation-builders.ts";

interface Case {
  readonly spec?: JsonObject;
  /** The status before; default: none. */
  readonly from?: JsonObject;
  readonly to: JsonObject;
  readonly expected: readonly string[];
}

function problems({ spec = {}, from = {}, to }: Omit<Case, "expected">): string[] {
  const job = (status: JsonObject): KubeObject => {
    return { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a" }, spec, status };
  };
  return textsOf(validateJobStatus(job(to), job(from)));
}

const has = (...types: readonly string[]): JsonObject => ({
  conditions: types.map((type) => ({ type, status: "True" })),
});
const start = { startTime: "2026-01-01T00:00:00Z" };
const ended = { completionTime: "2026-01-01T00:01:00Z" };
const complete = { ...has("Complete", "SuccessCriteriaMet"), ...start, ...ended };
const failed = { ...has("Failed", "FailureTarget"), ...start };
const conditions = (text: string) => `status.conditions: Invalid value: ${text}`;

describe("counts of a Job", () => {
  it.each<Case>([
    { to: { active: 0, succeeded: 0, failed: 0, ready: 0, terminating: 0 }, expected: [] },
    {
      to: { active: -1, ready: -1, terminating: -1 },
      expected: [
        "status.active: Invalid value: -1: must be greater than or equal to 0",
        "status.ready: Invalid value: -1: must be greater than or equal to 0",
        "status.terminating: Invalid value: -1: must be greater than or equal to 0",
      ],
    },
    {
      to: { succeeded: -1, failed: -1 },
      expected: [
        "status.succeeded: Invalid value: -1: must be greater than or equal to 0",
        "status.failed: Invalid value: -1: must be greater than or equal to 0",
        "status.failed: Invalid value: -1: cannot decrease the failed counter",
        "status.succeeded: Invalid value: -1: cannot decrease the succeeded counter",
      ],
    },
    { from: { failed: 2, succeeded: 2 }, to: { failed: 2, succeeded: 2 }, expected: [] },
    {
      from: { failed: 2, succeeded: 2 },
      to: { failed: 1 },
      expected: [
        "status.failed: Invalid value: 1: cannot decrease the failed counter",
        "status.succeeded: Invalid value: 0: cannot decrease the succeeded counter",
      ],
    },
    {
      spec: { completionMode: "Indexed", completions: 2, parallelism: 2 },
      from: { succeeded: 2 },
      to: { succeeded: 1 },
      expected: [],
    },
    {
      spec: { completionMode: "Indexed", completions: 2, parallelism: 1 },
      from: { succeeded: 2 },
      to: { succeeded: 1 },
      expected: ["status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"],
    },
    {
      spec: { completionMode: "NonIndexed", completions: 2, parallelism: 2 },
      from: { succeeded: 2 },
      to: { succeeded: 1 },
      expected: ["status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"],
    },
    { to: { active: 1, ready: 1 }, expected: [] },
    {
      to: { active: 1, ready: 2 },
      expected: ["status.ready: Invalid value: 2: cannot set more ready pods than active"],
    },
    { from: { active: 1, ready: 2 }, to: { active: 1, ready: 2 }, expected: [] },
    {
      from: { active: 2, ready: 2 },
      to: { active: 1, ready: 2 },
      expected: ["status.ready: Invalid value: 2: cannot set more ready pods than active"],
    },
    { to: { uncountedTerminatedPods: { succeeded: ["a", "b"], failed: ["c"] } }, expected: [] },
    {
      to: { uncountedTerminatedPods: { succeeded: ["a", ""], failed: ["a"] } },
      expected: [
        'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
        'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
      ],
    },
  ])("that go from $from to $to have $expected", ({ expected, ...one }) => {
    expect(problems(one)).toEqual(expected);
  });
});

describe("conditions of a Job", () => {
  const bothEnds = { ...has("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"), ...start, ...ended };

  it.each<Case>([
    { to: complete, expected: [] },
    { to: failed, expected: [] },
    { from: complete, to: complete, expected: [] },
    {
      to: bothEnds,
      expected: [
        conditions("cannot set Complete=True and Failed=true conditions"),
        conditions("cannot set Complete=True and FailureTarget=true conditions"),
        conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions"),
        conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"),
      ],
    },
    {
      from: bothEnds,
      to: bothEnds,
      expected: [
        conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions"),
        conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"),
      ],
    },
    {
      to: { ...has("Failed"), ...start },
      expected: [conditions("cannot set Failed=True condition without the FailureTarget=true condition")],
    },
    { from: { ...has("Failed"), ...start }, to: { ...has("Failed"), ...start }, expected: [] },
    {
      spec: { backoffLimitPerIndex: 1 },
      from: { ...has("Failed"), ...start },
      to: { ...has("Failed"), ...start, failedIndexes: "" },
      expected: [conditions("cannot set Failed=True condition without the FailureTarget=true condition")],
    },
    {
      to: { ...has("Complete"), ...start, ...ended },
      expected: [conditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")],
    },
    { from: { ...has("Complete"), ...start, ...ended }, to: { ...has("Complete"), ...start, ...ended }, expected: [] },
    {
      spec: { successPolicy: {} },
      from: { ...has("Complete"), ...start, ...ended },
      to: { ...has("Complete"), ...start, ...ended },
      expected: [conditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")],
    },
    {
      from: { ...has("Complete"), ...start, ...ended },
      to: complete,
      expected: [conditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")],
    },
    {
      from: failed,
      to: { ...has("FailureTarget"), ...start },
      expected: [conditions("cannot disable the terminal Failed=True condition")],
    },
    {
      from: has("FailureTarget"),
      to: {},
      expected: [conditions("cannot disable the terminal FailureTarget=True condition")],
    },
    {
      from: has("SuccessCriteriaMet"),
      to: {},
      expected: [conditions("cannot disable the SuccessCriteriaMet=True condition")],
    },
    {
      from: complete,
      to: { ...has("SuccessCriteriaMet"), ...start },
      expected: [conditions("cannot disable the terminal Complete=True condition")],
    },
  ])("that go from $from to $to have $expected", ({ expected, ...one }) => {
    expect(problems(one)).toEqual(expected);
  });
});

describe("a finished Job", () => {
  const finish = (changes: JsonObject): JsonObject => ({ ...complete, ...changes });

  it.each<Case>([
    {
      to: finish({ active: 1, terminating: 1, startTime: null, uncountedTerminatedPods: { failed: ["a"] } }),
      expected: [
        "status.active: Invalid value: 1: active>0 is invalid for finished job",
        'status.uncountedTerminatedPods: Invalid value: {"failed":["a"]}: must be empty for finished job',
        "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
      ],
    },
    { to: { ...complete, uncountedTerminatedPods: { failed: [] } }, expected: [] },
    {
      to: { ...has("Complete", "SuccessCriteriaMet"), ...ended },
      expected: ["status.startTime: Required value: startTime is required for finished job"],
    },
    {
      spec: { suspend: true, completions: 0 },
      to: { ...has("Complete", "SuccessCriteriaMet"), ...ended },
      expected: [],
    },
    {
      spec: { suspend: true, completions: 1 },
      to: { ...has("Complete", "SuccessCriteriaMet"), ...ended },
      expected: ["status.startTime: Required value: startTime is required for finished job"],
    },
    { from: finish({ active: 1 }), to: finish({ active: 1 }), expected: [] },
    {
      from: finish({ active: 1 }),
      to: finish({ active: 2 }),
      expected: ["status.active: Invalid value: 2: active>0 is invalid for finished job"],
    },
    { to: { ...start, active: 1, terminating: 1, uncountedTerminatedPods: { failed: ["a"] } }, expected: [] },
  ])("that changes from $from to $to has $expected", ({ expected, ...one }) => {
    expect(problems(one)).toEqual(expected);
  });
});
