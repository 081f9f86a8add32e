import { describe, expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { GroupMembers } from "../../../src/hub/group-members.ts";
import { reconcileGroups } from "../../../src/hub/groups.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { openMemberWorld } from "./members/member-world.ts";

const ref = { type: resourceTypes.clusterGroup, namespace: "fleet", name: "eu" };
const labels = { [labelKeys.repository]: "rollcall.fleet", region: "eu" };
const conditionOf = (status: "True" | "False") => ({
  type: "Ready",
  status,
  reason: "Test",
  message: "",
  lastTransitionTime: "2027-01-15T08:00:00Z",
});

async function open() {
  const world = await openMemberWorld();
  const groupMembers = new GroupMembers(world.ports.view, world.ports.clock);
  onTestFinished(() => groupMembers.stop());
  await world.put({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterGroup",
    metadata: { namespace: "fleet", name: "eu", labels: { [labelKeys.repository]: "rollcall.fleet" } },
    spec: { selector: { matchLabels: { region: "eu" } } },
  });
  return {
    ...world,
    addReady: (name: string, status: "True" | "False", own: Record<string, string> = labels) =>
      world.addCluster(name, { labels: own, status: { conditions: [conditionOf(status)] } }),
    status: () => world.ports.view.get(ref)?.["status"],
    reconcile: () => {
      world.requests.length = 0;
      return reconcileGroups({ ...world.ports, groupMembers }, "fleet", world.signal);
    },
  };
}

describe("the status of a group", () => {
  it.each([
    { ready: ["a", "b"], others: [], message: "2 of 2 clusters are ready.", reason: "AllReady" },
    { ready: ["a"], others: ["c", "b"], message: "1 of 3 clusters are ready.", reason: "SomeNotReady" },
    { ready: [], others: [], message: "0 of 0 clusters are ready.", reason: "AllReady" },
  ])("reports $reason of ready $ready and others $others", async ({ ready, others, reason, message }) => {
    const { addReady, reconcile, status } = await open();
    for (const name of ready) await addReady(name, "True");
    for (const name of others) await addReady(name, "False");
    await addReady("of-another-repository", "True", { ...labels, [labelKeys.repository]: "other" });
    await addReady("elsewhere", "False", { ...labels, region: "us" });
    await reconcile();
    expect(status()).toMatchObject({
      clusters: ready.length + others.length,
      readyClusters: ready.length,
      conditions: [{ type: "Ready", reason, message, status: reason === "AllReady" ? "True" : "False" }],
    });
    expect((status() as { notReady?: string[] }).notReady).toEqual(others.length === 0 ? undefined : others.toSorted());
  });

  it("follows a cluster that becomes ready, changes its label or is deleted", async () => {
    const { addReady, reconcile, status, ports } = await open();
    await addReady("a", "False");
    await addReady("b", "True");
    await reconcile();
    expect(status()).toMatchObject({ clusters: 2, readyClusters: 1 });
    await addReady("a", "True");
    await reconcile();
    expect(status()).toMatchObject({ clusters: 2, readyClusters: 2, conditions: [{ status: "True" }] });
    await addReady("a", "True", { ...labels, region: "us" });
    await reconcile();
    expect(status()).toMatchObject({ clusters: 1, readyClusters: 1 });
    await ports.hubApi.delete({ type: resourceTypes.cluster, namespace: "fleet", name: "b" });
    await reconcile();
    expect(status()).toMatchObject({ clusters: 0, readyClusters: 0 });
  });

  it("is written to the very version of the group that it was computed from, and not again while it is the same", async () => {
    const { addReady, reconcile, requests, ports, asked } = await open();
    await addReady("a", "True");
    const { uid, resourceVersion } = ports.view.get(ref)?.metadata ?? {};
    await reconcile();
    expect(requests).toMatchObject([{ verb: "status", object: { metadata: { uid, resourceVersion } } }]);
    expect(resourceVersion).toBeDefined();
    await reconcile();
    await reconcile();
    expect(asked()).toEqual([]);
  });

  it("is written with the next pass where the hub refused it", async () => {
    const { addReady, reconcile, status, ports } = await open();
    await addReady("a", "True");
    const refused = new AppError("E_KUBE_CONFLICT", "apply");
    const apply = ports.hubApi.apply.bind(ports.hubApi);
    Object.assign(ports.hubApi, { apply: () => Promise.reject(refused) });
    await expect(reconcile()).rejects.toBe(refused);
    expect(status()).toBeUndefined();
    Object.assign(ports.hubApi, { apply });
    await reconcile();
    expect(status()).toMatchObject({ clusters: 1, readyClusters: 1 });
  });

  it("is written again where a user changed it on the hub", async () => {
    const { addReady, reconcile, status, ports } = await open();
    await addReady("a", "True");
    await reconcile();
    await reconcile();
    await ports.hubApi.mergePatch(ref, { status: { clusters: 99 } }, { fieldManager: "other-tool" });
    await reconcile();
    expect(status()).toMatchObject({ clusters: 1 });
  });
});
