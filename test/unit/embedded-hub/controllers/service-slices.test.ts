import { describe, expect, it } from "vitest";
import { objectsAt } from "../../../../src/core/read-json.ts";
import { planSlices } from "../../../../src/embedded-hub/controllers/service-slices.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const service: KubeObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "shop", uid: "s" },
  spec: { clusterIP: "10.96.0.7", selector: { app: "web" }, ports: [{ port: 80, protocol: "TCP" }] },
};
const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };

function pods(count: number): KubeObject[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `web-${index}`, namespace: "shop", uid: `p${index}`, labels: { app: "web" } },
    spec: { nodeName: "n" },
    status: { phase: "Running", podIP: `10.1.${Math.floor(index / 250)}.${(index % 250) + 1}` },
  }));
}

const plan = (of: readonly KubeObject[], slices: readonly KubeObject[]) =>
  planSlices({ service, pods: of, slices, nodeOf: (name) => (name === "n" ? node : undefined) });
const stored = (slices: readonly KubeObject[]): KubeObject[] =>
  slices.map((slice, index) => ({ ...slice, metadata: { ...slice.metadata, name: `web-${index}` } }));
const sizes = (slices: readonly KubeObject[]): number[] => slices.map((slice) => objectsAt(slice, "endpoints").length);

describe("the slices of a Service", () => {
  it("hold a hundred endpoints each, and nothing is written when nothing changed", () => {
    const { create } = plan(pods(250), []);
    expect(sizes(create)).toEqual([100, 100, 50]);
    expect(plan(pods(250), stored(create))).toEqual({ create: [], update: [], remove: [] });
  });

  it("change in one slice when one Pod changes, and new endpoints fill the one with room", () => {
    const slices = stored(plan(pods(250), []).create);
    const changed = pods(251).map((pod, index) =>
      index === 120 ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } } : pod,
    );
    const { create, update, remove } = plan(changed, slices);
    expect([create, remove]).toEqual([[], []]);
    expect(update.map(({ metadata }) => metadata.name)).toEqual(["web-1", "web-2"]);
    expect(sizes(update)).toEqual([100, 51]);
  });

  it("are one empty slice without Pods, which the first Pod fills", () => {
    const { create } = plan([], []);
    expect(create).toMatchObject([{ endpoints: null, ports: null, addressType: "IPv4" }]);
    const filled = plan(pods(1), stored(create));
    expect([filled.create, filled.remove]).toEqual([[], []]);
    expect(filled.update.map(({ metadata }) => metadata.name)).toEqual(["web-0"]);
    expect(sizes(filled.update)).toEqual([1]);
  });

  it("are deleted when no endpoint is left for them, but for one", () => {
    const { update, remove } = plan([], stored(plan(pods(250), []).create));
    expect([sizes(update), remove.length]).toEqual([[0], 2]);
  });

  it("have no Pod whose Node is missing, unless those that are not ready are published", () => {
    const [pod] = pods(1);
    const lost = { ...pod, spec: { nodeName: "gone" } } as KubeObject;
    expect(sizes(plan([lost], []).create)).toEqual([0]);
    const spec = { ...(service["spec"] as object), publishNotReadyAddresses: true };
    const open = planSlices({ service: { ...service, spec }, pods: [lost], slices: [], nodeOf: () => undefined });
    expect(sizes(open.create)).toEqual([1]);
  });

  it("are owned by the Service, and deleted of a family that it has no more", () => {
    const dual = { ...service, spec: { ...(service["spec"] as object), ipFamilies: ["IPv6", "IPv4"] } };
    const { create } = planSlices({ service: dual, pods: pods(1), slices: [], nodeOf: () => node });
    expect(create.map(({ addressType, endpoints }) => [addressType, endpoints === null])).toEqual([
      ["IPv6", true],
      ["IPv4", false],
    ]);
    expect(create[0]?.metadata.ownerReferences).toEqual([
      { apiVersion: "v1", kind: "Service", name: "web", uid: "s", controller: true, blockOwnerDeletion: true },
    ]);
    const { remove, ...others } = plan(pods(1), stored(create));
    expect([remove.map(({ addressType }) => addressType), others]).toEqual([["IPv6"], { create: [], update: [] }]);
  });

  it("are written for other ports, one for each set of them that Pods have", () => {
    const named = { ...service, spec: { ...(service["spec"] as object), ports: [{ port: 80, targetPort: "http" }] } };
    const withPort = pods(3).map((pod, index): KubeObject => {
      const containers = [{ name: "main", ports: [{ name: "http", containerPort: index < 2 ? 8080 : 9090 }] }];
      return { ...pod, spec: { nodeName: "n", containers } };
    });
    const slices = stored(plan(withPort, []).create);
    const { create, update, remove } = planSlices({ service: named, pods: withPort, slices, nodeOf: () => node });
    const shown = [...create, ...update].map(
      (slice) => `${objectsAt(slice, "ports")[0]?.["port"] as number} ${sizes([slice])[0]}`,
    );
    expect([shown.sort(), create.length, update.map(({ metadata }) => metadata.name), remove]).toEqual([
      ["8080 2", "9090 1"],
      1,
      ["web-0"],
      [],
    ]);
    const both = stored([...update, ...create]);
    const again = planSlices({ service: named, pods: withPort.slice(0, 2), slices: both, nodeOf: () => node });
    expect([again.create, again.update, again.remove.map((slice) => sizes([slice])[0])]).toEqual([[], [], [1]]);
  });
});
