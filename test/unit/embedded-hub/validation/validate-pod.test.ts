import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { mirrorAnnotation, validatePod } from "../../../../src/embedded-hub/validation/validate-pod.ts";
import { changed, pod, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const mirror: Change = ["metadata.annotations", { [mirrorAnnotation]: "x" }];
const onNode: Change = ["spec.nodeName", "n"];
const cost = (text: string): Change => ["metadata.annotations", { "controller.kubernetes.io/pod-deletion-cost": text }];
const costField = "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]";
const mirrorField = `metadata.annotations[${mirrorAnnotation}]`;
const tokenVolume: Change = [
  "spec.volumes",
  [
    {
      name: "t",
      projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 3600 } }] },
    },
  ],
];
const gated: Change = ["spec.schedulingGates", [{ name: "a.io/wait" }]];

describe("a new Pod", () => {
  it.each<{ changes: readonly Change[]; problems: readonly string[] }>([
    { changes: [], problems: [] },
    { changes: [mirror], problems: [`Invalid ${mirrorField}`] },
    { changes: [mirror, onNode], problems: [] },
    { changes: [cost("-5")], problems: [] },
    { changes: [cost("2147483647")], problems: [] },
    { changes: [cost("-2147483648")], problems: [] },
    { changes: [cost("0")], problems: [] },
    { changes: [cost("-05")], problems: [] },
    { changes: [cost("2147483648")], problems: [`Invalid ${costField}`] },
    { changes: [cost("-2147483649")], problems: [`Invalid ${costField}`] },
    { changes: [cost("")], problems: [`Invalid ${costField}`] },
    { changes: [cost("05")], problems: [`Invalid ${costField}`] },
    { changes: [cost("+5")], problems: [`Invalid ${costField}`] },
    { changes: [cost("5x")], problems: [`Invalid ${costField}`] },
    { changes: [["spec.containers.0.image", " nginx"]], problems: ["Invalid spec.containers[0].image"] },
    {
      changes: [tokenVolume],
      problems: ["Forbidden spec.volumes[0].projected.sources[0].serviceAccountToken"],
    },
    { changes: [tokenVolume, ["spec.serviceAccountName", "default"]], problems: [] },
    { changes: [gated], problems: [] },
    { changes: [gated, onNode], problems: ["Forbidden spec.nodeName"] },
    {
      changes: [["spec.schedulingGates", [{ name: "a.io/x" }, { name: "a.io/x" }]]],
      problems: ["Duplicate spec.schedulingGates[1]"],
    },
    {
      changes: [["spec.schedulingGates", [{ name: "" }]]],
      problems: ["Invalid spec.schedulingGates[0]", "Invalid spec.schedulingGates[0]"],
    },
  ])("has $problems with $changes", ({ changes, problems }) => {
    expect(problemsOf(validatePod(changed(pod, ...changes), undefined))).toEqual(problems);
  });
});

describe("a change of a Pod", () => {
  const deadline = (seconds: number | undefined): Change => ["spec.activeDeadlineSeconds", seconds];
  const tolerations = (...list: JsonObject[]): Change => ["spec.tolerations", list];
  const exists = { key: "a", operator: "Exists", effect: "NoExecute" };

  it.each<{ reason: string; before?: readonly Change[]; after: readonly Change[]; problems: readonly string[] }>([
    { reason: "nothing", after: [], problems: [] },
    { reason: "an image", after: [["spec.containers.0.image", "nginx:2"]], problems: [] },
    {
      reason: "an image that is none",
      after: [["spec.containers.0.image", ""]],
      problems: ["Required spec.containers[0].image", "Required spec.containers[0].image"],
    },
    { reason: "a command", after: [["spec.containers.0.command", ["sh"]]], problems: ["Forbidden spec"] },
    {
      reason: "rights",
      after: [["spec.containers.0.securityContext", { privileged: true }]],
      problems: ["Forbidden spec"],
    },
    { reason: "the account", after: [["spec.serviceAccountName", "root"]], problems: ["Forbidden spec"] },
    { reason: "the node", after: [["spec.nodeName", "n"]], problems: ["Forbidden spec"] },
    { reason: "the network", after: [["spec.hostPID", true]], problems: ["Forbidden spec"] },
    {
      reason: "one more container",
      after: [
        ["spec.containers.1", { ...(pod["spec"] as { containers: JsonObject[] }).containers[0], name: "b", ports: [] }],
      ],
      problems: ["Forbidden spec.containers"],
    },
    { reason: "a new deadline", after: [deadline(60)], problems: [] },
    { reason: "an earlier deadline", before: [deadline(60)], after: [deadline(59)], problems: [] },
    { reason: "the same deadline", before: [deadline(60)], after: [deadline(60)], problems: [] },
    {
      reason: "a later deadline",
      before: [deadline(60)],
      after: [deadline(61)],
      problems: ["Invalid spec.activeDeadlineSeconds"],
    },
    {
      reason: "no deadline any more",
      before: [deadline(60)],
      after: [],
      problems: ["Invalid spec.activeDeadlineSeconds"],
    },
    {
      reason: "a deadline below 0",
      after: [deadline(-1)],
      problems: ["Invalid spec.activeDeadlineSeconds", "Invalid spec.activeDeadlineSeconds"],
    },
    {
      reason: "a deadline beyond 32 bits",
      after: [deadline(2 ** 31)],
      problems: ["Invalid spec.activeDeadlineSeconds", "Invalid spec.activeDeadlineSeconds"],
    },
    { reason: "one more toleration", before: [tolerations()], after: [tolerations(exists)], problems: [] },
    {
      reason: "other seconds of a toleration",
      before: [tolerations(exists)],
      after: [tolerations({ ...exists, tolerationSeconds: 5 })],
      problems: [],
    },
    {
      reason: "a toleration less",
      before: [tolerations(exists)],
      after: [tolerations()],
      problems: ["Forbidden spec.tolerations"],
    },
    {
      reason: "another toleration",
      before: [tolerations(exists)],
      after: [tolerations({ ...exists, key: "b" })],
      problems: ["Forbidden spec.tolerations"],
    },
    { reason: "the selection of nodes", after: [["spec.nodeSelector", { a: "b" }]], problems: ["Forbidden spec"] },
    {
      reason: "the selection of nodes while it is gated",
      before: [gated],
      after: [["spec.nodeSelector", { a: "b" }]],
      problems: [],
    },
    { reason: "the time to end", after: [["spec.terminationGracePeriodSeconds", 1]], problems: ["Forbidden spec"] },
    {
      reason: "a time to end that was negative",
      before: [["spec.terminationGracePeriodSeconds", -1]],
      after: [["spec.terminationGracePeriodSeconds", 1]],
      problems: [],
    },
    {
      reason: "a time that was negative, to 2",
      before: [["spec.terminationGracePeriodSeconds", -1]],
      after: [["spec.terminationGracePeriodSeconds", 2]],
      problems: ["Forbidden spec"],
    },
    {
      reason: "the mark of a static Pod",
      before: [onNode],
      after: [onNode, mirror],
      problems: [`Forbidden ${mirrorField}`],
    },
    { reason: "no mark any more", before: [onNode, mirror], after: [onNode], problems: [`Forbidden ${mirrorField}`] },
  ])("may or may not be of $reason", ({ before = [], after, problems }) => {
    const old = changed(pod, ...before);
    expect(problemsOf(validatePod(changed(pod, ...after), old))).toEqual(problems);
  });
});

describe("a change of a Pod's status", () => {
  it("may not make it one of its node", () => {
    const old = changed(pod, onNode);
    const found = validatePod(changed(pod, onNode, mirror), old, { subresource: "status" });
    expect(problemsOf(found)).toEqual([`Forbidden ${mirrorField}`]);
    const wrong = changed(pod, onNode, ["status.observedGeneration", -1]);
    expect(problemsOf(validatePod(wrong, old, { subresource: "status" }))).toEqual([
      "Invalid status.observedGeneration",
    ]);
  });
});
