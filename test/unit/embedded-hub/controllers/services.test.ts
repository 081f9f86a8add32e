import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectsAt, textAt } from "../../../../src/core/read-json.ts";
import { keepKubernetesEndpoints } from "../../../../src/embedded-hub/controllers/kubernetes-endpoints.ts";
import type { HubWorld } from "./hub-world.ts";
import { startHubWorld } from "./hub-world.ts";

const spec = { selector: { app: "web" }, ports: [{ port: 80 }] };

async function startShop(): Promise<HubWorld> {
  const world = await startHubWorld();
  await world.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  await world.create({ apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "shop" }, spec });
  await addPod(world, "a", "10.1.0.1");
  return world;
}

async function addPod(world: HubWorld, name: string, podIP: string): Promise<void> {
  const metadata = { name, namespace: "shop", labels: { app: "web" } };
  const containers = [{ name: "main", image: "none" }];
  await world.create({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "n", containers } });
  const status: JsonObject = { phase: "Running", podIP, podIPs: [{ ip: podIP }] };
  await world.change("pods", name, (pod) => ({ ...pod, status }), { subresource: "status" });
  await world.settle();
}

const addressesOf = (world: HubWorld): (string | undefined)[] => [
  textAt(objectsAt(objectsAt(world.get("endpoints", "web"), "subsets")[0], "notReadyAddresses")[0], "ip"),
  ...world.list("endpointslices").map((slice) => JSON.stringify(slice["endpoints"])),
];

describe("a Service with a selector", () => {
  it("loses the address of a Pod whose labels change", async () => {
    const world = await startShop();
    expect(JSON.stringify(addressesOf(world))).toContain("10.1.0.1");
    await world.change("pods", "a", (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: "other" } } }));
    await world.settle();
    expect(JSON.stringify(addressesOf(world))).not.toContain("10.1.0.1");
  });

  it("has no endpoints for the loopback address of a local process, and is not written again then", async () => {
    const world = await startShop();
    await addPod(world, "b", "127.0.0.1");
    expect(JSON.stringify(addressesOf(world))).not.toContain("127.0.0.1");
    const before = world.operations.revision();
    await world.clock.advance(600_000);
    await world.settle();
    expect(world.operations.revision()).toBe(before);
  });

  it("has its labels on its endpoints, which are written anew where a user changes or deletes them", async () => {
    const world = await startShop();
    const relabel = (kind: string, name: string, labels: Record<string, string>) =>
      world.change(kind, name, (object) => ({ ...object, metadata: { ...object.metadata, labels } }));
    await relabel("services", "web", { team: "a", "service.kubernetes.io/headless": "x" });
    await world.settle();
    const sliceOf = () => world.list("endpointslices")[0];
    expect(world.get("endpoints", "web")?.metadata.labels).toEqual({
      ...{ team: "a", "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
    });
    expect(sliceOf()?.metadata.labels).toMatchObject({ team: "a", "kubernetes.io/service-name": "web" });
    const { name = "" } = sliceOf()?.metadata ?? {};
    await world.change("endpointslices", name, (slice) => ({ ...slice, endpoints: [] }));
    await world.remove("endpoints", "web");
    await world.settle();
    expect(addressesOf(world)[0]).toBe("10.1.0.1");
    expect(addressesOf(world)[1]).toContain("10.1.0.1");
    await world.remove("endpointslices", name);
    await relabel("nodes", "n", { "topology.kubernetes.io/zone": "z" });
    await world.settle();
    expect(addressesOf(world)[1]).toContain('"zone":"z"');
    await world.remove("nodes", "n");
    await world.settle();
    expect(addressesOf(world)[1]).not.toContain("10.1.0.1");
  });

  it("leaves slices and Endpoints of users to them, until it is deleted", async () => {
    const world = await startShop();
    const labels = { "kubernetes.io/service-name": "web", "endpointslice.kubernetes.io/managed-by": "me" };
    const endpoints = [{ addresses: ["10.9.0.1"] }];
    const metadata = { name: "mine", namespace: "shop", labels };
    const apiVersion = "discovery.k8s.io/v1";
    await world.create({ apiVersion, kind: "EndpointSlice", metadata, addressType: "IPv4", endpoints, ports: [] });
    const plain = { name: "plain", namespace: "shop" };
    const subsets = [{ addresses: [{ ip: "10.9.0.1" }], ports: [{ port: 80 }] }];
    await world.create({ apiVersion: "v1", kind: "Endpoints", metadata: plain, subsets });
    await world.settle();
    expect(world.get("endpoints", "plain")?.["subsets"]).toMatchObject(subsets);
    await world.create({ apiVersion: "v1", kind: "Service", metadata: plain, spec: { ports: [{ port: 80 }] } });
    await world.change("services", "web", (one) => ({ ...one, metadata: { ...one.metadata, labels: { a: "b" } } }));
    await world.settle();
    expect(world.get("endpointslices", "mine")?.["endpoints"]).toMatchObject(endpoints);
    expect(world.get("endpoints", "plain")?.["subsets"]).toMatchObject(subsets);
    await world.remove("services", "plain");
    await world.settle();
    expect(world.get("endpoints", "plain")).toBeUndefined();
  });

  it("is deleted with its endpoints, and with its namespace", async () => {
    const world = await startShop();
    await world.remove("services", "web");
    await world.settle();
    expect([world.list("endpoints"), world.list("endpointslices")]).toEqual([[], []]);
    await world.create({ apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "shop" }, spec });
    await world.remove("pods", "a", { gracePeriodSeconds: 0 });
    await world.remove("namespaces", "shop");
    await world.settle();
    expect(world.get("namespaces", "shop")).toBeUndefined();
  });
});

describe("the Service kubernetes", () => {
  it("has endpoints that are written only when the address of the hub changes", async () => {
    const world = await startHubWorld();
    await keepKubernetesEndpoints(world.operations, { address: "192.0.2.1", port: 6443 });
    const written = world.operations.revision();
    await keepKubernetesEndpoints(world.operations, { address: "192.0.2.1", port: 6443 });
    expect(world.operations.revision()).toBe(written);
    await keepKubernetesEndpoints(world.operations, { address: "2001:db8::1", port: 6443 });
    expect(world.list("endpointslices", "default")).toMatchObject([
      { addressType: "IPv6", endpoints: [{ addresses: ["2001:db8::1"], conditions: { ready: true } }] },
    ]);
    await keepKubernetesEndpoints(world.operations, { address: undefined, port: 6443 });
    expect(world.get("endpoints", "kubernetes", "default")).not.toHaveProperty("subsets");
  });
});
