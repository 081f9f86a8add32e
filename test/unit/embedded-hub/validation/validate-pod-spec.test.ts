import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const web = (podSpec["containers"] as readonly JsonObject[])[0] ?? {};
const texts = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index));
const context = "containers.0.securityContext";
const seccomp = "containers.0.securityContext.seccompProfile";

function problems(changes: readonly Change[], isPod = true): string[] {
  return problemsOf(validatePodSpec(changed(podSpec, ...changes), "spec", isPod));
}

describe("validatePodSpec", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    { changes: [], expected: [] },
    {
      changes: [["terminationGracePeriodSeconds", undefined]],
      expected: ["Required spec.terminationGracePeriodSeconds"],
    },
    { changes: [["restartPolicy", "Sometimes"]], expected: ["NotSupported spec.restartPolicy"] },
    { changes: [["restartPolicy", undefined]], expected: ["Required spec.restartPolicy"] },
    { changes: [["dnsPolicy", "Odd"]], expected: ["NotSupported spec.dnsPolicy"] },
    { changes: [["nodeSelector", { "a b": "" }]], expected: ["Invalid spec.nodeSelector"] },
    { changes: [["serviceAccountName", "A_"]], expected: ["Invalid spec.serviceAccountName"] },
    { changes: [["nodeName", "A_"]], expected: ["Invalid spec.nodeName"] },
    { changes: [["hostname", "a.b"]], expected: ["Invalid spec.hostname"] },
    { changes: [["subdomain", "a.b"]], expected: ["Invalid spec.subdomain"] },
    { changes: [["activeDeadlineSeconds", 0]], expected: ["Invalid spec.activeDeadlineSeconds"] },
    { changes: [["activeDeadlineSeconds", 1]], expected: [] },
    { changes: [["activeDeadlineSeconds", 2 ** 31 - 1]], expected: [] },
    { changes: [["activeDeadlineSeconds", 2 ** 31]], expected: ["Invalid spec.activeDeadlineSeconds"] },
    { changes: [["priorityClassName", "A_"]], expected: ["Invalid spec.priorityClassName"] },
    { changes: [["runtimeClassName", ""]], expected: ["Invalid spec.runtimeClassName"] },
    { changes: [["preemptionPolicy", "Odd"]], expected: ["NotSupported spec.preemptionPolicy"] },
    { changes: [["preemptionPolicy", ""]], expected: ["Required spec.preemptionPolicy"] },
    { changes: [["preemptionPolicy", "Never"]], expected: [] },
    {
      changes: [["readinessGates", [{ conditionType: "a b" }]]],
      expected: ["Invalid spec.readinessGates[0].conditionType"],
    },
    {
      changes: [["hostAliases", [{ ip: "x", hostnames: ["a", "A_"] }]]],
      expected: ["Invalid spec.hostAliases[0].ip", "Invalid spec.hostAliases[0].hostnames[1]"],
    },
    { changes: [["dnsPolicy", "None"]], expected: ["Required spec.dnsConfig"] },
    {
      changes: [
        ["dnsPolicy", "None"],
        ["dnsConfig", {}],
      ],
      expected: ["Required spec.dnsConfig.nameservers"],
    },
    {
      changes: [
        ["dnsPolicy", "None"],
        ["dnsConfig", { nameservers: ["1.1.1.1"] }],
      ],
      expected: [],
    },
    { changes: [["dnsConfig", { nameservers: texts(3, (index) => `1.1.1.${index}`) }]], expected: [] },
    {
      changes: [["dnsConfig", { nameservers: texts(4, (index) => `1.1.1.${index}`) }]],
      expected: ["Invalid spec.dnsConfig.nameservers"],
    },
    { changes: [["dnsConfig", { nameservers: ["x"] }]], expected: ["Invalid spec.dnsConfig.nameservers[0]"] },
    {
      changes: [["dnsConfig", { searches: ["_a.b.", ".", "a..b"] }]],
      expected: ["Invalid spec.dnsConfig.searches[2]"],
    },
    { changes: [["dnsConfig", { searches: texts(32, (index) => `a${index}`) }]], expected: [] },
    {
      changes: [["dnsConfig", { searches: texts(33, (index) => `a${index}`) }]],
      expected: ["Invalid spec.dnsConfig.searches"],
    },
    {
      changes: [["dnsConfig", { options: [{ name: "ndots" }, {}] }]],
      expected: ["Required spec.dnsConfig.options[1]"],
    },
  ])("finds $expected with $changes", ({ changes, expected }) => {
    expect(problems(changes)).toEqual(expected);
  });

  it("wants the port of the host to be that of the container on the network of the host", () => {
    const host: Change = ["hostNetwork", true];
    expect(problems([host])).toEqual(["Invalid spec.containers[0].ports[0].hostPort"]);
    expect(problems([host], false)).toEqual([]);
    expect(problems([host, ["containers.0.ports.0.hostPort", 80]])).toEqual([]);
    expect(problems([host, ["containers.0.ports.0.hostPort", 81]], false)).toEqual([
      "Invalid spec.containers[0].ports[0].hostPort",
    ]);
    expect(problems([["containers.0.ports.0.hostPort", 81]])).toEqual([]);
  });
});

describe("containers", () => {
  const volume: Change = ["volumes", [{ name: "v", emptyDir: {} }]];
  const mount = (changes: JsonObject = {}): Change => [
    "containers.0.volumeMounts",
    [{ name: "v", mountPath: "/v", ...changes }],
  ];
  const second = (changes: JsonObject): Change => ["containers.1", { ...web, name: "b", ports: [], ...changes }];
  const init = (changes: JsonObject): Change => ["initContainers", [{ ...web, name: "i", ports: [], ...changes }]];

  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    { changes: [["containers", []]], expected: ["Required spec.containers"] },
    { changes: [["containers.0.name", ""]], expected: ["Required spec.containers[0].name"] },
    { changes: [["containers.0.name", "A_"]], expected: ["Invalid spec.containers[0].name"] },
    { changes: [["containers.0.image", ""]], expected: ["Required spec.containers[0].image"] },
    { changes: [second({ name: "web" })], expected: ["Duplicate spec.containers[1].name"] },
    { changes: [second({})], expected: [] },
    { changes: [init({})], expected: [] },
    { changes: [init({ name: "web" })], expected: ["Duplicate spec.initContainers[0].name"] },
    {
      changes: [init({ lifecycle: { preStop: { sleep: { seconds: 1 } } } })],
      expected: ["Forbidden spec.initContainers[0].lifecycle"],
    },
    {
      changes: [["containers.0.imagePullPolicy", "Odd"]],
      expected: ["NotSupported spec.containers[0].imagePullPolicy"],
    },
    {
      changes: [["containers.0.terminationMessagePolicy", "Odd"]],
      expected: ["NotSupported spec.containers[0].terminationMessagePolicy"],
    },
    { changes: [["containers.0.ports.0.name", "a--b"]], expected: ["Invalid spec.containers[0].ports[0].name"] },
    {
      changes: [["containers.0.ports.1", { name: "http", containerPort: 81, protocol: "TCP" }]],
      expected: ["Duplicate spec.containers[0].ports[1].name"],
    },
    {
      changes: [["containers.0.ports.0.containerPort", 0]],
      expected: ["Required spec.containers[0].ports[0].containerPort"],
    },
    {
      changes: [["containers.0.ports.0.containerPort", 65_536]],
      expected: ["Invalid spec.containers[0].ports[0].containerPort"],
    },
    {
      changes: [["containers.0.ports.0.hostPort", 65_536]],
      expected: ["Invalid spec.containers[0].ports[0].hostPort"],
    },
    {
      changes: [["containers.0.ports.0.protocol", "HTTP"]],
      expected: ["NotSupported spec.containers[0].ports[0].protocol"],
    },
    {
      changes: [
        ["containers.0.ports.0.hostPort", 80],
        second({ ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] }),
      ],
      expected: ["Duplicate spec.containers[1].ports[0].hostPort"],
    },
    {
      changes: [
        ["containers.0.ports.0.hostPort", 80],
        second({ ports: [{ containerPort: 80, hostPort: 80, protocol: "UDP" }] }),
      ],
      expected: [],
    },
    { changes: [volume, mount()], expected: [] },
    { changes: [mount()], expected: ["NotFound spec.containers[0].volumeMounts[0].name"] },
    {
      changes: [volume, mount({ mountPath: "" })],
      expected: ["Required spec.containers[0].volumeMounts[0].mountPath"],
    },
    {
      changes: [volume, mount(), ["containers.0.volumeMounts.1", { name: "v", mountPath: "/v" }]],
      expected: ["Invalid spec.containers[0].volumeMounts[1].mountPath"],
    },
    { changes: [volume, mount({ subPath: "../x" })], expected: ["Invalid spec.containers[0].volumeMounts.subPath"] },
    { changes: [volume, mount({ subPath: "/x" })], expected: ["Invalid spec.containers[0].volumeMounts.subPath"] },
    {
      changes: [volume, mount({ subPathExpr: "../x" })],
      expected: ["Invalid spec.containers[0].volumeMounts.subPathExpr"],
    },
    {
      changes: [volume, mount({ subPath: "a", subPathExpr: "b" })],
      expected: ["Invalid spec.containers[0].volumeMounts[0].subPathExpr"],
    },
    {
      changes: [volume, mount({ mountPropagation: "Odd" })],
      expected: ["NotSupported spec.containers[0].volumeMounts.mountPropagation"],
    },
    {
      changes: [volume, mount({ mountPropagation: "Bidirectional" })],
      expected: ["Forbidden spec.containers[0].volumeMounts.mountPropagation"],
    },
    { changes: [volume, mount({ mountPropagation: "Bidirectional" }), [context, { privileged: true }]], expected: [] },
    { changes: [["containers.0.resizePolicy", [{ resourceName: "cpu", restartPolicy: "NotRequired" }]]], expected: [] },
    {
      changes: [["containers.0.resizePolicy", [{ resourceName: "disk", restartPolicy: "NotRequired" }]]],
      expected: ["NotSupported spec.containers[0].resizePolicy"],
    },
    {
      changes: [
        ["restartPolicy", "Never"],
        ["containers.0.resizePolicy", [{ resourceName: "cpu", restartPolicy: "RestartContainer" }]],
      ],
      expected: ["Invalid spec.containers[0].resizePolicy"],
    },
  ])("have $expected with $changes", ({ changes, expected }) => {
    expect(problems(changes)).toEqual(expected);
  });
});

describe("the rights of containers and Pods", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    { changes: [[context, { runAsUser: 0, runAsGroup: 2 ** 31 - 1 }]], expected: [] },
    { changes: [[context, { runAsUser: -1 }]], expected: [`Invalid spec.containers[0].securityContext.runAsUser`] },
    {
      changes: [[context, { runAsGroup: 2 ** 31 }]],
      expected: [`Invalid spec.containers[0].securityContext.runAsGroup`],
    },
    {
      changes: [[context, { allowPrivilegeEscalation: false, privileged: true }]],
      expected: ["Invalid spec.containers[0].securityContext"],
    },
    {
      changes: [[context, { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } }]],
      expected: ["Invalid spec.containers[0].securityContext"],
    },
    { changes: [[context, { allowPrivilegeEscalation: true, privileged: true }]], expected: [] },
    { changes: [[context, { privileged: true }]], expected: [] },
    { changes: [[context, { allowPrivilegeEscalation: false, capabilities: { add: ["NET_ADMIN"] } }]], expected: [] },
    { changes: [[seccomp, { type: "RuntimeDefault" }]], expected: [] },
    { changes: [[seccomp, {}]], expected: ["Required spec.containers[0].securityContext.seccompProfile.type"] },
    {
      changes: [[seccomp, { type: "Odd" }]],
      expected: ["NotSupported spec.containers[0].securityContext.seccompProfile.type"],
    },
    {
      changes: [[seccomp, { type: "Localhost" }]],
      expected: ["Required spec.containers[0].securityContext.seccompProfile.localhostProfile"],
    },
    { changes: [[seccomp, { type: "Localhost", localhostProfile: "a/b" }]], expected: [] },
    {
      changes: [[seccomp, { type: "Localhost", localhostProfile: "../b" }]],
      expected: ["Invalid spec.containers[0].securityContext.seccompProfile.localhostProfile"],
    },
    {
      changes: [[seccomp, { type: "Unconfined", localhostProfile: "a" }]],
      expected: ["Invalid spec.containers[0].securityContext.seccompProfile.localhostProfile"],
    },
    { changes: [["securityContext", { fsGroup: -1 }]], expected: ["Invalid spec.securityContext.fsGroup"] },
    { changes: [["securityContext", { runAsUser: 2 ** 31 }]], expected: ["Invalid spec.securityContext.runAsUser"] },
    { changes: [["securityContext", { runAsGroup: -1 }]], expected: ["Invalid spec.securityContext.runAsGroup"] },
    {
      changes: [["securityContext", { supplementalGroups: [1, -1] }]],
      expected: ["Invalid spec.securityContext.supplementalGroups[1]"],
    },
    {
      changes: [["securityContext", { seccompProfile: { type: "Odd" } }]],
      expected: ["NotSupported spec.securityContext.seccompProfile.type"],
    },
    {
      changes: [["securityContext", { sysctls: [{ name: "a..b", value: "1" }] }]],
      expected: ["Invalid spec.securityContext.sysctls[0].name"],
    },
    {
      changes: [
        ["shareProcessNamespace", true],
        ["hostPID", true],
      ],
      expected: ["Invalid spec.securityContext.shareProcessNamespace"],
    },
    { changes: [["shareProcessNamespace", true]], expected: [] },
    { changes: [["hostPID", true]], expected: [] },
  ])("have $expected with $changes", ({ changes, expected }) => {
    expect(problems(changes)).toEqual(expected);
  });
});
