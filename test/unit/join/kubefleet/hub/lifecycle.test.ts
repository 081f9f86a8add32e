import { describe, expect, it } from "vitest";
import { lifecycle } from "../../../../../src/join/kubefleet/hub/lifecycle.ts";
import type { KubeObject, OwnerReference } from "../../../../../src/model/kubernetes.ts";
import { describeRef } from "../../../../../src/model/kubernetes.ts";
import { home, kubefleetMemberOf, objectsOf } from "../kubefleet-scene.ts";

const byMember: OwnerReference = {
  apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
  kind: "MemberCluster",
  name: "eu-1",
  uid: "m",
};
const byOther: OwnerReference = { ...byMember, apiVersion: "v1", kind: "ConfigMap", uid: "c" };
const theirs = "kubernetes-fleet.io/membercluster-finalizer";

function holdsOf(kind: string, metadata: Partial<KubeObject["metadata"]>) {
  const children = objectsOf().map((child) =>
    child.kind === kind ? { ...child, metadata: { ...child.metadata, ...metadata } } : child,
  );
  return lifecycle
    .previousHubHolds(kubefleetMemberOf({ children }))
    .map(({ ref, ...kept }) => ({ ref: describeRef(ref).replace(/\.[a-z0-9.-]*\//u, "/"), ...kept }));
}

describe("previousHubHolds: what KubeFleet's hub agent set on what was taken over", () => {
  it.each([
    ["MemberCluster", "MemberCluster/eu-1"],
    ["Namespace", "Namespace/fleet-member-eu-1"],
    ["Role", `Role/${home}/fleet-role-eu-1`],
    ["RoleBinding", `RoleBinding/${home}/fleet-rolebinding-eu-1`],
    ["InternalMemberCluster", `InternalMemberCluster/${home}/eu-1`],
  ])("is taken off the %s, and what others set stays", (kind, ref) => {
    expect(holdsOf(kind, { finalizers: ["mine", theirs], ownerReferences: [byOther, byMember] })).toEqual([
      { ref, finalizers: ["mine"], ownerReferences: [byOther] },
    ]);
  });

  it("is there by a finalizer alone, and by an owner alone: garbage collection would take the agent's rights", () => {
    expect(holdsOf("Role", { finalizers: [theirs] })).toMatchObject([{ finalizers: [], ownerReferences: [] }]);
    expect(holdsOf("Role", { ownerReferences: [byMember] })).toMatchObject([{ finalizers: [], ownerReferences: [] }]);
  });

  it("is not there where only others set something, or none did", () => {
    expect(holdsOf("Role", { finalizers: ["mine"], ownerReferences: [byOther] })).toEqual([]);
    expect(holdsOf("Role", {})).toEqual([]);
  });
});
