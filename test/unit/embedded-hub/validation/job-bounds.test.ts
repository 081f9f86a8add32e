import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateCronJob } from "../../../../src/embedded-hub/validation/validate-cron-job.ts";
import { validateJob } from "../../../../src/embedded-hub/validation/validate-job.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";

function object(kind: string, content: JsonObject): KubeObject {
  return { apiVersion: "batch/v1", kind, metadata: { name: "a" }, ...content };
}

const many = (count: number, text: string): string => Array.from({ length: count }, () => text).join(",");

it.each<readonly [string, () => unknown]>([
  [
    "values of exit codes",
    () => {
      const values = Array.from({ length: 19_000 }, (_, index) => index);
      const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values } }];
      return validateJob(object("Job", { spec: { podFailurePolicy: { rules } } }), undefined);
    },
  ],
  [
    "rules about containers",
    () => {
      const containers = Array.from({ length: 5000 }, (_, index) => ({ name: `c${index}` }));
      const onExitCodes = { containerName: "none", operator: "In", values: [1] };
      const rules = Array.from({ length: 2500 }, () => ({ action: "FailJob", onExitCodes }));
      const template = { spec: { initContainers: containers } };
      return validateJob(object("Job", { spec: { podFailurePolicy: { rules }, template } }), undefined);
    },
  ],
  [
    "ranges of a schedule",
    () => validateCronJob(object("CronJob", { spec: { schedule: `${many(1_000_000, "1")} * * * *` } }), undefined),
  ],
  [
    "indexes",
    () => {
      const completedIndexes = Array.from({ length: 80_000 }, (_, index) => index).join(",");
      const spec = { completions: 100_000, completionMode: "Indexed", backoffLimitPerIndex: 1 };
      const job = object("Job", { spec, status: { completedIndexes, failedIndexes: completedIndexes } });
      return validateJob(job, object("Job", { spec }), { subresource: "status" });
    },
  ],
])("A99: many %s are validated in no time", (_what, judge) => {
  expect(judge()).not.toEqual([]);
  expect(leastCpuMs(judge, 200)).toBeLessThan(200);
});
