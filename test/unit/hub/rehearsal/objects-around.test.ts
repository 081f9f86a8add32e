import { afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { HubView } from "../../../../src/hub/hub-view.ts";
import { objectsAround, usersOf } from "../../../../src/hub/rehearsal/objects-around.ts";
import { createSimulatedHub } from "../../../../src/hub/rehearsal/simulated-hub.ts";
import type { JoinProtocol } from "../../../../src/join/join.ts";
import { kubefleetProtocol } from "../../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { ProtocolName } from "../../../../src/model/generated/protocol.ts";
import { memberStateObject } from "../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubFacts } from "../../../../src/model/member.ts";
import type { PlannedChange } from "../../../../src/model/plan.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { labelKeys } from "../../../../src/model/well-known.ts";

const protocols = new Map<ProtocolName, JoinProtocol>([
  ["rollcall", rollcallProtocol],
  ["kubefleet", kubefleetProtocol],
]);
const hubFacts: HubFacts = {
  hubId: "",
  endpoint: { url: "https://hub.invalid", caBundle: "" },
  daemonNamespace: "rollcall-system",
  trust: { publicKey: "", epoch: 1, validFrom: "2027-01-01T00:00:00Z", sign: () => new Uint8Array() },
  version: "0.1.0",
  agentImage: "",
  nowMs: 0,
};
const { cluster, secret, configMap, serviceAccount, memberCluster } = resourceTypes;
const apiVersion = "rollcall.dev/v1alpha1" as const;

let view: HubView;
afterEach(() => view.stop());

async function viewOf(...objects: KubeObject[]): Promise<HubView> {
  const workspaces = ["fleet", "other"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { [labelKeys.workspace]: "true" } },
  }));
  const hub = createSimulatedHub([...workspaces, ...objects], () => 0);
  view = new HubView({
    types: [cluster, secret, configMap, serviceAccount],
    outsideTypes: [{ type: memberCluster, labelSelector: "" }],
    startCache: hub.startCache,
    isAllowedWorkspace: () => true,
    log: silentLog,
  });
  await view.whenSynced();
  return view;
}

function member(name: string, spec: object = {}, namespace = "fleet"): KubeObject[] {
  const labels = { [labelKeys.cluster]: name };
  return [
    { apiVersion, kind: "Cluster", metadata: { name, namespace }, spec },
    memberStateObject(namespace, name, { origin: { isDeclared: true } }),
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: `rollcall-${name}`, namespace, labels } },
  ];
}

function update(name: string, spec: object = {}): PlannedChange {
  const object = { apiVersion, kind: "Cluster", metadata: { name, namespace: "fleet" }, spec };
  return { kind: "update", ref: { type: cluster, namespace: "fleet", name }, object, manager: "git", fields: [] };
}

function around(seen: HubView, ...changes: PlannedChange[]): string[] {
  return objectsAround({ view: seen, changes, protocols, hubFacts }).map(
    ({ kind, metadata }) => `${kind}/${metadata.name}`,
  );
}

describe("objectsAround", () => {
  it.each([2, 500])("has the changed cluster and what belongs to it, of %i clusters", async (count) => {
    const fleet = Array.from({ length: count }, (_, index) => member(`c${index}`)).flat();
    expect(around(await viewOf(...fleet), update("c1")).sort()).toEqual([
      "Cluster/c1",
      "ConfigMap/rollcall-cluster-c1",
      "ServiceAccount/rollcall-c1",
    ]);
  });

  it("has predecessors and successors, however many, in other workspaces too", async () => {
    const annotations = { "rollcall.dev/moved-to": "other/b" };
    const [former, ...rest] = member("a");
    const fleet = [
      { ...former, metadata: { ...former?.metadata, name: "a", annotations } } as KubeObject,
      ...rest,
      ...member("b", {}, "other"),
      ...member("c"),
    ];
    const found = around(await viewOf(...fleet), update("c", { previousName: "a" }));
    expect(found.filter((name) => name.startsWith("Cluster/")).sort()).toEqual(["Cluster/a", "Cluster/b", "Cluster/c"]);
  });

  it("has the Secrets that the new spec names, and the users of a changed Secret", async () => {
    const kubeconfig = { apiVersion: "v1", kind: "Secret", metadata: { name: "k", namespace: "fleet" } };
    const naming = { kubeConfigSecretRef: { name: "k" } };
    const others = [...member("c", { kubeConfigSecretRef: { name: "other" } }), ...member("d", naming, "other")];
    const fleet = [kubeconfig, ...member("a"), ...member("b", naming), ...others];
    expect(around(await viewOf(...fleet), update("a", { kubeConfigSecretRef: { name: "k" } }))).toContain("Secret/k");
    const ref = { type: secret, namespace: "fleet", name: "k" };
    expect(usersOf(view, { workspace: "fleet", name: "k" })).toEqual([{ workspace: "fleet", name: "b" }]);
    expect(around(view, { kind: "delete", ref, uid: "", resourceVersion: "", reason: "" }).sort()).toEqual([
      "Cluster/b",
      "ConfigMap/rollcall-cluster-b",
      "Secret/k",
      "ServiceAccount/rollcall-b",
    ]);
  });

  it("has the clusters that took over from one of which only the state is left", async () => {
    const [, state] = member("a");
    const movedFrom = { workspace: "fleet", name: "a" };
    const heir = (name: string, from: typeof movedFrom) => [
      ...member(name, {}, "other").slice(0, 1),
      memberStateObject("other", name, { movedFrom: from }),
    ];
    const left = [state].flatMap((object) => object ?? []);
    const fleet = [...left, ...heir("b", movedFrom), ...heir("c", { ...movedFrom, name: "z" }), ...member("d")];
    const found = around(await viewOf(...fleet), update("a"));
    expect(found.filter((name) => name.startsWith("Cluster/"))).toEqual(["Cluster/b"]);
  });

  it("has the cluster that is renamed", async () => {
    const former = { ref: { type: cluster, namespace: "fleet", name: "a" } };
    const change = { ...update("b"), former: { ...former, uid: "", resourceVersion: "", patchAnnotations: {} } };
    const found = around(await viewOf(...member("a"), ...member("c")), change);
    expect(found.filter((name) => name.startsWith("Cluster/"))).toEqual(["Cluster/a"]);
  });

  it("has what belongs to the changed token, and what is there under the names that it wants", async () => {
    const metadata = { name: "edge", namespace: "fleet" };
    const labels = { [labelKeys.token]: "edge" };
    const object = { apiVersion, kind: "ClusterRegistrationToken", metadata, spec: {} } as const;
    const [account] = rollcallProtocol
      .desiredTokenObjects({ workspace: "fleet", name: "edge", token: object, children: [] }, hubFacts)
      .filter(({ kind }) => kind === "ServiceAccount");
    const objects = [
      { apiVersion: "v1", kind: "Secret", metadata },
      { apiVersion: "v1", kind: "Secret", metadata: { ...metadata, name: "child", labels } },
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { ...metadata, name: "other", labels: { [labelKeys.token]: "b" } },
      },
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...metadata, name: account?.metadata.name ?? "" } },
    ];
    const ref = { type: resourceTypes.clusterRegistrationToken, ...metadata };
    const seen = await viewOf(...objects, ...member("a"));
    expect(account).toBeDefined();
    expect(around(seen, { kind: "update", ref, object, manager: "git", fields: [] }).sort()).toEqual(
      ["Secret/child", "Secret/edge", `ServiceAccount/${account?.metadata.name}`].sort(),
    );
    expect(around(seen, { kind: "delete", ref, uid: "", resourceVersion: "", reason: "" })).toEqual(["Secret/child"]);
  });

  it("has who holds or wants a name of the whole hub that the changed cluster wants", async () => {
    const held = { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster", metadata: { name: "a" } };
    const rival = member("a", { protocol: "kubefleet" }, "other");
    const found = around(await viewOf(held, ...member("a"), ...rival), update("a", { protocol: "kubefleet" }));
    expect(found).toContain("MemberCluster/a");
    expect(found.filter((name) => name === "Cluster/a")).toHaveLength(2);
  });
});
