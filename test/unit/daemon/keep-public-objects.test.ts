import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { keepPublicObjects } from "../../../src/daemon/keep-public-objects.ts";
import type { HubPorts } from "../../../src/hub/hub-ports.ts";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import type { DeleteOptions } from "../../../src/kube/kube.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { recoverySecretName } from "../../../src/model/dialects/rollcall.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Member } from "../../../src/model/member.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf } from "../join/hub-scene.ts";

const readmission = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "readmit-1",
    uid: "u1",
    labels: { [labelKeys.cluster]: "eu-1", [labelKeys.ownerWorkspace]: "fleet" },
  },
};

interface Scene {
  readonly isWorkspace: boolean;
  readonly isBeingListed: () => boolean;
  readonly member?: Member;
  readonly epoch?: number;
  readonly held?: readonly KubeObject[];
}

const { trust } = hubFacts();

function open({ isWorkspace, isBeingListed, member, epoch = 1, held = [readmission] }: Scene) {
  const clock = createManualClock();
  const deleted: unknown[] = [];
  const applied: string[] = [];
  let tell: (change: ViewChange) => void = () => undefined;
  const owner = { label: labelKeys.cluster, workspace: "fleet", name: "eu-1" };
  const ports = {
    hubApi: {
      list: async () => ({ items: held, resourceVersion: "1" }),
      apply: async (object: KubeObject) => {
        applied.push(object.metadata.name.replace(/^readmit-.*/u, "readmission"));
        return object;
      },
      delete: async ({ name }: ObjectRef, { uid }: DeleteOptions) => void deleted.push([name, uid]),
    },
    view: {
      isWorkspace: () => isWorkspace,
      isBeingListed,
      list: () => [],
      memberOf: () => member,
      ownersOf: () => [owner],
      subscribe: (listener: (change: ViewChange) => void) => {
        tell = listener;
        return () => undefined;
      },
    },
    hubFacts: () => hubFacts({ trust: { ...trust, epoch } }),
    entropy: { bytes: (length: number) => new Uint8Array(length).fill(7) },
    clock,
    log: silentLog,
  } as unknown as HubPorts;
  const publicObjects = keepPublicObjects(ports, { next: () => 0.5 } as never);
  onTestFinished(() => publicObjects.stop());
  const state = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "state" }, data: { memory: "{}" } };
  const ref = { type: resourceTypes.configMap, namespace: "fleet", name: "state" };
  return {
    clock,
    deleted,
    applied,
    whenIdle: () => publicObjects.whenIdle(),
    listState: () => tell({ ref, object: state, before: undefined, isPlanned: false }),
  };
}

describe("keepPublicObjects", () => {
  it("keeps the readmission of a cluster that is not listed yet", async () => {
    let isBeingListed = true;
    const { clock, deleted, whenIdle, listState } = open({ isWorkspace: true, isBeingListed: () => isBeingListed });
    await whenIdle();
    listState();
    await clock.advance(1000);
    expect(deleted).toEqual([]);
    isBeingListed = false;
    await clock.advance(200);
    await whenIdle();
    expect(deleted).toEqual([["readmit-1", "u1"]]);
  });

  it("keeps the readmission of a cluster in a namespace that is no workspace any more", async () => {
    const { deleted, whenIdle, listState } = open({ isWorkspace: false, isBeingListed: () => false });
    await whenIdle();
    listState();
    await whenIdle();
    expect(deleted).toEqual([]);
  });

  describe("of a cluster without a credential", () => {
    const agent = makeAgent();
    const recoveryToken = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: recoverySecretName("eu-1", agent.digest), namespace: "fleet" },
      type: "kubernetes.io/service-account-token",
      data: { token: Buffer.from("recovery").toString("base64") },
    };
    const registration = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistration", metadata: { name: "r" } };
    const memberWith = (...more: readonly KubeObject[]): Member =>
      memberOf("eu-1", { state: memberStateOf(agent), children: [recoveryToken, ...more] });

    it.each([
      { name: "is on the hub on which it joined", epoch: 1, member: memberWith(), written: [] },
      { name: "was restored on another hub", epoch: 2, member: memberWith(), written: ["readmission"] },
      { name: "joined again on the restored hub", epoch: 2, member: memberWith(registration), written: [] },
    ])("writes $written for one that $name", async ({ epoch, member, written }) => {
      const scene = { isWorkspace: true, isBeingListed: () => false, epoch, member, held: [] };
      const { applied, deleted, whenIdle, listState } = open(scene);
      await whenIdle();
      listState();
      await whenIdle();
      listState();
      await whenIdle();
      expect(applied).toEqual(["hub-info", ...written]);
      expect(deleted).toEqual([]);
    });
  });
});
