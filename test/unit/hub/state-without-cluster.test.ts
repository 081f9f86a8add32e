import { describe, expect, it } from "vitest";
import { memberWithoutCluster, reconcileStateWithoutCluster } from "../../../src/hub/state-without-cluster.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { memberStateName } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import { openMemberWorld } from "./members/member-world.ts";
import { coreObject } from "./objects.ts";

const target = { workspace: "fleet", name: "eu-1" };
const stateRef: ObjectRef = { type: resourceTypes.configMap, namespace: "fleet", name: memberStateName("eu-1") };
const clusterRef: ObjectRef = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
const ofMember = { [labelKeys.cluster]: "eu-1" };
const account: KubeObject = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "rollcall-eu-1", namespace: "fleet", labels: ofMember },
};
const admitted: MemberState = { clientID: "uid-1", origin: { isDeclared: false, repository: "r" } };

/** A member that was admitted and whose Cluster was deleted by hand. */
async function open({
  state = admitted,
  hasState = true,
  workspaces = ["fleet"],
}: { state?: MemberState; hasState?: boolean; workspaces?: readonly string[] } = {}) {
  const world = await openMemberWorld(workspaces);
  await world.addCluster("eu-1", { manager: "rollcall-hub", state });
  await world.put(account, "rollcall-hub");
  await world.ports.hubApi.delete(clusterRef);
  if (!hasState) await world.ports.hubApi.delete(stateRef);
  world.requests.length = 0;
  const reconcile = () => reconcileStateWithoutCluster(world.ports, target, world.signal);
  return { ...world, reconcile };
}

describe("reconcileStateWithoutCluster", () => {
  it.each<{ reason: string; state: MemberState; manager: string; metadata: object }>([
    {
      reason: "that a token admitted",
      state: admitted,
      manager: "rollcall-hub",
      metadata: { labels: { [labelKeys.repository]: "r" } },
    },
    {
      reason: "that a file declares",
      state: { origin: { isDeclared: true, sourceFile: "a.yaml" } },
      manager: "rollcall-git",
      metadata: { annotations: { [annotationKeys.sourceFile]: "a.yaml" } },
    },
    {
      reason: "that was being removed: the removal continues",
      state: { ...admitted, leave: { commit: "abc", since: "2027-01-01T00:00:00Z" } },
      manager: "rollcall-hub",
      metadata: { annotations: { [annotationKeys.leave]: "abc" } },
    },
  ])("makes the Cluster of a member again $reason", async ({ state, manager, metadata }) => {
    const { reconcile, requests, asked } = await open({ state });
    expect(await reconcile()).toBeUndefined();
    expect(asked()).toEqual(["apply Cluster/eu-1"]);
    expect(requests).toMatchObject([{ manager, object: { metadata } }]);
  });

  it("names the successor of a member that was being renamed", async () => {
    const { reconcile, addCluster, requests } = await open();
    const movedFrom = { workspace: "fleet", name: "eu-1" };
    await addCluster("other", { state: { movedFrom: { workspace: "labs", name: "eu-1" } } });
    await addCluster("eu-2", { state: { movedFrom } });
    requests.length = 0;
    await reconcile();
    const annotations = { [annotationKeys.movedTo]: "fleet/eu-2" };
    expect(requests).toMatchObject([{ verb: "apply", object: { metadata: { annotations } } }]);
  });

  it.each<{ reason: string; by: MemberState; isNamed: boolean }>([
    { reason: "nothing here records that", by: {}, isNamed: false },
    { reason: "another took it over", by: { takenOverBy: { workspace: "labs", name: "mine-2" } }, isNamed: false },
    { reason: "it took this one over", by: { takenOverBy: { workspace: "labs", name: "mine" } }, isNamed: true },
    { reason: "this one came from there", by: { movedFrom: { workspace: "labs", name: "mine" } }, isNamed: true },
  ])(
    "A282 the state of a cluster of another workspace makes itself the successor ($isNamed) when $reason",
    async ({ by, isNamed }) => {
      const { reconcile, addCluster, requests } = await open({
        state: { ...admitted, ...by },
        workspaces: ["fleet", "labs"],
      });
      await addCluster("labs/mine", { state: { movedFrom: target } });
      requests.length = 0;
      await reconcile();
      expect(requests).toMatchObject([{ verb: "apply", name: "Cluster/eu-1" }]);
      const { annotations = {} } = (requests[0]?.object as KubeObject).metadata;
      expect(annotations[annotationKeys.movedTo]).toBe(isNamed ? "labs/mine" : undefined);
    },
  );

  it("makes no Cluster that the API server has: the watch is late", async () => {
    const { reconcile, ports, asked, clusterOf } = await open();
    const live = coreObject("Cluster", "eu-1", { uid: "u9", resourceVersion: "9" });
    const get = ports.hubApi.get.bind(ports.hubApi);
    Object.assign(ports.hubApi, {
      get: (ref: ObjectRef) => (ref.type === clusterRef.type ? Promise.resolve(live) : get(ref)),
    });
    expect(await reconcile()).toBeUndefined();
    expect(asked()).toEqual([]);
    expect(clusterOf("eu-1")?.metadata.uid).toBe("u9");
  });

  it.each([
    { reason: "some kinds are still being listed", change: { isComplete: false }, waitMs: 1000 },
    { reason: "the namespace is no workspace any more", change: { isWorkspace: () => false }, waitMs: undefined },
    { reason: "nothing of the member is there", change: { childrenOf: () => [] }, waitMs: undefined },
  ])("asks for nothing when $reason", async ({ change, waitMs }) => {
    const { reconcile, ports, asked } = await open({ hasState: false });
    for (const [key, value] of Object.entries(change)) Object.defineProperty(ports.view, key, { value });
    Object.assign(ports.hubApi, { get: () => Promise.reject(new Error("asked")) });
    expect(await reconcile()).toBe(waitMs);
    expect(asked()).toEqual([]);
  });

  it("makes nothing of a state that does not record how its Cluster was made, and deletes nothing of it", async () => {
    const { reconcile, asked } = await open({ state: { clientID: "uid-1" } });
    expect(await reconcile()).toBeUndefined();
    expect(asked()).toEqual([]);
  });

  it("deletes the accounts of a member that has no state either, by the version that was seen, and nothing of others", async () => {
    const { reconcile, put, requests, ports, get } = await open({ hasState: false });
    const named = (name: string, changes: object = {}) => ({
      ...account,
      metadata: { name, namespace: "fleet", labels: ofMember, ...changes },
    });
    await put(named("of-another-program"), "other-tool");
    // What is outside the workspace is the business of its protocol.
    const outside = { ...ofMember, [labelKeys.ownerWorkspace]: "fleet" };
    await put({ apiVersion: "v1", kind: "Namespace", metadata: { name: "home", labels: outside } }, "rollcall-hub");
    await put(named("held", { finalizers: ["x/y"] }), "rollcall-hub");
    await ports.hubApi.delete({ type: resourceTypes.serviceAccount, namespace: "fleet", name: "held" });
    const { uid, resourceVersion } = get(account)?.metadata ?? {};
    requests.length = 0;
    expect(await reconcile()).toBeUndefined();
    expect(requests).toEqual([
      { verb: "delete", name: "ServiceAccount/rollcall-eu-1", object: { uid, resourceVersion } },
    ]);
    expect(uid).toBeDefined();
  });

  it("deletes nothing when the API server has the state: the watch is late", async () => {
    const { reconcile, ports, asked } = await open();
    ports.view.memberStateOf = () => undefined;
    await reconcile();
    expect(asked()).toEqual(["apply Cluster/eu-1"]);
  });
});

describe("memberWithoutCluster", () => {
  it("is the member with the Cluster that it is to have again", async () => {
    const { ports } = await open();
    expect(memberWithoutCluster(ports.view, target)).toMatchObject({
      ...target,
      state: admitted,
      cluster: { kind: "Cluster", metadata: { name: "eu-1", namespace: "fleet" } },
      children: [{ kind: "ConfigMap" }, { kind: "ServiceAccount" }],
    });
  });

  it.each<{ reason: string; given: object }>([
    { reason: "has no state", given: { hasState: false } },
    { reason: "does not know how its Cluster was made", given: { state: { clientID: "uid-1" } } },
  ])("is undefined where the member $reason", async ({ given }) => {
    const { ports } = await open(given);
    expect(memberWithoutCluster(ports.view, target)).toBeUndefined();
  });
});
