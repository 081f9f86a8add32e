import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/core/errors.ts";
import { takeOverState } from "../../../../../src/hub/members/phases/take-over-state.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import { annotationKeys } from "../../../../../src/model/well-known.ts";
import type { ClusterParts } from "../member-world.ts";
import { openMemberWorld, otherWorkspace, workspace } from "../member-world.ts";

const spec = { previousName: "old" };
const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };
const moved = { [annotationKeys.movedTo]: "fleet/eu-1" };

describe("takeOverState", () => {
  it.each<{ reason: string; former: ClusterParts; own: ClusterParts; isTaken: boolean }>([
    { reason: "both name each other", former: { annotations: moved, state: { keys } }, own: { spec }, isTaken: true },
    { reason: "only the successor names the other", former: { state: { keys } }, own: { spec }, isTaken: false },
    {
      reason: "only the predecessor names the other",
      former: { annotations: moved, state: { keys } },
      own: {},
      isTaken: false,
    },
    {
      reason: "the predecessor names a third cluster",
      former: { annotations: { [annotationKeys.movedTo]: "fleet/eu-2" }, state: { keys } },
      own: { spec },
      isTaken: false,
    },
    {
      reason: "the successor has an agent of its own",
      former: { annotations: moved, state: { keys } },
      own: { spec, state: { keys: { signing: "own", sealing: "own" } } },
      isTaken: false,
    },
  ])("takes the state ($isTaken) when $reason", async ({ former, own, isTaken }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", former);
    await world.addCluster("eu-1", own);
    const before = world.stateOf("eu-1");
    const result = await takeOverState(world.scopeOf("eu-1"), world.ports);
    expect(result).toEqual(isTaken ? { kind: "done", requeueAfterMs: 0 } : { kind: "next" });
    if (isTaken) expect(world.stateOf("eu-1")).toMatchObject({ keys, movedFrom: { workspace: "fleet", name: "old" } });
    else expect(world.stateOf("eu-1")).toEqual(before);
  });

  it.each<{ reason: string; own: ClusterParts }>([
    { reason: "has taken it already", own: { spec, state: { movedFrom: { workspace: "fleet", name: "old" } } } },
    { reason: "names a predecessor of another workspace", own: { spec: { previousName: "labs/old" } } },
    { reason: "names one that is not there", own: { spec: { previousName: "lost" } } },
  ])("takes no state for a cluster that $reason", async ({ own }) => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", own);
    expect(await takeOverState(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
    expect(world.asked()).toEqual([]);
  });

  it("takes no state for a cluster of the same name in another workspace", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: { [annotationKeys.movedTo]: "labs/eu-1" }, state: { keys } });
    await world.addCluster("eu-1", { spec });
    expect(await takeOverState(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
  });

  it("keeps what the successor recorded of itself", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", { spec, state: { origin: { isDeclared: true } } });
    await takeOverState(world.scopeOf("eu-1"), world.ports);
    expect(world.asked()).toEqual(["apply ConfigMap/rollcall-cluster-eu-1"]);
    expect(world.stateOf("eu-1")).toMatchObject({ keys, origin: { isDeclared: true } });
  });

  it("A125 proves to the workspace that a cluster comes from where its agent is, before it takes the state", async () => {
    const world = await openMemberWorld([workspace, otherWorkspace]);
    await world.addCluster("labs/old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", { spec: { previousName: "labs/old" }, state: {} });
    await takeOverState(world.scopeOf("eu-1"), world.ports);
    expect(world.asked()).toEqual(["apply ConfigMap/rollcall-cluster-old", "apply ConfigMap/rollcall-cluster-eu-1"]);
    expect(world.stateOf("labs/old")).toEqual({ keys, takenOverBy: { workspace: "fleet", name: "eu-1" } });
    expect(world.stateOf("eu-1")).toEqual({ keys, movedFrom: { workspace: "labs", name: "old" } });
  });

  it("keeps an agent that is admitted as the successor while the predecessor's state is written", async () => {
    const world = await openMemberWorld([workspace, otherWorkspace]);
    await world.addCluster("labs/old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", { spec: { previousName: "labs/old" }, state: {} });
    const scope = world.scopeOf("eu-1");
    const admitted = { keys: { signing: "own", sealing: "own" } };
    const { hubApi } = world.ports;
    let isAdmitted = false;
    const apply: typeof hubApi.apply = async (...request) => {
      if (!isAdmitted) await world.put(memberStateObject("fleet", "eu-1", admitted), "rollcall-hub");
      isAdmitted = true;
      return world.hub.api.apply(...request);
    };
    Object.assign(hubApi, { apply });
    expect(await takeOverState(scope, world.ports)).toEqual({ kind: "done", requeueAfterMs: 0 });
    expect(world.stateOf("eu-1")).toEqual(admitted);
  });

  it("writes nothing where another writer has made the state since: the next pass takes it into account", async () => {
    const world = await openMemberWorld();
    await world.addCluster("old", { annotations: moved, state: { keys } });
    await world.addCluster("eu-1", { spec });
    Object.assign(world.ports.hubApi, { create: () => Promise.reject(new AppError("E_KUBE_EXISTS", "create")) });
    expect(await takeOverState(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "done", requeueAfterMs: 0 });
    expect(world.asked()).toEqual([]);
  });
});
