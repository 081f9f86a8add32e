import { describe, expect, it } from "vitest";
import type { KeyQueues } from "../../../../src/hub/controllers/enqueue-changes.ts";
import { createChangeRouter } from "../../../../src/hub/controllers/enqueue-changes.ts";
import { fleetProtocol } from "../../../../src/join/fleet/hub/fleet-protocol.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { MemberState } from "../../../../src/model/member-state.ts";
import { memberStateObject } from "../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { refOf } from "../../../../src/model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../../../src/model/resource-types.ts";
import { openMemberWorld } from "../members/member-world.ts";
import { coreObject } from "../objects.ts";

const owned = { "rollcall.dev/cluster": "eu-1" };
const join = {
  token: "edge",
  tokenUse: 1,
  time: "2027-01-01T00:00:00Z",
  registration: "r",
  initiated: "agent",
} as const;

function own(kind: string, name: string, metadata: object = {}): KubeObject {
  const named = { namespace: "fleet", name, uid: "u", generation: 1, ...metadata };
  return { apiVersion: "rollcall.dev/v1alpha1", kind, metadata: named };
}

/** A router over a hub with Cluster eu-1, which joined by registration r and token edge, and what it enqueues. */
async function open(spec: object = {}) {
  const world = await openMemberWorld(["fleet"], [rollcallProtocol, fleetProtocol]);
  await world.addCluster("eu-1", { spec, annotations: { "rollcall.dev/moved-to": "fleet/eu-2" } });
  await world.put(memberStateObject("fleet", "eu-1", { join, movedFrom: { workspace: "old", name: "eu-0" } }));
  const added: string[] = [];
  const queueOf = (name: string) => ({
    add: (key: string) => void added.push(`${name} ${key}`),
    addAfter: (key: string, delayMs: number) => void added.push(`${name} ${key} after ${delayMs}`),
  });
  const queues: KeyQueues = {
    members: queueOf("member"),
    tokens: queueOf("token"),
    registrations: queueOf("registration"),
    groups: queueOf("group"),
  };
  const router = createChangeRouter(world.ports, queues);
  const changed = (object: KubeObject | undefined, before?: KubeObject) => {
    added.length = 0;
    const seen = object ?? before;
    const type = seen && resourceTypeOf(seen);
    if (type === undefined) throw new Error("a change is of an object");
    router.onChange({ ref: refOf(type, seen as KubeObject), object, before, isPlanned: false });
    return [...new Set(added)].sort();
  };
  return { world, router, changed, added };
}

const family = ["member fleet/eu-1", "member fleet/eu-2", "member old/eu-0"];

describe("createChangeRouter", () => {
  const cluster = own("Cluster", "eu-1");
  const token = own("ClusterRegistrationToken", "edge");

  it("enqueues a new Cluster with its predecessor and successor, and the token by which it joined", async () => {
    const { changed } = await open();
    const expected = ["group fleet after 200", ...family, "registration fleet", "token fleet/edge after 1000"];
    expect(changed(cluster)).toEqual(expected);
  });

  it.each([
    { reason: "a status", before: cluster, after: { ...cluster, status: {} }, isLater: true },
    { reason: "a spec", before: cluster, after: own("Cluster", "eu-1", { generation: 2 }), isLater: false },
    { reason: "a label", before: cluster, after: own("Cluster", "eu-1", { labels: { a: "b" } }), isLater: false },
    {
      reason: "an annotation",
      before: cluster,
      after: own("Cluster", "eu-1", { annotations: { a: "b" } }),
      isLater: false,
    },
    {
      reason: "the deletion",
      before: cluster,
      after: own("Cluster", "eu-1", { deletionTimestamp: "x" }),
      isLater: false,
    },
    {
      reason: "another object of its name",
      before: cluster,
      after: own("Cluster", "eu-1", { uid: "v" }),
      isLater: false,
    },
    {
      reason: "an object without a generation",
      before: own("Cluster", "eu-1", { generation: undefined }),
      after: own("Cluster", "eu-1", { generation: undefined }),
      isLater: false,
    },
    { reason: "its end", before: cluster, after: undefined, isLater: false },
  ])("of a Cluster, $reason delays registrations: $isLater", async ({ before, after, isLater }) => {
    const { changed } = await open();
    const registration = isLater ? "registration fleet after 1000" : "registration fleet";
    expect(changed(after, before)).toEqual(["group fleet after 200", ...family, registration]);
  });

  it.each([
    { reason: "a new token", object: token, before: undefined, expected: ["registration fleet", "token fleet/edge"] },
    {
      reason: "the status of a token",
      object: { ...token, status: {} },
      before: token,
      expected: ["token fleet/edge"],
    },
    { reason: "a group", object: own("ClusterGroup", "g"), before: undefined, expected: ["group fleet"] },
    { reason: "a Secret of nobody", object: coreObject("Secret", "s"), before: undefined, expected: [] },
    { reason: "a child of a token", object: coreObject("Secret", "s", { labels: { "rollcall.dev/token": "edge" } }), before: undefined, expected: ["token fleet/edge"] }, // oxfmt-ignore
    {
      reason: "a child of a member",
      object: coreObject("Secret", "s", { labels: owned }),
      before: undefined,
      expected: family,
    },
    {
      reason: "a ConfigMap of a member that is not its state",
      object: coreObject("ConfigMap", "facts", { labels: owned }),
      before: undefined,
      expected: family,
    },
    {
      reason: "a Secret of a member with the name of its state",
      object: coreObject("Secret", "rollcall-cluster-eu-1", { labels: owned }),
      before: undefined,
      expected: family,
    },
    {
      reason: "an object of Fleet that a person deletes: an agent may wait for its name",
      object: undefined,
      before: { ...coreObject("Cluster", "eu-1"), apiVersion: "fleet.cattle.io/v1alpha1" },
      expected: ["registration fleet"],
    },
    {
      reason: "a child that is deleted",
      object: undefined,
      before: coreObject("Secret", "s", { labels: owned }),
      expected: family,
    },
  ])("enqueues for $reason: $expected", async ({ object, before, expected }) => {
    const { changed } = await open();
    expect(changed(object, before)).toEqual(expected);
  });

  it("enqueues the members that name a Secret, as long as they name it", async () => {
    const { world, changed } = await open({ kubeConfigSecretRef: { name: "k" } });
    expect(changed(coreObject("Secret", "k"))).toEqual(["member fleet/eu-1"]);
    const live = world.clusterOf("eu-1");
    changed(cluster, live);
    expect(changed(coreObject("Secret", "k"))).toEqual([]);
  });

  it.each([
    ["its member joined by another one", { join: { ...join, registration: "other" } }],
    ["the state of its member was deleted", undefined],
  ])("enqueues no member of a registration after %s", async (_what, state) => {
    const { world, changed } = await open();
    const request = own("ClusterRegistration", "r");
    const stateOf = (given: MemberState): KubeObject => {
      const object = memberStateObject("fleet", "eu-1", given);
      return { ...object, metadata: { ...object.metadata, labels: owned } };
    };
    const before = stateOf({ join });
    changed(before);
    expect(changed(request)).toContain("member fleet/eu-1");
    const after = state && stateOf(state);
    if (after) await world.put(after);
    else await world.ports.hubApi.delete(refOf(resourceTypes.configMap, before));
    changed(after, before);
    expect(changed(request)).toEqual(["registration fleet"]);
  });

  it("enqueues the member of a registration once its state names which it is", async () => {
    const { changed } = await open();
    const request = own("ClusterRegistration", "r");
    expect(changed(request)).toEqual(["registration fleet"]);
    const state = memberStateObject("fleet", "eu-1", { join });
    const seen = { ...state, metadata: { ...state.metadata, labels: owned } };
    expect(changed(seen)).toEqual([...family, "registration fleet", "token fleet/edge after 1000"]);
    expect(changed(request)).toEqual(["member fleet/eu-1", "registration fleet"]);
  });

  it.each([
    { what: "a label of another cluster", metadata: { labels: { "rollcall.dev/cluster": "eu-9" } } },
    { what: "a finalizer", metadata: { labels: owned, finalizers: ["example.com/held"] } },
    { what: "an annotation", metadata: { labels: owned, annotations: { a: "b" } } },
  ])("A69 enqueues the member whose agent puts $what into its Lease", async ({ metadata }) => {
    const { changed } = await open();
    const before = coreObject("Lease", "rollcall-eu-1", { labels: owned });
    const after = coreObject("Lease", "rollcall-eu-1", metadata);
    const inGroup = (object: KubeObject) => ({ ...object, apiVersion: "coordination.k8s.io/v1" });
    expect(changed(inGroup(after), inGroup(before))).toEqual(expect.arrayContaining(family));
  });

  it("A188 puts off the member of an agent that changes its report without an end, and nothing else of that member", async () => {
    const { changed } = await open();
    const report = (number: number) => ({ ...own("ClusterReport", "eu-1", { labels: owned }), spec: { number } });
    const later = family.map((key) => `${key} after 5000`);
    const answers = Array.from({ length: 70 }, (_, number) => changed(report(number + 1), report(number)));
    expect(answers.map((keys) => keys.join())).toEqual([
      ...Array.from({ length: 60 }, () => family.join()),
      ...Array.from({ length: 10 }, () => later.join()),
    ]);
    expect(changed(coreObject("Secret", "s", { labels: owned }))).toEqual(family);
    expect(changed({ ...cluster, status: {} }, cluster)).toEqual(expect.arrayContaining(later));
    expect(changed(own("Cluster", "eu-1", { generation: 2 }), cluster)).toEqual(expect.arrayContaining(family));
    expect(changed(undefined, report(0))).toEqual(family);
    expect(changed(report(0))).toEqual(family);
  });

  it("passes the heartbeat of a member to the health timer", async () => {
    const { world, changed } = await open();
    const lease = (renewTime: string): KubeObject => ({
      ...coreObject("Lease", "rollcall-eu-1", { labels: owned }),
      apiVersion: "coordination.k8s.io/v1",
      spec: { holderIdentity: "a", renewTime },
    });
    const times = ["2027-01-01T00:00:00Z", "2027-01-01T00:00:10Z", "2027-01-01T00:00:20Z"] as const;
    const kinds: string[] = [];
    for (const [index, time] of times.entries()) {
      const before = lease(times[index - 1] ?? "2026-12-31T23:59:50Z");
      const after = await world.put(lease(time), "agent");
      expect(changed(after, { ...after, ...before, metadata: after.metadata })).toEqual([]);
      kinds.push(world.ports.health.stateOf("fleet/eu-1").kind);
    }
    expect(kinds).toEqual(["unwatched", "alive", "alive"]);
  });

  it("counts no use of a token for a member that joined without one", async () => {
    const { changed } = await open();
    const { token: _, tokenUse: __, ...withoutToken } = join;
    const { world, router, added } = await open();
    await world.put(memberStateObject("fleet", "eu-1", { join: withoutToken }), "rollcall-hub");
    router.enqueueAll();
    expect(added.filter((key) => key.startsWith("token"))).toEqual([]);
    expect(changed(cluster)).toContain("token fleet/edge after 1000");
  });

  it("enqueues nothing for a heartbeat", async () => {
    const { world, changed } = await open();
    const lease = (renewTime: string): KubeObject => ({
      ...coreObject("Lease", "rollcall-eu-1", { labels: owned }),
      apiVersion: "coordination.k8s.io/v1",
      spec: { holderIdentity: "a", renewTime },
    });
    const { protocols } = world.ports;
    expect(protocols.get("rollcall")?.heartbeatType).toBe(resourceTypes.lease);
    expect(changed(lease("2027-01-01T00:00:10Z"), lease("2027-01-01T00:00:00Z"))).toEqual([]);
    expect(changed(undefined, lease("2027-01-01T00:00:00Z"))).toEqual(family);
  });

  it("enqueues everything, members of which only objects are left among it", async () => {
    const { world, router, added } = await open();
    await world.put(own("ClusterRegistrationToken", "edge"));
    await world.put(own("ClusterRegistration", "r"));
    await world.put(coreObject("Secret", "s", { labels: { "rollcall.dev/cluster": "lost" } }));
    await world.put(coreObject("Secret", "free"));
    router.enqueueAll();
    expect([...new Set(added)].sort()).toEqual([
      "group fleet",
      "member fleet/eu-1",
      "member fleet/lost",
      "registration fleet",
      "token fleet/edge",
      "token fleet/edge after 1000",
    ]);
  });
});
