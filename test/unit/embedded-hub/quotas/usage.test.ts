import { describe, expect, it } from "vitest";
import { formatQuantity } from "../../../../src/core/formats/quantity.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { Amounts } from "../../../../src/embedded-hub/amounts/pod-amounts.ts";
import { podEndMs, unnamedAmounts, usageOf } from "../../../../src/embedded-hub/quotas/usage.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const endMs = Date.parse("2026-01-02T03:04:05Z");

function texts(amounts: Amounts): Readonly<Record<string, string>> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

function podOf(spec: JsonObject, more: JsonObject = {}): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec, ...more };
}

function containing(requests: JsonObject, limits: JsonObject = {}): JsonObject {
  return { containers: [{ name: "c", resources: { requests, limits } }] };
}

const one = { "count/pods": "1", pods: "1" };

describe("the usage of a Pod", () => {
  it.each<readonly [string, JsonObject, JsonObject]>([
    ["nothing asked for", containing({}), one],
    [
      "what is computed, under both names",
      containing({ cpu: "100m", memory: "1Gi", "ephemeral-storage": "1G" }, { cpu: "1", "ephemeral-storage": "2G" }),
      {
        ...{ cpu: "100m", "requests.cpu": "100m", "limits.cpu": "1", memory: "1Gi", "requests.memory": "1Gi" },
        ...{ "ephemeral-storage": "1G", "requests.ephemeral-storage": "1G", "limits.ephemeral-storage": "2G" },
      },
    ],
    [
      "huge pages and devices, by their requests alone",
      containing(
        { "hugepages-2Mi": "4Mi", "example.org/gpu": "2", "kubernetes.io/odd": "3" },
        { "hugepages-2Mi": "4Mi", "example.org/gpu": "2", memory: "1Mi" },
      ),
      {
        ...{ "hugepages-2Mi": "4Mi", "requests.hugepages-2Mi": "4Mi" },
        ...{ "requests.example.org/gpu": "2", "limits.memory": "1Mi" },
      },
    ],
    [
      "the overhead of its runtime, and of limits only where there is one",
      { ...containing({ cpu: "1" }, { cpu: "2", memory: "0" }), overhead: { cpu: "250m", memory: "1Mi" } },
      {
        ...{ cpu: "1250m", "requests.cpu": "1250m", memory: "1Mi", "requests.memory": "1Mi" },
        ...{ "limits.cpu": "2250m", "limits.memory": "0" },
      },
    ],
  ])("counts %s", (_what, spec, expected) => {
    expect(texts(usageOf("/pods", podOf(spec), 0))).toEqual({ ...one, ...expected });
  });

  it.each([
    ["Failed", { status: { phase: "Failed" } }, -Infinity],
    ["Succeeded", { status: { phase: "Succeeded" } }, -Infinity],
    ["Running", { status: { phase: "Running" } }, Infinity],
    [
      "being deleted",
      { metadata: { name: "a", deletionTimestamp: "2026-01-02T03:04:00Z", deletionGracePeriodSeconds: 5 } },
      endMs,
    ],
    [
      "being deleted at no known time",
      { metadata: { name: "a", deletionTimestamp: "2026-01-02T03:04:00Z" } },
      Infinity,
    ],
    ["to be deleted with a delay", { metadata: { name: "a", deletionGracePeriodSeconds: 5 } }, Infinity],
  ])("ends when it is %s", (_state, more, expectedMs) => {
    expect(podEndMs(podOf({}, more))).toBe(expectedMs);
  });

  it("is its object alone after its end", () => {
    const deletion = { deletionTimestamp: "2026-01-02T03:04:00Z", deletionGracePeriodSeconds: 5 };
    const pod = podOf(containing({ cpu: "1" }), { metadata: { name: "a", ...deletion } });
    expect(texts(usageOf("/pods", pod, endMs))).toMatchObject({ ...one, cpu: "1" });
    expect(texts(usageOf("/pods", pod, endMs + 1))).toEqual({ "count/pods": "1" });
  });
});

describe("the usage of a Service", () => {
  const ports = [{ port: 80, nodePort: 30_000 }, { port: 81 }, { port: 82, nodePort: 0 }];
  it.each([
    ["ClusterIP", {}, "0", "0"],
    ["NodePort", {}, "0", "3"],
    ["NodePort", { allocateLoadBalancerNodePorts: false }, "0", "3"],
    ["LoadBalancer", {}, "1", "3"],
    ["LoadBalancer", { allocateLoadBalancerNodePorts: true }, "1", "3"],
    ["LoadBalancer", { allocateLoadBalancerNodePorts: false }, "1", "1"],
  ])("of type %s with %j has %s load balancers and %s ports of nodes", (type, more, balancers, nodePorts) => {
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { type, ports, ...more } };
    expect(texts(usageOf("/services", service, 0))).toEqual({
      ...{ "count/services": "1", services: "1", "services.loadbalancers": balancers, "services.nodeports": nodePorts },
    });
  });
});

it.each([
  ["/configmaps", ["count/configmaps", "configmaps"]],
  ["/endpoints", ["count/endpoints"]],
  ["apps/deployments", ["count/deployments.apps"]],
  ["other/configmaps", ["count/configmaps.other"]],
])("an object of kind %s is counted as %j", (kind, names) => {
  const object = { apiVersion: "v1", kind: "A", metadata: { name: "a" } };
  expect(texts(usageOf(kind, object, 0))).toEqual(Object.fromEntries(names.map((name) => [name, "1"])));
});

describe("what a quota makes each container name", () => {
  const containers = [
    { name: "b", resources: { requests: { cpu: "1" }, limits: { cpu: "1", memory: "1" } } },
    { name: "a", resources: { requests: { memory: "1" } } },
  ];
  const initContainers = [{ name: "i" }];

  it.each<readonly [string, readonly string[], JsonObject, JsonObject]>([
    ["nothing", ["pods", "requests.example.org/gpu", "requests.ephemeral-storage", "ephemeral-storage"], {}, {}],
    ["requests", ["cpu", "requests.memory"], {}, { cpu: ["a"], "requests.memory": ["b"] }],
    ["limits", ["limits.cpu", "limits.memory"], {}, { "limits.cpu": ["a"], "limits.memory": ["a"] }],
    ["what only a beginning container lacks", ["cpu"], { initContainers }, { cpu: ["a", "i"] }],
    ["nothing where the Pod asks for all of them", ["cpu"], { resources: { requests: { memory: "1" } } }, {}],
    ["nothing where the Pod has limits", ["limits.cpu"], { resources: { limits: { "hugepages-2Mi": "2Mi" } } }, {}],
    ["cpu where the Pod asks for something else", ["cpu"], { resources: { requests: { odd: "1" } } }, { cpu: ["a"] }],
  ])("is %s", (_what, names, more, expected) => {
    const missing = unnamedAmounts(podOf({ containers, ...more }), names);
    expect(Object.fromEntries([...missing].map(([name, of]) => [name, [...of]]))).toEqual(expected);
  });
});
