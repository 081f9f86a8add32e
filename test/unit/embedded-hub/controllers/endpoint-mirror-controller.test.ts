import { expect, it } from "vitest";
import { objectsAt, textsAt } from "../../../../src/core/read-json.ts";
import type { HubWorld } from "./hub-world.ts";
import { startHubWorld } from "./hub-world.ts";

const metadata = { name: "plain", namespace: "shop" };
const ports = [{ port: 80 }];

async function startShop(): Promise<HubWorld> {
  const world = await startHubWorld();
  await world.create({ apiVersion: "v1", kind: "Service", metadata, spec: { ports } });
  const subsets = [{ addresses: [{ ip: "10.2.0.1" }], ports }];
  await world.create({ apiVersion: "v1", kind: "Endpoints", metadata, subsets });
  await world.settle();
  return world;
}

const addressesOf = (world: HubWorld): string[] =>
  world.list("endpointslices").map((slice) => textsAt(objectsAt(slice, "endpoints")[0], "addresses")[0] ?? "");

it("mirrors Endpoints of a Service without a selector, and writes nothing when nothing changes", async () => {
  const world = await startShop();
  expect(addressesOf(world)).toEqual(["10.2.0.1"]);
  const before = world.operations.revision();
  await world.change("endpoints", "plain", (endpoints) => ({ ...endpoints }));
  await world.clock.advance(600_000);
  await world.settle();
  expect(world.operations.revision()).toBe(before);
});

it("writes a slice again that a user deleted or changed, and gives one up that a user took over", async () => {
  const world = await startShop();
  await world.remove("endpointslices", world.list("endpointslices")[0]?.metadata.name ?? "");
  await world.settle();
  expect(addressesOf(world)).toEqual(["10.2.0.1"]);
  const name = world.list("endpointslices")[0]?.metadata.name ?? "";
  await world.change("endpointslices", name, (slice) => ({ ...slice, endpoints: [{ addresses: ["10.2.0.7"] }] }));
  await world.settle();
  expect(addressesOf(world)).toEqual(["10.2.0.1"]);
  await world.change("endpointslices", name, ({ metadata: { labels, ...others }, ...slice }) => ({
    ...slice,
    metadata: { ...others, labels: { ...labels, "endpointslice.kubernetes.io/managed-by": "a-user" } },
  }));
  await world.settle();
  expect(addressesOf(world)).toEqual(["10.2.0.1", "10.2.0.1"]);
});

it("deletes the slices of Endpoints whose Service gets a selector or is deleted", async () => {
  const world = await startShop();
  await world.change("services", "plain", (service) => ({ ...service, spec: { ports, selector: { app: "none" } } }));
  await world.settle();
  expect(addressesOf(world)).not.toContain("10.2.0.1");
  await world.remove("services", "plain");
  await world.settle();
  expect(world.list("endpointslices")).toEqual([]);
});
