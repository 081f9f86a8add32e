import { describe, expect, it } from "vitest";
import type { AdoptResult } from "../../../src/adopt/adopt-source.ts";
import { fleetSource } from "../../../src/adopt/fleet-source.ts";

function evaluate(kind: string, fields: object, ownerReferences: { kind: string }[] = []): AdoptResult {
  const owners = ownerReferences.map(({ kind: owner }) => ({ apiVersion: "v1", kind: owner, name: "o", uid: "1" }));
  const metadata = { name: "x", namespace: "clusters", ownerReferences: owners };
  return fleetSource.evaluate({ apiVersion: "fleet.cattle.io/v1alpha1", kind, metadata, ...fields });
}

describe("fleetSource", () => {
  it.each([
    { kind: "ClusterRegistrationToken", spec: { ttl: "12h", orbit: 1, altitude: 2 } },
    { kind: "ClusterGroup", spec: { selector: {}, orbit: 1, altitude: 2 } },
    { kind: "Cluster", spec: { orbit: 1, altitude: 2 } },
  ])("refuses a $kind with fields of a newer Fleet, and names them in order", ({ kind, spec }) => {
    expect(evaluate(kind, { spec })).toMatchObject({
      kind: "refused",
      reason: "it has fields that no file here can declare: spec.altitude, spec.orbit",
    });
  });

  it("keeps the namespace of a kubeconfig that is in another one", () => {
    const spec = { kubeConfigSecret: "x", kubeConfigSecretNamespace: "elsewhere" };
    expect(evaluate("Cluster", { spec })).toMatchObject({ kind: "file", object: { spec } });
  });

  it.each(["Cluster", "ClusterRegistrationToken", "ClusterGroup"])("takes a %s that has no spec", (kind) => {
    expect(evaluate(kind, {})).toMatchObject({ kind: "file" });
    expect(evaluate(kind, {})).not.toHaveProperty("object.spec");
  });

  it("takes a token that belongs to something else than a Cluster", () => {
    const spec = { ttl: "12h" };
    expect(evaluate("ClusterRegistrationToken", { spec }, [{ kind: "HelmOp" }])).toMatchObject({ kind: "file" });
    expect(evaluate("ClusterRegistrationToken", { spec }, [{ kind: "HelmOp" }, { kind: "Cluster" }])).toEqual({
      kind: "left",
      reason: "Fleet's controllers made it to install one agent",
    });
  });
});
