import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { hubObjectOf, hubObjects } from "../../../src/planning/hub-objects.ts";

const kubefleet = "cluster.kubernetes-fleet.io/v1beta1";

function memberCluster(metadata: object): KubeObject {
  return { apiVersion: kubefleet, kind: "MemberCluster", metadata: { name: "edge-7", ...metadata } };
}

const owned = { "rollcall.dev/cluster": "edge-7", "rollcall.dev/owner-workspace": "fleet" };

function labelled(manager: string): object {
  const fieldsV1 = { "f:metadata": { "f:labels": { "f:env": {} } } };
  return { labels: { ...owned, env: "dev" }, managedFields: [{ manager, operation: "Update", fieldsV1 }] };
}

describe("what is on the hub and in no file", () => {
  it.each<[string, KubeObject, string | undefined]>([
    ["an object of another project", memberCluster({}), "NotInGit"],
    ["one that a Cluster owns", memberCluster({ labels: owned }), undefined],
    ["one that is being deleted", memberCluster({ deletionTimestamp: "2026-01-01T00:00:00Z" }), undefined],
    ["one that Helm keeps", memberCluster({ annotations: { "meta.helm.sh/release-name": "x" } }), undefined],
    ["one that Argo CD keeps", memberCluster({ annotations: { "argocd.argoproj.io/tracking-id": "x" } }), undefined],
    ["one that Flux keeps", memberCluster({ labels: { "kustomize.toolkit.fluxcd.io/name": "x" } }), undefined],
    [
      "one that a controller keeps",
      memberCluster({ ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "u", controller: true }] }),
      undefined,
    ],
    ["a label by kubectl on an owned one", memberCluster(labelled("kubectl-label")), "EditedOnHub"],
    ["a label by another controller on an owned one", memberCluster(labelled("hub-agent")), undefined],
    [
      "a kind that no file declares",
      { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "x" } },
      undefined,
    ],
  ])("evaluates %s", (_what, object, reason) => {
    expect(hubObjectOf(object)?.reason).toBe(reason);
  });

  it("names the object with the group of its project, what was set, and by whom", () => {
    expect(hubObjectOf(memberCluster(labelled("kubectl-label")))).toEqual({
      object: "MemberCluster.cluster.kubernetes-fleet.io/edge-7",
      reason: "EditedOnHub",
      message: "No file has what was set on the hub, so it has no effect: metadata.labels[env] (kubectl-label).",
    });
  });

  it("does not state of a group of Fleet that no file declares it: a file of it makes another object", () => {
    const metadata = { namespace: "clusters", name: "default" };
    expect(hubObjectOf({ apiVersion: "fleet.cattle.io/v1alpha1", kind: "ClusterGroup", metadata })).toEqual({
      object: "ClusterGroup.fleet.cattle.io/clusters/default",
      reason: "NotInGit",
      message:
        "Nothing serves Fleet's ClusterGroup clusters/default on the hub, since files declare groups. If no file declares it, " +
        "write it to one and push. Delete it on the hub when Fleet's controllers no longer need it.",
    });
  });

  it("lists them by name", () => {
    const all = ["b", "a"].map((name) => memberCluster({ name }));
    expect(hubObjects(all).map(({ object }) => object.slice(-1))).toEqual(["a", "b"]);
  });
});
