import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { numberAt, objectsAt, textAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

function service(name: string, spec: JsonObject = {}): KubeObject {
  const metadata = { name, namespace: "shop" };
  return { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 80 }], ...spec } };
}

function nodeService(name: string, nodePort: number): KubeObject {
  return service(name, { type: "NodePort", ports: [{ port: 80, nodePort }] });
}

function portsOf(made: KubeObject): (number | undefined)[] {
  return objectsAt(made, "spec", "ports").map((port) => numberAt(port, "nodePort"));
}

describe("services that are created at the same time", () => {
  it("do not get one address that both ask for", async () => {
    const { create, list } = await startHubWorld();
    const wanted = { clusterIP: "10.96.7.7" };
    const refusals = await Promise.all([
      refusalOf(create(service("a", wanted))),
      refusalOf(create(service("b", wanted))),
    ]);
    expect(refusals.filter((one) => one !== undefined)).toEqual([
      expect.stringContaining("failed to allocate IP 10.96.7.7: provided IP is already allocated"),
    ]);
    expect(list("services").filter((one) => textAt(one, "spec", "clusterIP") === "10.96.7.7")).toHaveLength(1);
  });

  it("do not get one node port that both ask for", async () => {
    const { create, list } = await startHubWorld();
    const refusals = await Promise.all([
      refusalOf(create(nodeService("a", 30_007))),
      refusalOf(create(nodeService("b", 30_007))),
    ]);
    expect(refusals.filter((one) => one !== undefined)).toEqual([
      expect.stringContaining("provided port is already allocated"),
    ]);
    expect(list("services").flatMap(portsOf)).toEqual([30_007]);
  });
});

describe("an address and a port of a write that failed, of a dry run and of a deleted service", () => {
  it("are free again", async () => {
    const { create, remove, operations } = await startHubWorld();
    await create(service("taken"));
    const wanted = { clusterIP: "10.96.7.7", type: "NodePort", ports: [{ port: 80, nodePort: 30_007 }] };
    expect(await refusalOf(create(service("taken", wanted)))).toContain("already exists");
    const definition = operations.definitionOf("", "services");
    if (definition === undefined) throw new Error("Services are not served");
    const context = { ...contextOf(administrator), isDryRun: true };
    await operations.create(context, { definition, namespace: "shop" }, service("dry", wanted));
    await create(service("first", wanted));
    await remove("services", "first");
    const made = await create(service("second", wanted));
    expect([textAt(made, "spec", "clusterIP"), ...portsOf(made)]).toEqual(["10.96.7.7", 30_007]);
  });
});

describe("an address of a service in an old form", () => {
  it("is kept as it was written, and no other service gets it", async () => {
    const { create } = await startHubWorld();
    const made = await create(service("zeros", { clusterIP: "010.96.007.7" }));
    expect(textAt(made, "spec", "clusterIP")).toBe("010.96.007.7");
    for (const clusterIP of ["10.96.7.7", "::ffff:10.96.7.7"]) {
      expect(await refusalOf(create(service("plain", { clusterIP })))).toContain("provided IP is already allocated");
    }
  });

  it.each(["192.0.2.7", "10.96.0.0", "10.96.255.255", "10.97.0.0"])(
    "is refused outside of the range: %s",
    async (clusterIP) => {
      const { create, operations } = await startHubWorld();
      expect(await refusalOf(create(service("a", { clusterIP })))).toContain(
        `failed to allocate IP ${clusterIP}: the provided network does not match the current range`,
      );
      const definition = operations.definitionOf("", "services");
      if (definition === undefined) throw new Error("Services are not served");
      const context = { ...contextOf(administrator), isDryRun: true };
      const target = { definition, namespace: "shop" };
      expect(await refusalOf(operations.create(context, target, service("a", { clusterIP })))).toContain(
        `the provided IP (${clusterIP}) is not in the valid range. The range of valid IPs is 10.96.0.0/16`,
      );
    },
  );
});
