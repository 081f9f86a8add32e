import { describe, expect, it } from "vitest";
import { valueAt } from "../../../../../src/core/read-json.ts";
import { desiredExternalObjects, desiredMemberObjects } from "../../../../../src/join/kubefleet/hub/desired-objects.ts";
import type { KubeFleetIdentity } from "../../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { memberOf, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { home, kubefleetMemberOf, objectsOf, revoked, withKubeconfig } from "../kubefleet-scene.ts";

const children = objectsOf();
const namesOf = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const wanted = (parts: MemberParts = {}) => desiredMemberObjects(kubefleetMemberOf({ children, ...parts }));
const find = (kind: string, parts: MemberParts = {}) => wanted(parts).find((object) => object.kind === kind);
const account = "eu-1-hub-cluster-access";
const foreign: KubeFleetIdentity = { kind: "ServiceAccount", name: "other", namespace: "fleet-system" };

describe("desiredObjects: a KubeFleet member", () => {
  it("has its rights only once its namespace is there", () => {
    expect(namesOf(wanted({ children: [] }))).toEqual([
      "MemberCluster eu-1",
      `Namespace ${home}`,
      `ServiceAccount ${account}`,
      `Secret ${account}-token`,
    ]);
    expect(namesOf(wanted()).slice(4)).toEqual([
      "Role fleet-role-eu-1",
      "RoleBinding fleet-rolebinding-eu-1",
      "InternalMemberCluster eu-1",
    ]);
  });

  it("has no token without an end where the hub brings short ones", () => {
    expect(namesOf(wanted({ spec: withKubeconfig }))).toContain(`ServiceAccount ${account}`);
    expect(namesOf(wanted({ spec: withKubeconfig }))).not.toContain(`Secret ${account}-token`);
  });

  it("has no account and no binding once it is revoked", () => {
    const left = namesOf(wanted({ annotations: revoked }));
    expect(left.filter((name) => /^(?:ServiceAccount|Secret|RoleBinding) /u.test(name))).toEqual([]);
    expect(namesOf(desiredExternalObjects(kubefleetMemberOf({ annotations: revoked })))).toEqual([
      "MemberCluster eu-1",
    ]);
  });

  it("has no account of the hub where its file names another, also where KubeFleet's hub agent serves it", () => {
    const spec = { kubefleet: { identity: foreign } };
    expect(namesOf(wanted({ spec })).join()).not.toContain("ServiceAccount");
    expect(namesOf(desiredExternalObjects(kubefleetMemberOf({ spec })))).toEqual(["MemberCluster eu-1"]);
    expect(namesOf(desiredExternalObjects(kubefleetMemberOf()))).toContain(`ServiceAccount ${account}`);
  });

  it("may change the status of its own InternalMemberCluster and of no other, and no spec", () => {
    const rules = valueAt(find("Role"), "rules") as {
      resources: string[];
      resourceNames?: string[];
      verbs: string[];
    }[];
    const writing = rules.filter(({ verbs }) => verbs.some((verb) => ["update", "patch", "create"].includes(verb)));
    expect(writing.map(({ resources, resourceNames = [] }) => [...resources, ...resourceNames].join(" "))).toEqual([
      "internalmemberclusters/status eu-1",
      "works",
      "works/status",
      "events",
    ]);
  });

  it.each<[string, KubeFleetIdentity, object]>([
    ["a ServiceAccount", foreign, { kind: "ServiceAccount", name: "other", namespace: "fleet-system" }],
    ["a User", { kind: "User", name: "u" }, { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" }],
    [
      "a Group of an own API group",
      { kind: "Group", name: "g", apiGroup: "x.io" },
      { kind: "Group", name: "g", apiGroup: "x.io" },
    ],
  ])("binds %s that its file names", (_what, identity, subject) => {
    const binding = find("RoleBinding", { spec: { kubefleet: { identity } } });
    expect(valueAt(binding, "subjects")).toEqual([subject]);
    expect(valueAt(binding, "roleRef")).toMatchObject({ kind: "Role", name: "fleet-role-eu-1" });
  });

  it("shows taints and labels of its file in its MemberCluster, without ours", () => {
    const taints = [{ key: "k", effect: "NoSchedule" as const }];
    const { cluster, ...member } = memberOf("eu-1", { spec: { protocol: "kubefleet", taints } });
    const labels = { site: "b", "rollcall.dev/x": "y" };
    const labeled = { ...member, cluster: { ...cluster, metadata: { ...cluster.metadata, labels } } };
    const [memberCluster] = desiredMemberObjects(labeled);
    expect(memberCluster?.metadata.labels).toEqual({
      site: "b",
      "kubernetes-fleet.io/member-name": "eu-1",
      "rollcall.dev/cluster": "eu-1",
      "rollcall.dev/owner-workspace": workspace,
    });
    expect(valueAt(memberCluster, "spec", "taints")).toEqual(taints);
    expect(valueAt(find("MemberCluster", { spec: { taints: [] } }), "spec")).not.toHaveProperty("taints");
    expect(valueAt(find("MemberCluster"), "spec")).not.toHaveProperty("taints");
  });
});
