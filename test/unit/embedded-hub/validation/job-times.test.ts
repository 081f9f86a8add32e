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

const time = (minute: number): string => `2026-01-01T00:0${minute}:00Z`;
const conditions = [
  { type: "Complete", status: "True" },
  { type: "SuccessCriteriaMet", status: "True" },
];
const complete = { conditions, startTime: time(1), completionTime: time(2) };

describe("times of a Job", () => {
  const without = "cannot set completionTime when there is no Complete=True condition";
  const restarted = "status.startTime: Required value: startTime cannot be removed for unsuspended job";
  const suspended = (status: string): JsonObject => ({ conditions: [{ type: "Suspended", status }] });

  it.each<Case>([
    { to: { ...complete, completionTime: time(1) }, expected: [] },
    {
      to: { ...complete, completionTime: time(0) },
      expected: [`status.completionTime: Invalid value: "${time(0)}": must be equal to or after \`startTime\``],
    },
    { from: { ...complete, completionTime: time(0) }, to: { ...complete, completionTime: time(0) }, expected: [] },
    {
      to: { conditions, startTime: time(1) },
      expected: ["status.completionTime: Required value: completionTime is required for Complete jobs"],
    },
    { from: { conditions, startTime: time(1) }, to: { conditions, startTime: time(1) }, expected: [] },
    {
      to: { startTime: time(1), completionTime: time(2) },
      expected: [`status.completionTime: Invalid value: "${time(2)}": ${without}`],
    },
    { from: { completionTime: time(2) }, to: { completionTime: time(2) }, expected: [] },
    {
      from: complete,
      to: { ...complete, completionTime: time(3) },
      expected: [`status.completionTime: Invalid value: "${time(3)}": field is immutable`],
    },
    { to: { startTime: time(1) }, expected: [] },
    { from: { startTime: time(1) }, to: { startTime: time(1) }, expected: [] },
    { from: { startTime: time(1) }, to: { startTime: time(2) }, expected: [restarted] },
    { from: { startTime: time(1) }, to: {}, expected: [restarted] },
    { spec: { suspend: true }, from: { startTime: time(1) }, to: {}, expected: [] },
    {
      from: { ...suspended("True"), startTime: time(1) },
      to: { ...suspended("False"), startTime: time(2) },
      expected: [],
    },
    {
      from: { ...suspended("True"), startTime: time(1) },
      to: { ...suspended("True"), startTime: time(2) },
      expected: [restarted],
    },
    {
      from: { ...suspended("False"), startTime: time(1) },
      to: { ...suspended("False"), startTime: time(2) },
      expected: [restarted],
    },
  ])("that go from $from to $to have $expected", ({ expected, ...one }) => {
    expect(problems(one)).toEqual(expected);
  });
});

describe("indexes of a Job", () => {
  const spec = { completionMode: "Indexed", completions: 5, backoffLimitPerIndex: 1 };
  const completed = (text: string, detail: string) => `status.completedIndexes: Invalid value: "${text}": ${detail}`;
  const failed = (text: string, detail: string) => `status.failedIndexes: Invalid value: "${text}": ${detail}`;
  const tooLarge = (name: string) => `error parsing ${name}: too large index: "5"`;

  it.each<Case>([
    { spec, to: { completedIndexes: "0-1", failedIndexes: "2" }, expected: [] },
    {
      spec,
      to: { completedIndexes: "0-2", failedIndexes: "2" },
      expected: [failed("2", "failedIndexes and completedIndexes overlap at index: 2")],
    },
    {
      spec,
      from: { completedIndexes: "0", failedIndexes: "0" },
      to: { completedIndexes: "0", failedIndexes: "0" },
      expected: [],
    },
    { spec, to: { completedIndexes: "5" }, expected: [completed("5", tooLarge("completedIndexes"))] },
    { spec, to: { failedIndexes: "5" }, expected: [failed("5", tooLarge("failedIndexes"))] },
    { spec, from: { completedIndexes: "5" }, to: { completedIndexes: "5", failedIndexes: "1" }, expected: [] },
    { spec, from: { failedIndexes: "5" }, to: { completedIndexes: "1", failedIndexes: "5" }, expected: [] },
    { spec: { completionMode: "Indexed" }, to: { completedIndexes: "5" }, expected: [] },
    {
      spec: { ...spec, completionMode: "NonIndexed" },
      to: { completedIndexes: "1" },
      expected: [completed("1", "cannot set non-empty completedIndexes when non-indexed completion mode")],
    },
    {
      spec: { ...spec, completionMode: "NonIndexed" },
      from: { completedIndexes: "1" },
      to: { completedIndexes: "" },
      expected: [],
    },
    {
      spec: { completionMode: "Indexed", completions: 5 },
      to: { failedIndexes: "7" },
      expected: [failed("7", "cannot set non-null failedIndexes when backoffLimitPerIndex is null")],
    },
    { spec: { completionMode: "Indexed", completions: 5 }, from: { failedIndexes: "1" }, to: {}, expected: [] },
    {
      spec,
      to: { completedIndexes: "1".repeat(512 * 1024 + 1) },
      expected: ["status.completedIndexes: Too long: may not be more than 524288 bytes"],
    },
  ])("that go from $from to those of $spec have $expected", ({ expected, ...one }) => {
    expect(problems(one)).toEqual(expected);
  });
});
