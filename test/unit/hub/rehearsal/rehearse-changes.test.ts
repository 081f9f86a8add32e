import { describe, expect, it } from "vitest";
import type { RehearsalInputs } from "../../../../src/hub/rehearsal/rehearse-changes.ts";
import type { JoinProtocol } from "../../../../src/join/join.ts";
import { fleetProtocol } from "../../../../src/join/fleet/hub/fleet-protocol.ts";
import { kubefleetProtocol } from "../../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import type { ProtocolName } from "../../../../src/model/generated/protocol.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { refOf } from "../../../../src/model/kubernetes.ts";
import { memberStateObject } from "../../../../src/model/member-state.ts";
import type { PlannedChange } from "../../../../src/model/plan.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { coreObject } from "../objects.ts";
import { applied, create, declared, namespace, rehearse } from "./rehearsal-scene.ts";

const join = { time: "2026-01-01T00:00:00Z", registration: "r", initiated: "agent" } as const;
const kubeConfigSecretRef = { name: "k" };

describe("rehearseChanges", () => {
  it("plans the objects and the credential of a new token", async () => {
    const { work, notes } = await rehearse([create(declared("ClusterRegistrationToken"))]);
    expect(work).toMatchObject([{ name: "ClusterRegistrationToken/fleet/eu-1", updates: [], deletes: [], steps: [] }]);
    expect(work[0]?.creates).toContain("Secret/fleet/eu-1");
    expect(work[0]?.credentials).not.toEqual([]);
    expect(notes).toEqual([]);
  });

  it("leaves out what the controllers would do without the changes", async () => {
    const other = declared("Cluster", {}, { name: "eu-2", ...applied });
    const { work } = await rehearse([create(declared("Cluster"))], { objects: [namespace, other] });
    expect(work.flatMap(({ creates }) => creates).filter((name) => name.includes("eu-2"))).toEqual([]);
    expect(work.map(({ name }) => name)).toEqual(["Cluster/fleet/eu-1"]);
  });

  it.each([
    {
      reason: "there",
      objects: [coreObject("Secret", "k", {}, { data: { value: "eA==" } })],
      known: true,
      note: undefined,
    },
    { reason: "not there", objects: [], known: true, note: "is not there: no agent is installed" },
    { reason: "not known", objects: [], known: false, note: "is on the hub is not known here" },
  ])("installs by a kubeconfig whose Secret is $reason", async ({ objects, known, note }) => {
    const { work, notes } = await rehearse([create(declared("Cluster", { kubeConfigSecretRef }))], {
      objects: [namespace, ...objects],
      areSecretsKnown: known,
    });
    expect(work[0]?.steps).toEqual(note === undefined ? ["install the agent by the kubeconfig"] : []);
    expect(notes).toEqual(note === undefined ? [] : [expect.stringContaining(note)]);
  });

  it("follows a change of a Secret to the clusters that name it", async () => {
    const objects = [namespace, declared("Cluster", { kubeConfigSecretRef }, applied)];
    const secret = coreObject("Secret", "k", {}, { data: { value: "eA==" } });
    const { work } = await rehearse([create(secret)], { objects });
    expect(work.map(({ name }) => name)).toEqual(["Secret/fleet/k"]);
  });

  it.each([
    { isServingKnown: true, note: "serves no agents of protocol fleet" },
    { isServingKnown: false, note: "Whether the daemon serves agents of protocol fleet" },
  ])("reports a protocol that is not served (known: $isServingKnown)", async ({ isServingKnown, note }) => {
    const { notes } = await rehearse([create(declared("Cluster", { protocol: "fleet" }))], { isServingKnown });
    expect(notes.some((text) => text.includes(note))).toBe(true);
  });

  it("plans a removal to its end", async () => {
    const cluster = declared("Cluster", {}, { uid: "u", resourceVersion: "1", ...applied });
    const leave = { kind: "leave", commit: "abc", uid: "u", resourceVersion: "1", reason: "test" } as const;
    const ref = refOf(resourceTypes.cluster, cluster);
    const { work } = await rehearse([{ ...leave, ref }], { objects: [namespace, cluster] });
    expect(work[0]?.deletes).toContain("Cluster/fleet/eu-1");
  });

  it("plans what a rename deletes of the old name of a cluster whose agent has joined, and reports that it depends on the agent", async () => {
    const keys = { signing: "c2lnbmluZw==", sealing: Buffer.alloc(32, 9).toString("base64") };
    const former = declared("Cluster", {}, { uid: "u", resourceVersion: "1", ...applied });
    const account = coreObject("ServiceAccount", "rollcall-eu-1", { labels: { "rollcall.dev/cluster": "eu-1" } });
    const state = memberStateObject("fleet", "eu-1", { keys, join });
    const ref = refOf(resourceTypes.cluster, former);
    const patchAnnotations = { "rollcall.dev/moved-to": "fleet/eu-2" };
    const change: PlannedChange = {
      ...create(declared("Cluster", { previousName: "eu-1" }, { name: "eu-2" })),
      ...{ former: { ref, uid: "u", resourceVersion: "1", patchAnnotations } },
    };
    const { work, notes } = await rehearse([change], { objects: [namespace, former, account, state] });
    expect(work[0]?.deletes).toEqual(
      expect.arrayContaining([
        "Cluster/fleet/eu-1",
        "ConfigMap/fleet/rollcall-cluster-eu-1",
        "ServiceAccount/fleet/rollcall-eu-1",
      ]),
    );
    expect(work[0]?.steps).toEqual([]);
    expect(notes.join()).toContain("What belongs to fleet/eu-1 is deleted when its agent works as fleet/eu-2");
  });

  const keys = { signing: "c2lnbmluZw==", sealing: Buffer.alloc(32, 9).toString("base64") };
  const both: RehearsalInputs["protocols"] = new Map<ProtocolName, JoinProtocol>([
    ["rollcall", rollcallProtocol],
    ["kubefleet", kubefleetProtocol],
    ["fleet", fleetProtocol],
  ]);

  it("plans a change of the join protocol to its end: the objects of the agent before, and those of the agent after", async () => {
    const cluster = declared("Cluster", {}, { uid: "u", resourceVersion: "1", ...applied });
    const account = coreObject("ServiceAccount", "rollcall-eu-1", { labels: { "rollcall.dev/cluster": "eu-1" } });
    const origin = { isDeclared: true, spec: { protocol: "rollcall" } } as const;
    const state = memberStateObject("fleet", "eu-1", { keys, join, origin });
    const change = create(declared("Cluster", { protocol: "kubefleet" }), "update");
    const { work, notes } = await rehearse([change], {
      objects: [namespace, cluster, account, state],
      protocols: both,
    });
    expect(work[0]?.deletes).toContain("ServiceAccount/fleet/rollcall-eu-1");
    expect(work[0]?.creates).toContain("MemberCluster.cluster.kubernetes-fleet.io/eu-1");
    expect(work[0]?.creates.some((name) => name.startsWith("RoleBinding/"))).toBe(true);
    expect(notes).toEqual([]);
  });

  it("plans the removal of a token with its objects, and nothing of another token", async () => {
    const metadata = { uid: "u", resourceVersion: "1", ...applied };
    const tokens = ["eu-1", "eu-2"].map((name) => declared("ClusterRegistrationToken", {}, { ...metadata, name }));
    const ref = { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name: "eu-1" };
    const change: PlannedChange = { kind: "delete", ref, uid: "u", resourceVersion: "1", reason: "test" };
    const { work } = await rehearse([change], { objects: [namespace, ...tokens] });
    expect(work.map(({ name }) => name)).toEqual(["ClusterRegistrationToken/fleet/eu-1"]);
    const deletes = work.flatMap((each) => each.deletes);
    expect(deletes).toEqual(expect.arrayContaining(["Secret/fleet/eu-1", "ServiceAccount/fleet/rollcall.token.eu-1"]));
    expect(deletes.filter((name) => name.includes("eu-2"))).toEqual([]);
  });

  it("reports that a cluster is not accepted, and why", async () => {
    const held = {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      metadata: { name: "eu-1" },
    };
    const { notes } = await rehearse([create(declared("Cluster", { protocol: "kubefleet" }))], {
      objects: [namespace, held],
      protocols: both,
    });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/^Cluster fleet\/eu-1 is not accepted: MemberCluster\S* exists/u);
  });

  it("writes a placeholder for a uid that only the hub knows, and reports it once", async () => {
    const { work, notes } = await rehearse([create(declared("ClusterRegistrationToken", { protocol: "fleet" }))], {
      protocols: both,
    });
    expect(work[0]?.creates).toEqual(expect.arrayContaining(["ServiceAccount/fleet/eu-1-<uid>", "Secret/fleet/eu-1"]));
    expect(work[0]?.creates.filter((name) => /planned|recorded/u.test(name))).toEqual([]);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain("names contain <uid>");
  });

  it.each(["planned-7", "recorded-1"])(
    "writes no placeholder into the names of a token that is named %s",
    async (name) => {
      const { work, notes } = await rehearse([create(declared("ClusterRegistrationToken", {}, { name }))]);
      expect(work[0]?.creates).toEqual(
        expect.arrayContaining([`Secret/fleet/${name}`, `ServiceAccount/fleet/rollcall.token.${name}`]),
      );
      expect(notes).toEqual([]);
    },
  );

  it("plans nothing for a kind without a controller", async () => {
    expect(await rehearse([create(declared("ClusterGroup"))])).toEqual({ work: [], notes: [] });
  });
});
