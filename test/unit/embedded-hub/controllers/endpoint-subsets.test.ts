import { describe, expect, it } from "vitest";
import { cutToCapacity, endpointSubsets } from "../../../../src/embedded-hub/controllers/endpoint-subsets.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectsAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function service(spec: JsonObject): KubeObject {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "shop" }, spec };
}

function pod(name: string, status: JsonObject, port = 9100): KubeObject {
  const containers = [{ name: "main", ports: [{ name: "metrics", containerPort: port, protocol: "TCP" }] }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, uid: name }, spec: { containers }, status };
}

const ready = { conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] };
const addresses = (subset: JsonObject | undefined, field: string) =>
  objectsAt(subset, field).map((address) => address["ip"]);

describe("the subsets of Endpoints", () => {
  it("keep Pods with other ports of a name apart", () => {
    const ports = [{ port: 80, targetPort: "metrics", protocol: "TCP" }];
    const pods = [
      pod("a", { podIP: "10.1.0.2", ...ready }),
      pod("b", { podIP: "10.1.0.1" }),
      pod("c", { podIP: "10.1.0.3" }, 9200),
    ];
    const subsets = endpointSubsets(service({ clusterIP: "10.96.0.7", ports }), pods);
    expect(subsets.map(({ ports: of }) => of)).toEqual([
      [{ port: 9100, protocol: "TCP" }],
      [{ port: 9200, protocol: "TCP" }],
    ]);
    expect([addresses(subsets[0], "addresses"), addresses(subsets[0], "notReadyAddresses")]).toEqual([
      ["10.1.0.2"],
      ["10.1.0.1"],
    ]);
  });

  it("leave out Pods without an address, finished ones, and loopback addresses, which endpoints cannot hold", () => {
    const pods = [pod("a", {}), pod("b", { podIP: "10.1.0.1", phase: "Failed" }), pod("c", { podIP: "127.0.0.1" })];
    expect(endpointSubsets(service({ clusterIP: "10.96.0.7", ports: [{ port: 80 }] }), pods)).toEqual([]);
  });

  it("hold a thousand addresses, ready ones first", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ ip: `10.1.0.${index}` }));
    const [cut] = cutToCapacity([{ addresses: many(900), notReadyAddresses: many(200) }]);
    expect([addresses(cut, "addresses").length, addresses(cut, "notReadyAddresses").length]).toEqual([900, 100]);
  });
});
