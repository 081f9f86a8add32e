import { describe, expect, it } from "vitest";
import { reconcileMember } from "../../../src/hub/controllers/reconcile-member.ts";
import { reconcileToken } from "../../../src/hub/tokens.ts";
import {
  clusternetBootstrapProtocol,
  clusternetProtocol,
} from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { fleetProtocol } from "../../../src/join/fleet/hub/fleet-protocol.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import { kubefleetProtocol } from "../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { describeRef, refOf } from "../../../src/model/kubernetes.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { resourceTypeOf } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { granted } from "../join/clusternet/clusternet-scene.ts";
import { grantedMemory } from "../join/fleet/fleet-scene.ts";
import { makeAgent, memberStateOf } from "../join/hub-scene.ts";
import { openMemberWorld, workspace } from "./members/member-world.ts";

const ownerLabels: readonly string[] = [labelKeys.cluster, labelKeys.token, labelKeys.ownerWorkspace];

/** A hub with a cluster that has joined and a token, both of a protocol, at rest. */
async function openAtRest(protocol: JoinProtocol, state: MemberState) {
  const world = await openMemberWorld([workspace], [protocol]);
  const { view, hubApi } = world.ports;
  const spec = { protocol: protocol.name };
  const labels = { [labelKeys.repository]: "system.fleet" };
  await world.addCluster("eu-1", { spec, labels, state });
  const metadata = { namespace: workspace, name: "edge", labels };
  await world.put({ apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata, spec });
  const run = async (): Promise<void> => {
    for (let pass = 0; pass < 3; pass++) {
      await reconcileMember(world.ports, { workspace, name: "eu-1" }, world.signal);
      await reconcileToken(world.ports, { workspace, name: "edge" }, world.signal);
    }
  };
  await run();
  return {
    run,
    asked: () => world.asked(),
    forget: () => void world.requests.splice(0),
    children: () => [
      ...view.childrenOf(labelKeys.cluster, workspace, "eu-1"),
      ...view.childrenOf(labelKeys.token, workspace, "edge"),
    ],
    get: (object: KubeObject) => hubApi.get(placeOf(object)),
    takeOff: (object: KubeObject, keys: readonly string[]) => {
      const patch = { metadata: { labels: Object.fromEntries(keys.map((key) => [key, null])) } };
      return hubApi.mergePatch(placeOf(object), patch, { fieldManager: "kubectl-label" });
    },
  };
}

function placeOf(object: KubeObject) {
  const type = resourceTypeOf(object);
  if (type === undefined) throw new Error(`${object.kind} is not a known kind`);
  return refOf(type, object);
}

function ownerOf({ metadata: { labels = {} } }: KubeObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => ownerLabels.includes(key)));
}

describe("owner labels that a person takes off", () => {
  const rollcallState = memberStateOf(makeAgent());
  it.each<{ name: string; protocol: JoinProtocol; state: MemberState; made: string }>([
    { name: "rollcall", protocol: rollcallProtocol, state: rollcallState, made: "ServiceAccount" },
    { name: "fleet", protocol: fleetProtocol, state: grantedMemory(), made: "Namespace" },
    { name: "kubefleet", protocol: kubefleetProtocol, state: { clientID: "uid-1" }, made: "MemberCluster" },
    { name: "clusternet", protocol: clusternetProtocol, state: granted(), made: "ManagedCluster" },
    { name: "bootstrap tokens", protocol: clusternetBootstrapProtocol, state: granted(), made: "ManagedCluster" },
  ])("are back after a pass, from every object of $name", async ({ protocol, state, made }) => {
    const world = await openAtRest(protocol, state);
    const before = world.children();
    expect(before.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["ConfigMap", made]));
    for (const child of before) {
      const carried = Object.keys(ownerOf(child));
      for (const taken of [carried, ...carried.map((key) => [key])]) {
        await world.takeOff(child, taken);
        await world.run();
        const after = await world.get(child);
        expect([describeRef(placeOf(child)), taken, after && ownerOf(after)]).toEqual([
          describeRef(placeOf(child)),
          taken,
          ownerOf(child),
        ]);
      }
    }
    world.forget();
    await world.run();
    expect(world.asked()).toEqual([]);
  });
});
