import { describe, expect, it } from "vitest";
import { numberAt, objectsAt, textAt, textsAt } from "../../../../src/core/read-json.ts";
import { planMirror, wantsMirror } from "../../../../src/embedded-hub/controllers/mirrored-slices.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function endpointsOf(subsets: readonly object[], metadata: object = {}): KubeObject {
  const own = { name: "web", namespace: "shop", uid: "1", ...metadata };
  return { apiVersion: "v1", kind: "Endpoints", metadata: own, subsets };
}

/** `IPv4 80: 10.0.0.1 10.0.0.2!`: an exclamation mark is an address that is not ready. */
function describeSlice(slice: KubeObject): string {
  const ports = objectsAt(slice, "ports").map((port) => String(numberAt(port, "port")));
  const addresses = objectsAt(slice, "endpoints").map(
    (endpoint) =>
      `${textsAt(endpoint, "addresses")[0] ?? ""}${JSON.stringify(endpoint).includes('"ready":false') ? "!" : ""}`,
  );
  return `${textAt(slice, "addressType") ?? ""} ${ports.join()}: ${addresses.join(" ")}`;
}

function stored(slice: KubeObject, name: string): KubeObject {
  return { ...slice, metadata: { ...slice.metadata, name } };
}

const http = [{ name: "http", port: 80, protocol: "TCP" }];
const dns = [{ name: "dns", port: 53, protocol: "UDP" }];

describe("slices of Endpoints", () => {
  it("are one for each family of addresses, and for ports that have the same addresses", () => {
    const { create } = planMirror(
      endpointsOf([
        {
          addresses: [{ ip: "10.0.0.1" }, { ip: "2001:db8::1" }],
          notReadyAddresses: [{ ip: "10.0.0.2" }],
          ports: http,
        },
        { addresses: [{ ip: "10.0.0.1" }], ports: dns },
        { addresses: [{ ip: "10.0.0.9" }] },
      ]),
      [],
    );
    expect(create.map(describeSlice).sort()).toEqual(
      ["IPv4 80: 10.0.0.1 10.0.0.2!", "IPv4 53: 10.0.0.1", "IPv4 : 10.0.0.9", "IPv6 80: 2001:db8::1"].sort(),
    );
    expect(create[0]?.metadata).toMatchObject({
      generateName: "web-",
      ownerReferences: [{ kind: "Endpoints", uid: "1" }],
    });
  });

  it("leave out addresses of a subset that with all its ports are too many", () => {
    const addresses = Array.from({ length: 4000 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
    const ports = Array.from({ length: 2000 }, (_, index) => ({ name: `p${index}`, port: index + 1, protocol: "TCP" }));
    const { create, left } = planMirror(
      endpointsOf([
        { addresses, ports },
        { addresses: [{ ip: "10.9.0.1" }], ports: http },
      ]),
      [],
    );
    expect(create.map((slice) => objectsAt(slice, "endpoints").length)).toEqual([50]);
    expect(left).toBe(3951);
  });

  it("have its labels and annotations, without those that are no content", () => {
    const labels = { team: "a", "endpointslice.kubernetes.io/managed-by": "somebody" };
    const annotations = { note: "x", "kubectl.kubernetes.io/last-applied-configuration": "{}" };
    const { create } = planMirror(endpointsOf([{ addresses: [{ ip: "10.0.0.1" }] }], { labels, annotations }), []);
    expect(create[0]?.metadata).toMatchObject({
      labels: {
        team: "a",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
      },
      annotations: { note: "x" },
    });
    expect(create[0]?.metadata.annotations).toEqual({ note: "x" });
  });

  it("are written only when they differ, reused for other ports, and deleted when no address is left", () => {
    const before = endpointsOf([{ addresses: [{ ip: "10.0.0.1" }], ports: http }]);
    const slice = stored(planMirror(before, []).create[0] ?? before, "web-a");
    expect(planMirror(before, [slice])).toEqual({ create: [], update: [], remove: [], left: 0 });
    const moved = planMirror(endpointsOf([{ addresses: [{ ip: "10.0.0.1" }], ports: dns }]), [slice]);
    expect([moved.create.length, moved.remove.length]).toEqual([0, 0]);
    expect(moved.update.map((one) => `${one.metadata.name} ${describeSlice(one)}`)).toEqual([
      "web-a IPv4 53: 10.0.0.1",
    ]);
    expect(planMirror(endpointsOf([]), [slice]).remove).toEqual([slice]);
  });

  it("count the addresses beyond their capacity, and keep those that are ready", () => {
    const addresses = Array.from({ length: 999 }, (_, index) => ({
      ip: `10.1.${Math.floor(index / 250)}.${index % 250}`,
    }));
    const late = [{ ip: "10.9.0.1" }, { ip: "10.9.0.2" }];
    const plan = planMirror(
      endpointsOf([
        { notReadyAddresses: late, ports: http },
        { addresses, ports: http },
      ]),
      [],
    );
    expect(plan.left).toBe(1);
    const text = plan.create.map(describeSlice).join();
    expect([text.includes("10.9.0.1!"), text.includes("10.9.0.2")]).toEqual([true, false]);
  });

  it("are not wanted of a record of a leader, or where a label forbids them", () => {
    expect(wantsMirror(endpointsOf([]))).toBe(true);
    expect(wantsMirror(endpointsOf([], { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }))).toBe(false);
    expect(wantsMirror(endpointsOf([], { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } }))).toBe(
      false,
    );
  });
});
