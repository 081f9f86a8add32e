import { afterAll, describe, expect, it } from "vitest";
import { createSimulatedClock, openPorts } from "../../../../src/hub/rehearsal/rehearsal-ports.ts";
import type { RehearsalSetting } from "../../../../src/hub/rehearsal/rehearsal-ports.ts";
import type { RehearsalNotes } from "../../../../src/hub/rehearsal/rehearsed-protocol.ts";
import { createSimulatedHub } from "../../../../src/hub/rehearsal/simulated-hub.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { hubFacts, startMs } from "../../join/hub-scene.ts";
import { namespace } from "./rehearsal-scene.ts";

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

function open(more: Partial<RehearsalSetting> = {}) {
  const seen: RehearsalNotes = { steps: [], credentials: [] };
  const clock = createSimulatedClock(startMs);
  const setting = {
    protocols: new Map([["rollcall", rollcallProtocol]]) as RehearsalSetting["protocols"],
    hubFacts: hubFacts({ nowMs: startMs }),
    isAllowedWorkspace: () => true,
    ...more,
  };
  const ports = openPorts(setting, { hub: createSimulatedHub([namespace], () => clock.nowMs()), clock, seen });
  ends.push(() => ports.view.stop());
  return { ports, clock, seen };
}

describe("the ports of a rehearsal", () => {
  it("have the time that the rehearsal sets, for clocks and facts alike", () => {
    const { ports, clock } = open();
    clock.set(startMs + 5000);
    expect([ports.clock.nowMs(), ports.hubFacts().nowMs]).toEqual([startMs + 5000, startMs + 5000]);
  });

  it("reach a cluster that has nothing and takes everything, and note its installation once", async () => {
    const { ports, seen } = open();
    const cluster = ports.connectDownstream("kubeconfig");
    for (let count = 0; count < 2; count++) await cluster.apply(namespace, { fieldManager: "test" });
    expect(await cluster.get({ type: { ...rollcallProtocol.registrations.type }, name: "a" })).toBeUndefined();
    expect(seen.steps).toEqual(["install the agent by the kubeconfig"]);
  });

  it("check a kubeconfig where that is asked for", () => {
    const checked: string[] = [];
    open({ checkKubeconfig: (kubeconfig) => void checked.push(kubeconfig) }).ports.connectDownstream("bad");
    open().ports.connectDownstream("any");
    expect(checked).toEqual(["bad"]);
  });
});

describe("createSimulatedClock", () => {
  it("ends no wait by itself: only its signal does", async () => {
    const stop = new AbortController();
    const clock = createSimulatedClock(startMs);
    const waiting = clock.sleep(1, stop.signal);
    clock.set(startMs + 60_000);
    expect(clock.monotonicMs()).toBe(startMs);
    stop.abort();
    await expect(waiting).rejects.toThrow("the rehearsal is over");
  });
});
