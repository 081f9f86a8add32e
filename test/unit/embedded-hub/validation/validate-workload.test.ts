import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import {
  validateControllerRevision,
  validateDeployment,
  validatePodTemplate,
  validateReplicaSet,
  validateReplicationController,
} from "../../../../src/embedded-hub/validation/validate-workload.ts";
import { changed, podSpec, problemsOf, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const deployment: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a", namespace: "shop" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "a" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    progressDeadlineSeconds: 600,
    template: { metadata: { labels: { app: "a" } }, spec: podSpec },
  },
};
const set: KubeObject = { ...deployment, kind: "ReplicaSet" };
const rolling = "spec.strategy.rollingUpdate";
const labels = "spec.template.metadata.labels";

const ofBoth: readonly { changes: readonly Change[]; problems: readonly string[] }[] = [
  { changes: [], problems: [] },
  { changes: [["spec.replicas", 0]], problems: [] },
  { changes: [["spec.replicas", -1]], problems: ["Invalid spec.replicas"] },
  { changes: [["spec.minReadySeconds", -1]], problems: ["Invalid spec.minReadySeconds"] },
  { changes: [["spec.selector", undefined]], problems: ["Required spec.selector", `Invalid ${labels}`] },
  { changes: [["spec.selector", {}]], problems: ["Invalid spec.selector"] },
  { changes: [["spec.selector", { matchLabels: {}, matchExpressions: [] }]], problems: ["Invalid spec.selector"] },
  { changes: [["spec.selector", { matchExpressions: [{ key: "app", operator: "Exists" }] }]], problems: [] },
  { changes: [["spec.selector.matchLabels.app", "b"]], problems: [`Invalid ${labels}`] },
  { changes: [[labels, undefined]], problems: [`Invalid ${labels}`] },
  {
    changes: [["spec.template.spec.restartPolicy", "Never"]],
    problems: ["NotSupported spec.template.spec.restartPolicy"],
  },
  {
    changes: [["spec.template.spec.activeDeadlineSeconds", 5]],
    problems: ["Forbidden spec.template.spec.activeDeadlineSeconds"],
  },
  { changes: [["spec.template.spec.containers", []]], problems: ["Required spec.template.spec.containers"] },
  { changes: [["spec.template.metadata.annotations", { "a b": "" }]], problems: ["Invalid spec.template.annotations"] },
];

const controller = changed(set, ["kind", "ReplicationController"], ["spec.selector", { app: "a" }]);

describe("validateReplicationController", () => {
  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [], problems: [] },
    { changes: [["spec.replicas", -1]], problems: ["Invalid spec.replicas"] },
    { changes: [["spec.minReadySeconds", -1]], problems: ["Invalid spec.minReadySeconds"] },
    { changes: [["spec.selector", undefined]], problems: ["Required spec.selector"] },
    { changes: [["spec.selector", {}]], problems: ["Required spec.selector"] },
    { changes: [["spec.selector.app", "b"]], problems: [`Invalid ${labels}`] },
    { changes: [["spec.template", undefined]], problems: ["Required spec.template"] },
    {
      changes: [["spec.template.spec.restartPolicy", "Never"]],
      problems: ["NotSupported spec.template.spec.restartPolicy"],
    },
    {
      changes: [["spec.template.spec.activeDeadlineSeconds", 5]],
      problems: ["Forbidden spec.template.spec.activeDeadlineSeconds"],
    },
  ])("finds $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validateReplicationController(changed(controller, ...changes), undefined))).toEqual(problems);
  });

  it("lets the selector change, and names the kind that takes no deadline", () => {
    const other = changed(controller, ["spec.selector", { tier: "a" }], [labels, { tier: "a" }]);
    expect(validateReplicationController(other, controller)).toEqual([]);
    const [refused] = validateReplicationController(
      changed(controller, ["spec.template.spec.activeDeadlineSeconds", 5]),
      undefined,
    );
    expect(refused?.message).toContain("activeDeadlineSeconds in ReplicationController is not Supported");
  });

  it("finds more ready Pods than there are in a status", () => {
    const status = changed(controller, ["status", { replicas: 1, readyReplicas: 2 }]);
    expect(problemsOf(validateReplicationController(status, controller, { subresource: "status" }))).toEqual([
      "Invalid status.readyReplicas",
    ]);
  });
});

describe("validateDeployment and validateReplicaSet", () => {
  it.each(ofBoth)("find $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validateDeployment(changed(deployment, ...changes), undefined))).toEqual(problems);
    expect(problemsOf(validateReplicaSet(changed(set, ...changes), undefined))).toEqual(problems);
  });

  it("find a selector that cannot select, and labels that are none", () => {
    const bad = changed(deployment, ["spec.selector", { matchExpressions: [{ key: "a", operator: "In" }] }]);
    const field = "spec.selector.matchExpressions[0].values";
    expect(problemsOf(validateDeployment(bad, undefined))).toEqual([`Required ${field}`, "Invalid spec.selector"]);
    const label = changed(deployment, [`${labels}.a b`, "x"]);
    expect(problemsOf(validateDeployment(label, undefined))).toEqual(["Invalid spec.template.labels"]);
  });

  it("keep their selector", () => {
    const other: Change[] = [
      ["spec.selector.matchLabels.app", "b"],
      [`${labels}.app`, "b"],
    ];
    expect(problemsOf(validateDeployment(changed(deployment, ...other), deployment))).toEqual([
      "Invalid spec.selector",
    ]);
    expect(problemsOf(validateReplicaSet(changed(set, ...other), set))).toEqual(["Invalid spec.selector"]);
    expect(validateDeployment(changed(deployment, ["spec.replicas", 5]), deployment)).toEqual([]);
  });
});

describe("the strategy of a Deployment", () => {
  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [["spec.revisionHistoryLimit", -1]], problems: ["Invalid spec.revisionHistoryLimit"] },
    {
      changes: [["spec.progressDeadlineSeconds", -1]],
      problems: ["Invalid spec.progressDeadlineSeconds", "Invalid spec.progressDeadlineSeconds"],
    },
    { changes: [["spec.minReadySeconds", 600]], problems: ["Invalid spec.progressDeadlineSeconds"] },
    { changes: [["spec.minReadySeconds", 599]], problems: [] },
    { changes: [["spec.progressDeadlineSeconds", undefined]], problems: [] },
    { changes: [["spec.strategy", { type: "Recreate" }]], problems: [] },
    { changes: [["spec.strategy.type", "Recreate"]], problems: [`Forbidden ${rolling}`] },
    { changes: [["spec.strategy.type", "Odd"]], problems: ["NotSupported spec.strategy"] },
    { changes: [[rolling, undefined]], problems: [`Required ${rolling}`] },
    { changes: [[rolling, { maxSurge: 0, maxUnavailable: 0 }]], problems: [`Invalid ${rolling}.maxUnavailable`] },
    { changes: [[rolling, { maxSurge: "0%", maxUnavailable: "0%" }]], problems: [`Invalid ${rolling}.maxUnavailable`] },
    { changes: [[rolling, { maxSurge: 1, maxUnavailable: 0 }]], problems: [] },
    { changes: [[rolling, { maxSurge: 0, maxUnavailable: 1 }]], problems: [] },
    { changes: [[rolling, { maxSurge: "200%", maxUnavailable: "100%" }]], problems: [] },
    { changes: [[rolling, { maxSurge: 1, maxUnavailable: "101%" }]], problems: [`Invalid ${rolling}.maxUnavailable`] },
    { changes: [[rolling, { maxSurge: -1, maxUnavailable: 1 }]], problems: [`Invalid ${rolling}.maxSurge`] },
    { changes: [[rolling, { maxSurge: 1, maxUnavailable: -1 }]], problems: [`Invalid ${rolling}.maxUnavailable`] },
    { changes: [[rolling, { maxSurge: "x", maxUnavailable: 1 }]], problems: [`Invalid ${rolling}.maxSurge`] },
  ])("has $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validateDeployment(changed(deployment, ...changes), undefined))).toEqual(problems);
  });
});

describe("the status of a Deployment", () => {
  const status = { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3, collisionCount: 1 };
  const withStatus = changed(deployment, ["status", status]);
  const problems = (...changes: Change[]) =>
    problemsOf(validateDeployment(changed(withStatus, ...changes), withStatus, { subresource: "status" }));

  it.each<{ changes: Change[]; expected: string[] }>([
    { changes: [], expected: [] },
    { changes: [["spec.replicas", -1]], expected: [] },
    { changes: [["status.readyReplicas", 4]], expected: ["Invalid status.readyReplicas"] },
    { changes: [["status.updatedReplicas", 4]], expected: ["Invalid status.updatedReplicas"] },
    { changes: [["status.readyReplicas", 2]], expected: ["Invalid status.availableReplicas"] },
    {
      changes: [
        ["status.availableReplicas", 4],
        ["status.readyReplicas", 3],
      ],
      expected: ["Invalid status.availableReplicas", "Invalid status.availableReplicas"],
    },
    { changes: [["status.unavailableReplicas", -1]], expected: ["Invalid status.unavailableReplicas"] },
    { changes: [["status.observedGeneration", -1]], expected: ["Invalid status.observedGeneration"] },
    { changes: [["status.collisionCount", 0]], expected: ["Invalid status.collisionCount"] },
    { changes: [["status.collisionCount", undefined]], expected: ["Invalid status.collisionCount"] },
    { changes: [["status.collisionCount", 2]], expected: [] },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(problems(...changes)).toEqual(expected);
  });
});

describe("the status of a ReplicaSet", () => {
  it.each<{ status: Record<string, number>; expected: string[] }>([
    { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 2 }, expected: [] },
    { status: { replicas: 1, fullyLabeledReplicas: 2 }, expected: ["Invalid status.fullyLabeledReplicas"] },
    { status: { replicas: 1, readyReplicas: 2 }, expected: ["Invalid status.readyReplicas"] },
    {
      status: { replicas: -1 },
      expected: [
        "Invalid status.replicas",
        "Invalid status.fullyLabeledReplicas",
        "Invalid status.readyReplicas",
        "Invalid status.availableReplicas",
      ],
    },
    { status: { terminatingReplicas: -1 }, expected: ["Invalid status.terminatingReplicas"] },
  ])("has $expected with $status", ({ status, expected }) => {
    expect(problemsOf(validateReplicaSet(changed(set, ["status", status]), set, { subresource: "status" }))).toEqual(
      expected,
    );
  });
});

describe("validatePodTemplate", () => {
  it("checks the template, and refuses containers for debugging in it", () => {
    const template: KubeObject = {
      apiVersion: "v1",
      kind: "PodTemplate",
      metadata: { name: "a" },
      template: { spec: podSpec },
    };
    expect(validatePodTemplate(template)).toEqual([]);
    expect(problemsOf(validatePodTemplate(changed(template, ["template.spec.dnsPolicy", "Odd"])))).toEqual([
      "NotSupported template.spec.dnsPolicy",
    ]);
    const container = (podSpec["containers"] as object[])[0] as never;
    const debug = changed(template, [
      "template.spec.ephemeralContainers",
      [{ ...(container as object), name: "debug", ports: [] }],
    ]);
    expect(problemsOf(validatePodTemplate(debug))).toContain("Forbidden template.spec.ephemeralContainers");
  });
});

describe("validateControllerRevision", () => {
  const revision = (content: JsonObject): KubeObject => ({
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name: "a" },
    ...content,
  });
  const old = revision({ data: { a: "b" }, revision: 1 });

  it.each<{ content: JsonObject; problems: readonly string[] }>([
    { content: { data: {}, revision: 0 }, problems: [] },
    { content: { data: { a: "b" } }, problems: [] },
    { content: { revision: 1 }, problems: ["data: Required value: data is mandatory"] },
    { content: { data: null }, problems: ["data: Required value: data is mandatory"] },
    { content: { data: [] }, problems: ["data: Required value: data must be a valid JSON object"] },
    {
      content: { data: {}, revision: -1 },
      problems: ["revision: Invalid value: -1: must be greater than or equal to 0"],
    },
  ])("finds $problems in $content", ({ content, problems }) => {
    expect(textsOf(validateControllerRevision(revision(content), undefined))).toEqual(problems);
  });

  it.each<{ content: JsonObject; problems: readonly string[] }>([
    { content: { data: { a: "b" }, revision: 2 }, problems: [] },
    { content: { data: { a: "c" } }, problems: ['data: Invalid value: {"a":"c"}: field is immutable'] },
    { content: {}, problems: ["data: Invalid value: null: field is immutable"] },
    {
      content: { data: { a: "b" }, revision: -1 },
      problems: ["revision: Invalid value: -1: must be greater than or equal to 0"],
    },
  ])("finds $problems in a change to $content", ({ content, problems }) => {
    expect(textsOf(validateControllerRevision(revision(content), old))).toEqual(problems);
  });
});
