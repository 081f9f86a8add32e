import { describe, expect, it } from "vitest";
import type { HubPorts } from "../../../src/hub/hub-ports.ts";
import { createRegistrations } from "../../../src/hub/registrations.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const type = resourceTypes.clusterRegistration;

describe("createRegistrations", () => {
  it("deletes a refused registration after ten minutes in a workspace where nothing else happens", async () => {
    const clock = createManualClock();
    const decidedTime = new Date(clock.nowMs()).toISOString();
    const refused: KubeObject = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterRegistration",
      metadata: { name: "early", namespace: "fleet", creationTimestamp: decidedTime },
      spec: { tokenName: "token" },
      status: { decision: "Refused", reason: "NameNotAllowed", decidedTime },
    };
    let registrations = [refused];
    const remove = (): void => void (registrations = []);
    const reconcile = createRegistrations(portsOf({ clock, list: () => registrations, remove }), {
      onProposal: () => undefined,
      holdMember: () => () => undefined,
    });
    const { signal } = new AbortController();
    let passedMs = 0;
    for (
      let waitMs = await reconcile("fleet", signal);
      waitMs !== undefined;
      waitMs = await reconcile("fleet", signal)
    ) {
      await clock.advance(waitMs);
      passedMs += waitMs;
    }
    expect(registrations).toEqual([]);
    expect(passedMs).toBeGreaterThanOrEqual(10 * 60_000);
    expect(passedMs).toBeLessThan(12 * 60_000);
  });
});

function portsOf(options: {
  readonly clock: HubPorts["clock"];
  readonly list: () => readonly KubeObject[];
  readonly remove: () => void;
}): HubPorts {
  const { clock, list, remove } = options;
  const parts = {
    clock,
    protocols: new Map([["rollcall", rollcallProtocol]]),
    hubFacts: () => ({ nowMs: clock.nowMs() }),
    hubApi: {
      delete: async (ref: unknown) => {
        expect(ref).toEqual(list().map((object) => refOf(type, object))[0]);
        remove();
      },
    },
    view: { list, membersOf: () => [], noteDeleted: () => undefined },
  };
  return parts as unknown as HubPorts;
}
