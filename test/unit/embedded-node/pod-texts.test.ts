import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { downwardField, resourceField } from "../../../src/embedded-node/downward-fields.ts";
import { earlierContainer } from "../../../src/embedded-node/earlier-status.ts";
import { expandVariables } from "../../../src/embedded-node/expand-variables.ts";
import { hostEnv, hostPath, hostPort } from "../../../src/embedded-node/host-mapping.ts";
import { readPodSpec } from "../../../src/embedded-node/pod-spec.ts";

describe("expandVariables", () => {
  it.each([
    { text: "$(A)-$(B)", expected: "1-2" },
    { text: "$(NOPE)", expected: "$(NOPE)" },
    { text: "$$(A)", expected: "$(A)" },
    { text: "$$$(A)", expected: "$1" },
    { text: "$(A", expected: "$(A" },
    { text: "$A", expected: "$A" },
    { text: "$(constructor)", expected: "$(constructor)" },
  ])("makes $expected of $text", ({ text, expected }) => {
    expect(expandVariables(text, { A: "1", B: "2" })).toBe(expected);
  });
});

describe("downwardField", () => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u", labels: { b: "2", a: 'x"y' }, annotations: { "e.io/k": "v" } },
    spec: { serviceAccountName: "bot" },
  };
  it.each([
    { path: "metadata.name", expected: "p" },
    { path: "metadata.uid", expected: "u" },
    { path: "metadata.labels", expected: 'a="x\\"y"\nb="2"' },
    { path: "metadata.labels['b']", expected: "2" },
    { path: "metadata.labels['none']", expected: "" },
    { path: "metadata.labels['constructor']", expected: "" },
    { path: "metadata.annotations['e.io/k']", expected: "v" },
    { path: "spec.serviceAccountName", expected: "bot" },
    { path: "spec.nodeName", expected: "n" },
    { path: "status.podIP", expected: "127.0.0.1" },
  ])("reads $path", ({ path, expected }) => {
    expect(downwardField(pod, path, { nodeName: "n", address: "127.0.0.1", allocatable: {} })).toBe(expected);
  });

  it("refuses a field that there is not", () => {
    const node = { nodeName: "n", address: "127.0.0.1", allocatable: {} };
    expect(() => downwardField(pod, "spec.containers", node)).toThrow("unsupported fieldPath: spec.containers");
  });
});

describe("resourceField", () => {
  const resources = { limits: { cpu: "1500m", memory: "1Gi" }, requests: { memory: "100Mi" } };
  const node = { nodeName: "n", address: "127.0.0.1", allocatable: { cpu: "4", memory: "8Gi" } };
  const valueOf = (limited: JsonObject, reference: JsonObject) => {
    const containers = [{ name: "own", resources: limited }, { name: "unlimited" }];
    const initContainers = [{ name: "init", resources: { limits: { memory: "2Gi" } } }];
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers, initContainers } };
    return resourceField(pod, reference, node, "own");
  };

  it.each(["2e9", "2E9", "2G", "0.000002P", "2000000000000m", "2000000000"])(
    "reads %s as every quantity of Kubernetes",
    (memory) => {
      expect(valueOf({ limits: { memory } }, { resource: "limits.memory", divisor: "1" })).toBe("2000000000");
    },
  );

  it.each([
    { reference: { resource: "limits.cpu", divisor: "" }, expected: "2" },
    { reference: { resource: "limits.cpu", divisor: "1m" }, expected: "1500" },
    { reference: { resource: "limits.memory", divisor: "1Mi" }, expected: "1024" },
    { reference: { resource: "requests.memory", divisor: "1" }, expected: "104857600" },
    { reference: { resource: "requests.cpu", divisor: "1m" }, expected: "1500" },
    { reference: { resource: "limits.hugepages-2Mi", divisor: "0" }, expected: "0" },
    { reference: { resource: "limits.memory", divisor: "1Gi", containerName: "" }, expected: "1" },
    { reference: { resource: "limits.memory", divisor: "1Gi", containerName: "init" }, expected: "2" },
    { reference: { resource: "limits.memory", divisor: "1Gi", containerName: "unlimited" }, expected: "8" },
    { reference: { resource: "limits.cpu", containerName: "unlimited" }, expected: "4" },
    { reference: { resource: "requests.cpu", containerName: "unlimited" }, expected: "0" },
  ])("gives $expected for $reference", ({ reference, expected }) => {
    expect(valueOf(resources, reference)).toBe(expected);
  });
});

describe("the mapping of a container to the host", () => {
  const pod = readPodSpec({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u" },
    spec: { containers: [{ name: "c", image: "i", ports: [{ name: "health", containerPort: 80 }] }] },
  });
  const mapping = {
    ports: new Map([[80, 40_000]]),
    mounts: [
      ["/var/run/secrets/kubernetes.io/serviceaccount", "/host/sa"],
      ["/etc/c", "/host/c"],
    ] as const,
  };

  it("translates paths that are or lie under a mount, and no others", () => {
    expect(hostPath("/etc/c", mapping)).toBe("/host/c");
    expect(hostPath("/etc/c/a/b", mapping)).toBe("/host/c/a/b");
    expect(hostPath("/etc/cc", mapping)).toBe("/etc/cc");
    expect(hostPath("--file=/etc/c", mapping)).toBe("--file=/etc/c");
  });

  it("translates ports by name, number and text; what is not declared stays", () => {
    const [spec] = pod.containers;
    if (spec === undefined) throw new Error("no container");
    expect(hostPort(spec, mapping, "health")).toBe(40_000);
    expect(hostPort(spec, mapping, 80)).toBe(40_000);
    expect(hostPort(spec, mapping, "80")).toBe(40_000);
    expect(hostPort(spec, mapping, 81)).toBe(81);
    expect(hostPort(spec, mapping, "nope")).toBeUndefined();
  });

  it("translates variables that are exactly a port or a path, and names the service account's folder", () => {
    expect(hostEnv({ PORT: "80", TEXT: "80 things", FILE: "/etc/c/x" }, mapping, pod)).toEqual({
      HOSTNAME: "p",
      PORT: "40000",
      TEXT: "80 things",
      FILE: "/host/c/x",
      ROLLCALL_SERVICE_ACCOUNT_DIR: "/host/sa",
    });
  });
});

it.each([
  { name: "p", spec: {}, expected: "p" },
  { name: "p", spec: { hostname: "db-0" }, expected: "db-0" },
  { name: `${"a".repeat(62)}.-b`, spec: {}, expected: "a".repeat(62) },
])("HOSTNAME of a Pod of $name and $spec is $expected", ({ name, spec, expected }) => {
  const pod = readPodSpec({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
  expect(hostEnv({}, { ports: new Map(), mounts: [] }, pod)).toMatchObject({ HOSTNAME: expected });
});

describe("earlierContainer", () => {
  const podWith = (status: object) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    status: { containerStatuses: [{ name: "c", restartCount: 4, containerID: "rollcall://x", ...status }] },
  });

  it("takes a container that was running for one that was lost", () => {
    const running = podWith({ state: { running: { startedAt: "2026-01-01T00:00:00Z" } } });
    expect(earlierContainer(running, "c", 5)).toEqual({
      restartCount: 4,
      state: {
        kind: "terminated",
        exitCode: 255,
        reason: "Unknown",
        startedAtMs: Date.parse("2026-01-01T00:00:00Z"),
        finishedAtMs: 5,
        containerId: "rollcall://x",
      },
    });
  });

  it("keeps how the last run of a waiting one ended, and knows nothing of a new one", () => {
    const waiting = podWith({ state: { waiting: {} }, lastState: { terminated: { exitCode: 3, reason: "Error" } } });
    expect(earlierContainer(waiting, "c", 5).state).toMatchObject({ exitCode: 3, reason: "Error" });
    expect(earlierContainer(waiting, "other", 5)).toEqual({ restartCount: 0, state: undefined });
  });
});
