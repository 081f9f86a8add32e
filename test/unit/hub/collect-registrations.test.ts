import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { HubPorts } from "../../../src/hub/hub-ports.ts";
import { createRegistrations } from "../../../src/hub/registrations.ts";
import { clusternetProtocol } from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { DeleteOptions } from "../../../src/kube/kube.ts";
import { clusternetTokenLabels } from "../../../src/model/dialects/clusternet.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";

const options = { onProposal: () => undefined, holdMember: () => () => undefined };
const { signal } = new AbortController();
const version = { uid: "u1", resourceVersion: "7" };

function refusedAt(decidedTime: string): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistration",
    metadata: { name: "early", namespace: "fleet", ...version, creationTimestamp: decidedTime },
    spec: { tokenName: "token" },
    status: { decision: "Refused", reason: "NameNotAllowed", decidedTime },
  };
}

/** As Clusternet's agent makes it: no namespace holds it. No member has been admitted by it. */
const approved: KubeObject = {
  apiVersion: "clusters.clusternet.io/v1beta1",
  kind: "ClusterRegistrationRequest",
  metadata: { name: "early", ...version, creationTimestamp: "2020-01-01T00:00:00Z" },
  spec: { clusterLabels: { [clusternetTokenLabels.workspace]: "fleet" } },
  status: { result: "Approved" },
};

function open(
  registration: KubeObject,
  { isWorkspace = true, refusal }: { isWorkspace?: boolean; refusal?: Error } = {},
) {
  const clock = createManualClock();
  let registrations = [registration];
  const deleted: unknown[] = [];
  const isOfClusternet = registration.kind === "ClusterRegistrationRequest";
  const parts = {
    clock,
    protocols: new Map([["served", isOfClusternet ? clusternetProtocol : rollcallProtocol]]),
    hubFacts: () => ({ nowMs: clock.nowMs() }),
    hubApi: {
      delete: async ({ type, name }: ObjectRef, { uid, resourceVersion }: DeleteOptions) => {
        deleted.push([type.kind, name, uid, resourceVersion]);
        if (refusal !== undefined) throw refusal;
        registrations = [];
      },
    },
    view: {
      list: () => registrations,
      isWorkspace: () => isWorkspace,
      membersOf: () => indexMembers([]),
      statesWithoutCluster: () => [],
      recordDeleted: () => undefined,
    },
  };
  const reconcile = createRegistrations(parts as unknown as HubPorts, options);
  return { clock, deleted, reconcile: () => reconcile("fleet", signal) };
}

describe("createRegistrations, of registrations that have served their time", () => {
  it("deletes a refused registration after ten minutes in a workspace where nothing else happens", async () => {
    const { clock, deleted, reconcile } = open(refusedAt(new Date(createManualClock().nowMs()).toISOString()));
    let passedMs = 0;
    for (let waitMs = await reconcile(); waitMs !== undefined; waitMs = await reconcile()) {
      await clock.advance(waitMs);
      passedMs += waitMs;
    }
    expect(deleted).toEqual([["ClusterRegistration", "early", "u1", "7"]]);
    expect(passedMs).toBeGreaterThanOrEqual(10 * 60_000);
    expect(passedMs).toBeLessThan(12 * 60_000);
  });

  it("leaves a registration that its agent has changed, or made again, since it was seen", async () => {
    const { deleted, reconcile } = open(refusedAt("2020-01-01T00:00:00Z"), {
      refusal: new AppError("E_KUBE_CONFLICT", "delete"),
    });
    expect(await reconcile()).toBeUndefined();
    expect(deleted).toHaveLength(1);
  });

  it.each([
    { reason: "deletes a granted request of which no member is known", isWorkspace: true, count: 1 },
    { reason: "keeps it where the namespace is no workspace any more", isWorkspace: false, count: 0 },
  ])("$reason", async ({ isWorkspace, count }) => {
    const { deleted, reconcile } = open(approved, { isWorkspace });
    await reconcile();
    expect(deleted).toHaveLength(count);
  });

  it("checks what has expired once a second, however often it is asked", async () => {
    const decidedMs = createManualClock().nowMs() - 599_500;
    const { clock, deleted, reconcile } = open(refusedAt(new Date(decidedMs).toISOString()));
    expect(await reconcile()).toBe(60_000);
    await clock.advance(600);
    expect([await reconcile(), deleted]).toEqual([400, []]);
    await clock.advance(400);
    expect([await reconcile(), deleted.length]).toEqual([undefined, 1]);
  });

  it("fails where a registration that has expired cannot be deleted", async () => {
    const refusal = new AppError("E_KUBE_FORBIDDEN", "delete");
    const { reconcile } = open(refusedAt("2020-01-01T00:00:00Z"), { refusal });
    await expect(reconcile()).rejects.toBe(refusal);
  });

  it("asks for nothing in a workspace without registrations", async () => {
    const { reconcile, deleted } = open(refusedAt("2020-01-01T00:00:00Z"));
    await reconcile();
    expect(await reconcile()).toBeUndefined();
    expect(deleted).toHaveLength(1);
  });

  it("checks no registration of another workspace", async () => {
    const { reconcile, deleted } = open({
      ...refusedAt("2020-01-01T00:00:00Z"),
      metadata: { name: "early", namespace: "labs", ...version },
    });
    expect(await reconcile()).toBeUndefined();
    expect(deleted).toEqual([]);
  });
});
