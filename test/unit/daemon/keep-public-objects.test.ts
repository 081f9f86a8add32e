import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { keepPublicObjects } from "../../../src/daemon/keep-public-objects.ts";
import type { HubPorts } from "../../../src/hub/hub-ports.ts";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import type { DeleteOptions } from "../../../src/kube/kube.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { hubFacts } from "../join/hub-scene.ts";

const readmission = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "readmit-1",
    uid: "u1",
    labels: { [labelKeys.cluster]: "eu-1", [labelKeys.ownerWorkspace]: "fleet" },
  },
};

function open(view: { readonly isWorkspace: boolean; readonly isBeingListed: () => boolean }) {
  const clock = createManualClock();
  const deleted: unknown[] = [];
  let tell: (change: ViewChange) => void = () => undefined;
  const owner = { label: labelKeys.cluster, workspace: "fleet", name: "eu-1" };
  const ports = {
    hubApi: {
      list: async () => ({ items: [readmission], resourceVersion: "1" }),
      apply: async (object: unknown) => object,
      delete: async ({ name }: ObjectRef, { uid }: DeleteOptions) => void deleted.push([name, uid]),
    },
    view: {
      isWorkspace: () => view.isWorkspace,
      isBeingListed: view.isBeingListed,
      list: () => [],
      memberOf: () => undefined,
      ownersOf: () => [owner],
      subscribe: (listener: (change: ViewChange) => void) => {
        tell = listener;
        return () => undefined;
      },
    },
    hubFacts: () => hubFacts({}),
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
});
