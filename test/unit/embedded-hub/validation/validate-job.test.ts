import { describe, expect, it } from "vitest";
import { validateCronJob } from "../../../../src/embedded-hub/validation/validate-cron-job.ts";
import { validateJob } from "../../../../src/embedded-hub/validation/validate-job.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { changed, podSpec, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const labels = {
  "controller-uid": "u",
  "batch.kubernetes.io/controller-uid": "u",
  "job-name": "a",
  "batch.kubernetes.io/job-name": "a",
};
const job: KubeObject = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "a", namespace: "shop", uid: "u" },
  spec: {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: "NonIndexed",
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u" } },
    template: { metadata: { labels }, spec: { ...podSpec, restartPolicy: "Never" } },
  },
};
const restart = "spec.template.spec.restartPolicy";
const indexed: Change = ["spec.completionMode", "Indexed"];
const at = (name: string, value: number | undefined): Change => [`spec.${name}`, value];

describe("a new Job", () => {
  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [], problems: [] },
    { changes: [at("parallelism", -1)], problems: ["Invalid spec.parallelism"] },
    { changes: [at("ttlSecondsAfterFinished", -1)], problems: ["Invalid spec.ttlSecondsAfterFinished"] },
    { changes: [at("backoffLimit", -1)], problems: ["Invalid spec.backoffLimit"] },
    { changes: [["spec.completionMode", "Odd"]], problems: ["NotSupported spec.completionMode"] },
    { changes: [[restart, "Always"]], problems: [`Required ${restart}`] },
    { changes: [[restart, "Odd"]], problems: [`NotSupported ${restart}`, `NotSupported ${restart}`] },
    { changes: [[restart, "OnFailure"]], problems: [] },
    { changes: [["spec.podReplacementPolicy", "Odd"]], problems: ["NotSupported spec.podReplacementPolicy"] },
    { changes: [["spec.podReplacementPolicy", "TerminatingOrFailed"]], problems: [] },
    { changes: [["spec.managedBy", "odd"]], problems: ["Invalid spec.managedBy"] },
    { changes: [["spec.managedBy", "a.io/b"]], problems: [] },
    { changes: [at("backoffLimitPerIndex", 1)], problems: ["Invalid spec.backoffLimitPerIndex"] },
    { changes: [indexed, at("backoffLimitPerIndex", 1)], problems: [] },
    { changes: [indexed, at("maxFailedIndexes", 1)], problems: ["Required spec.backoffLimitPerIndex"] },
    { changes: [indexed, at("completions", undefined)], problems: ["Required spec.completions"] },
    { changes: [indexed, at("parallelism", 100_000)], problems: [] },
    { changes: [indexed, at("parallelism", 100_001)], problems: ["Invalid spec.parallelism"] },
    {
      changes: [indexed, at("backoffLimitPerIndex", 1), at("maxFailedIndexes", 2)],
      problems: ["Invalid spec.maxFailedIndexes"],
    },
    {
      changes: [indexed, ["metadata.name", "a".repeat(62)], ["spec.manualSelector", true]],
      problems: ["Invalid metadata.name"],
    },
    { changes: [indexed, ["metadata.name", "a".repeat(61)], ["spec.manualSelector", true]], problems: [] },
    {
      changes: [["spec.template.metadata.labels.job-name", "b"]],
      problems: ["Invalid spec.template.metadata.labels[job-name]"],
    },
    {
      changes: [["spec.template.metadata.labels.job-name", undefined]],
      problems: ["Required spec.template.metadata.labels[job-name]"],
    },
    {
      changes: [["spec.selector.matchLabels.x", "y"]],
      problems: ["Invalid spec.selector", "Invalid spec.template.metadata.labels"],
    },
    {
      changes: [
        ["spec.manualSelector", true],
        ["spec.selector", { matchLabels: { x: "y" } }],
      ],
      problems: ["Invalid spec.template.metadata.labels"],
    },
    {
      changes: [
        ["spec.manualSelector", true],
        ["spec.selector", undefined],
      ],
      problems: ["Required spec.selector", "Invalid spec.template.metadata.labels"],
    },
    { changes: [["spec.template.spec.containers", []]], problems: ["Required spec.template.spec.containers"] },
  ])("has $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validateJob(changed(job, ...changes), undefined))).toEqual(problems);
  });
});

describe("the failure policy of a Job", () => {
  const policy = (rule: object): Change => ["spec.podFailurePolicy", { rules: [{ action: "FailJob", ...rule }] }];
  const codes = (one: object) => policy({ onExitCodes: { operator: "In", values: [1], ...one } });
  const rule = "spec.podFailurePolicy.rules[0]";

  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [codes({})], problems: [] },
    { changes: [codes({ containerName: "web" })], problems: [] },
    { changes: [codes({ containerName: "none" })], problems: [`Invalid ${rule}.onExitCodes.containerName`] },
    { changes: [codes({ operator: "Odd" })], problems: [`NotSupported ${rule}.onExitCodes.operator`] },
    { changes: [codes({ values: [] })], problems: [`Invalid ${rule}.onExitCodes.values`] },
    { changes: [codes({ values: [0] })], problems: [`Invalid ${rule}.onExitCodes.values[0]`] },
    { changes: [codes({ operator: "NotIn", values: [0] })], problems: [] },
    { changes: [codes({ values: [2, 1] })], problems: [`Invalid ${rule}.onExitCodes.values`] },
    { changes: [codes({ values: [1, 1] })], problems: [`Duplicate ${rule}.onExitCodes.values[1]`] },
    {
      changes: [policy({ action: "Odd", onExitCodes: { operator: "In", values: [1] } })],
      problems: [`NotSupported ${rule}.action`],
    },
    {
      changes: [policy({ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } })],
      problems: [`Invalid ${rule}.action`],
    },
    { changes: [policy({})], problems: [`Invalid ${rule}`] },
    { changes: [policy({ onPodConditions: [{ type: "DisruptionTarget", status: "True" }] })], problems: [] },
    {
      changes: [policy({ onPodConditions: [{ type: "a b", status: "Odd" }] })],
      problems: [`Invalid ${rule}.onPodConditions[0].type`, `NotSupported ${rule}.onPodConditions[0].status`],
    },
    {
      changes: [
        policy({ onExitCodes: { operator: "In", values: [1] }, onPodConditions: [{ type: "A", status: "True" }] }),
      ],
      problems: [`Invalid ${rule}`],
    },
    { changes: [codes({}), [restart, "OnFailure"]], problems: [`Invalid ${restart}`] },
    {
      changes: [codes({}), ["spec.podReplacementPolicy", "TerminatingOrFailed"]],
      problems: ["NotSupported spec.podReplacementPolicy"],
    },
  ])("has $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validateJob(changed(job, ...changes), undefined))).toEqual(problems);
  });
});

describe("a change of a Job", () => {
  const nodeSelector: Change = ["spec.template.spec.nodeSelector", { a: "b" }];
  const suspended: Change = ["spec.suspend", true];
  const begun: Change = ["status.startTime", "2026-01-02T03:04:05Z"];

  it.each<{ before: readonly Change[]; after: readonly Change[]; problems: readonly string[] }>([
    { before: [], after: [at("parallelism", 5)], problems: [] },
    { before: [], after: [at("completions", 5)], problems: ["Invalid spec.completions"] },
    { before: [indexed], after: [indexed, at("completions", 5)], problems: ["Invalid spec.completions"] },
    { before: [indexed], after: [indexed, at("completions", 5), at("parallelism", 5)], problems: [] },
    { before: [], after: [indexed], problems: ["Invalid spec.completionMode"] },
    { before: [], after: [["spec.managedBy", "a.io/b"]], problems: ["Invalid spec.managedBy"] },
    { before: [], after: [["spec.template.spec.containers.0.image", "b"]], problems: ["Invalid spec.template"] },
    { before: [], after: [nodeSelector], problems: ["Invalid spec.template"] },
    { before: [suspended], after: [suspended, nodeSelector], problems: [] },
    { before: [suspended], after: [nodeSelector], problems: [] },
    { before: [suspended, begun], after: [suspended, nodeSelector], problems: ["Invalid spec.template"] },
    {
      before: [suspended],
      after: [suspended, ["spec.template.spec.containers.0.image", "b"]],
      problems: ["Invalid spec.template"],
    },
    { before: [suspended], after: [suspended, ["spec.template.metadata.labels.x", "y"]], problems: [] },
    { before: [suspended], after: [suspended, ["spec.template.spec.affinity", { nodeAffinity: {} }]], problems: [] },
    {
      before: [suspended],
      after: [suspended, ["spec.template.spec.affinity", { podAffinity: {} }]],
      problems: ["Invalid spec.template"],
    },
  ])("from $before to $after has $problems", ({ before, after, problems }) => {
    expect(problemsOf(validateJob(changed(job, ...after), changed(job, ...before)))).toEqual(problems);
  });
});

describe("validateCronJob", () => {
  const cron: KubeObject = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "a", namespace: "shop" },
    spec: {
      schedule: "*/5 * * * *",
      concurrencyPolicy: "Allow",
      jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
    },
  };
  const zone = (name: string): Change => ["spec.timeZone", name];
  const schedule = (text: string): Change => ["spec.schedule", text];
  const template = "spec.jobTemplate.spec";

  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [], problems: [] },
    { changes: [schedule("")], problems: ["Required spec.schedule"] },
    { changes: [schedule("x")], problems: ["Invalid spec.schedule"] },
    { changes: [schedule("TZ=UTC 0 * * * *")], problems: ["Invalid spec.schedule"] },
    { changes: [zone("Europe/Berlin")], problems: [] },
    { changes: [zone("")], problems: ["Invalid spec.timeZone"] },
    { changes: [zone("Odd/Zone")], problems: ["Invalid spec.timeZone"] },
    { changes: [zone("../UTC")], problems: ["Invalid spec.timeZone"] },
    { changes: [zone("Local")], problems: ["Invalid spec.timeZone"] },
    { changes: [zone("local")], problems: ["Invalid spec.timeZone", "Invalid spec.timeZone"] },
    { changes: [["spec.concurrencyPolicy", ""]], problems: ["Required spec.concurrencyPolicy"] },
    { changes: [["spec.concurrencyPolicy", "Odd"]], problems: ["NotSupported spec.concurrencyPolicy"] },
    { changes: [["spec.startingDeadlineSeconds", -1]], problems: ["Invalid spec.startingDeadlineSeconds"] },
    { changes: [["spec.failedJobsHistoryLimit", -1]], problems: ["Invalid spec.failedJobsHistoryLimit"] },
    { changes: [["metadata.name", "a".repeat(52)]], problems: [] },
    { changes: [["metadata.name", "a".repeat(53)]], problems: ["Invalid metadata.name"] },
    { changes: [[`${template}.selector`, {}]], problems: [`Invalid ${template}.selector`] },
    { changes: [[`${template}.manualSelector`, true]], problems: [`NotSupported ${template}.manualSelector`] },
    {
      changes: [[`${template}.template.spec.restartPolicy`, "Always"]],
      problems: [`Required ${template}.template.spec.restartPolicy`],
    },
  ])("has $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validateCronJob(changed(cron, ...changes), undefined))).toEqual(problems);
  });

  it("takes what the old one had already", () => {
    const old = changed(cron, schedule("TZ=UTC 0 * * * *"), zone("Odd/Zone"), ["metadata.name", "a".repeat(53)]);
    expect(problemsOf(validateCronJob(changed(old, schedule("0 * * * *")), old))).toEqual([]);
    expect(problemsOf(validateCronJob(old, old))).toEqual(["Invalid spec.schedule"]);
    expect(problemsOf(validateCronJob(changed(old, ["spec.timeZone", undefined]), old))).toEqual([]);
    expect(validateCronJob(changed(cron, schedule("")), cron, { subresource: "status" })).toEqual([]);
  });
});
