import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodStatus } from "../../../../src/embedded-hub/validation/validate-pod-status.ts";
import { changed, pod, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const onNode: Change = ["spec.nodeName", "n"];

describe("a change of a Pod's status", () => {
  const ended = (exitCode: number) => [{ name: "web", state: { terminated: { exitCode } } }];
  const running = [{ name: "web", state: { running: {} } }];
  const problems = (before: readonly Change[], after: readonly Change[]) =>
    problemsOf(validatePodStatus(changed(pod, ...after), changed(pod, ...before)));
  const policy = (restartPolicy: string): Change => ["spec.restartPolicy", restartPolicy];
  const statuses = (list: readonly JsonObject[]): Change => ["status.containerStatuses", [...list]];

  const addresses = (list: string, ...ips: string[]): Change[] => [[`status.${list}`, ips.map((ip) => ({ ip }))]];
  const hostIp = "Invalid status.hostIPs[0].ip";
  const claims = (...list: JsonObject[]): Change => ["status.resourceClaimStatuses", list];
  const claim = (index: number): string => `status.resourceClaimStatuses[${index}].name`;
  const declared: Change = ["spec.resourceClaims", [{ name: "c" }]];
  const user = (linux: JsonObject): Change => ["status.containerStatuses", [{ name: "web", user: { linux } }]];
  const userField = "status.containerStatuses[0].user.linux";

  it.each([
    { list: "initContainerStatuses", restartPolicy: "Always", expected: [] },
    { list: "initContainerStatuses", restartPolicy: "Never", expected: ["Forbidden"] },
    { list: "ephemeralContainerStatuses", restartPolicy: "Always", expected: ["Forbidden"] },
  ])("lets what ended in $list of $restartPolicy run again: $expected", ({ list, restartPolicy, expected }) => {
    const spec = policy(restartPolicy);
    const path = `status.${list}`;
    const found = problems([spec, [path, ended(1)]], [spec, [path, running]]);
    expect(found).toEqual(expected.map((reason) => `${reason} ${path}[0].state`));
    const sidecar: Change = ["spec.initContainers", [{ name: "web", restartPolicy: "Always" }]];
    const always = problems([spec, sidecar, [path, ended(1)]], [spec, sidecar, [path, running]]);
    expect(always).toEqual(list === "initContainerStatuses" ? [] : found);
  });

  it.each([
    { restartPolicy: "Always", exitCode: 1, expected: [] },
    { restartPolicy: "OnFailure", exitCode: 1, expected: [] },
    { restartPolicy: "OnFailure", exitCode: 0, expected: ["Forbidden status.containerStatuses[0].state"] },
    { restartPolicy: "Never", exitCode: 1, expected: ["Forbidden status.containerStatuses[0].state"] },
  ])(
    "lets a container of $restartPolicy that ended with $exitCode run again: $expected",
    ({ restartPolicy, exitCode, expected }) => {
      const spec = policy(restartPolicy);
      expect(problems([spec, statuses(ended(exitCode))], [spec, statuses(running)])).toEqual(expected);
      expect(problems([spec, statuses(ended(exitCode))], [spec, statuses(ended(exitCode))])).toEqual([]);
      expect(problems([spec, statuses(ended(exitCode))], [spec, statuses([])])).toEqual([]);
    },
  );

  it.each<{ before?: readonly Change[]; after: readonly Change[]; expected: readonly string[] }>([
    { after: [["status.conditions", [{ type: "Ready" }, { type: "a.io/x" }]]], expected: [] },
    { after: [["status.conditions", [{ type: "a b" }]]], expected: ["Invalid status.conditions[0].Type"] },
    { after: [onNode], expected: ["Forbidden status.nodeName"] },
    { after: [["status.nominatedNodeName", "N_"]], expected: ["Invalid status.nominatedNodeName"] },
    { before: [["status.nominatedNodeName", "N_"]], after: [["status.nominatedNodeName", "N_"]], expected: [] },
    { after: [["status.observedGeneration", -1]], expected: ["Invalid status.observedGeneration"] },
    {
      before: [["status.qosClass", "Burstable"]],
      after: [["status.qosClass", "Guaranteed"]],
      expected: ["Invalid status.qosClass"],
    },
    { after: [["spec.containers", []]], expected: [] },
    {
      after: [["status.conditions", [{ type: "Ready", observedGeneration: -1 }]]],
      expected: ["Invalid status.conditions[0].observedGeneration"],
    },
    { after: [["status.conditions", [{ type: "ContainersReady" }]]], expected: [] },
    { after: addresses("podIPs", "10.0.0.1"), expected: [] },
    { after: addresses("podIPs", "10.0.0.1", "2001:db8::1"), expected: [] },
    { after: addresses("podIPs", "010.0.0.1"), expected: [] },
    { after: addresses("podIPs", "x"), expected: ["Invalid status.podIPs[0]"] },
    { before: addresses("podIPs", "x"), after: addresses("podIPs", "x"), expected: [] },
    { after: addresses("podIPs", "10.0.0.1", "10.0.0.2"), expected: ["Invalid status.podIPs"] },
    { after: addresses("podIPs", "10.0.0.1", "::1", "::2"), expected: ["Invalid status.podIPs"] },
    {
      after: addresses("podIPs", "10.0.0.1", "y"),
      expected: ["Invalid status.podIPs[1]", "InternalError status.podIPs", "Invalid status.podIPs"],
    },
    { after: [["status.hostIP", "10.0.0.1"], ...addresses("hostIPs", "10.0.0.1", "::1")], expected: [] },
    { after: [["status.hostIP", "::1"], ...addresses("hostIPs", "10.0.0.1", "::1")], expected: [hostIp] },
    { after: addresses("hostIPs", "x"), expected: [hostIp, "Invalid status.hostIPs[0]"] },
    { after: [claims({ name: "c", resourceClaimName: "c-1" })], expected: [`Invalid ${claim(0)}`] },
    { after: [declared, claims({ name: "c", resourceClaimName: "c-1" })], expected: [] },
    { after: [declared, claims({ name: "c" }, { name: "c" })], expected: [`Duplicate ${claim(1)}`] },
    { after: [declared, claims({ name: "c", resourceClaimName: "A B" })], expected: [`Invalid ${claim(0)}`] },
    {
      after: [user({ uid: -1, gid: 2 ** 31, supplementalGroups: [0, -1] })],
      expected: ["uid", "gid", "supplementalGroups[1]"].map((name) => `Invalid ${userField}.${name}`),
    },
    { after: [user({ uid: 0, gid: 2 ** 31 - 1 })], expected: [] },
    { after: [user({ uid: 0 }), ["spec.os", { name: "windows" }]], expected: [`Forbidden ${userField}`] },
    { after: [user({ uid: -1 }), ["spec.os", { name: "other" }]], expected: [] },
  ])("has $expected from $before to $after", ({ before = [], after, expected }) => {
    expect(problems(before, after)).toEqual(expected);
  });
});
