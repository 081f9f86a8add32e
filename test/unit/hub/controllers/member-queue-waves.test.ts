import { describe, expect, it } from "vitest";
import type { JoinProtocol } from "../../../../src/join/join.ts";
import { annotationKeys, fieldManagers } from "../../../../src/model/well-known.ts";
import { startMs } from "../../join/hub-scene.ts";
import { ofFleet, openQueue, openWaves } from "./member-queue-world.ts";

const hourMs = 3_600_000;

describe("createMemberQueue, while agents are rolled out", () => {
  it("awaits only clusters of the same Repository before an agent may change", async () => {
    const { addCluster, reconcile, seen } = await openWaves();
    await addCluster("eu-1", { labels: ofFleet });
    await addCluster("us-1", { labels: { ...ofFleet, "rollcall.dev/repository": "rollcall.other" } });
    await addCluster("us-2");
    await reconcile("eu-1");
    expect(seen).toEqual({ "eu-1": undefined });
  });

  it("rolls out the agents of clusters that no Repository declares by themselves, also of those without labels", async () => {
    const { addCluster, put, reconcile, seen, rollouts } = await openWaves();
    await addCluster("eu-1", { labels: ofFleet });
    for (const name of ["lab-1", "lab-2"])
      await put(
        { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { namespace: "fleet", name } },
        fieldManagers.hub,
      );
    await reconcile("lab-1");
    expect(seen).toEqual({ "lab-1": "WaitingForWave" });
    await reconcile("lab-2");
    expect(seen).toEqual({ "lab-1": undefined, "lab-2": "WaitingForWave" });
    expect(new Set(rollouts)).toEqual(new Set([""]));
  });

  it("lets more agents change as soon as the rollout of their Repository allows more", async () => {
    const rollout = { maxUnavailable: 1 };
    const { addCluster, queue, reconcile, seen } = await openWaves(rollout);
    for (const name of ["eu-1", "eu-2"]) await addCluster(name, { labels: ofFleet });
    await reconcile("eu-1", "eu-2");
    expect(seen).toEqual({ "eu-1": undefined, "eu-2": "WaitingForWave" });
    rollout.maxUnavailable = 2;
    await reconcile();
    expect(seen["eu-2"]).toBe("WaitingForWave");
    queue.recordRollouts();
    await reconcile();
    expect(seen).toEqual({ "eu-1": undefined, "eu-2": undefined });
  });

  it("takes the agents of foreign protocols for those of their Repository", async () => {
    const { addCluster, reconcile, seen } = await openWaves();
    await addCluster("eu-1", { labels: ofFleet, spec: { protocol: "kubefleet" } });
    await addCluster("eu-2", { labels: ofFleet });
    await reconcile("eu-1", "eu-2");
    expect(seen).toEqual({ "eu-1": undefined, "eu-2": "WaitingForWave" });
  });

  it("asks each agent's own protocol for its progress", async () => {
    const { addCluster, reconcile, queue, isWritten } = await openQueue(({ name }) => ({
      agentProgress: () => {
        if (name === "rollcall") throw new Error("it has no agent of this protocol");
        return undefined;
      },
    }));
    await addCluster("eu-1", { labels: ofFleet, spec: { protocol: "kubefleet" } });
    await reconcile("eu-1");
    expect(isWritten("eu-1")).toBe(true);
    expect(queue.counts).toEqual({ waiting: 0, active: 0, done: 1, failed: 0 });
  });

  it("counts no agent that is leaving its previous protocol", async () => {
    const { addCluster, reconcile, seen } = await openWaves(undefined, {
      offboardingSteps: () => [{ kind: "wait", untilMs: startMs + hourMs }],
    });
    const since = new Date(startMs).toISOString();
    const formerProtocol = { spec: { protocol: "kubefleet" as const }, leave: { commit: "abc", since } };
    const state = { origin: { isDeclared: true, spec: { protocol: "rollcall" as const } }, formerProtocol };
    await addCluster("eu-1", { labels: ofFleet, state });
    await addCluster("eu-2", { labels: ofFleet });
    await reconcile("eu-1", "eu-2");
    expect(seen).toEqual({ "eu-2": undefined });
  });

  it.each([
    { reason: "that is suspended", parts: { annotations: { [annotationKeys.reconcile]: "disabled" } }, writes: false },
    { reason: "whose protocol is not served", parts: { spec: { protocol: "fleet" as const } }, writes: true },
  ])("awaits no agent of a cluster $reason, and reports no failure", async ({ parts, writes }) => {
    const { addCluster, reconcile, seen, queue, isWritten } = await openWaves(undefined, {
      agentProgress: ({ name }) =>
        name === "eu-1" ? undefined : { key: `fleet/${name}`, version: "2", state: "waiting" },
    });
    await addCluster("eu-1", { labels: ofFleet, ...parts });
    await addCluster("eu-2", { labels: ofFleet });
    await reconcile("eu-1", "eu-2");
    expect([isWritten("eu-1"), seen]).toEqual([writes, { "eu-2": undefined }]);
    expect(queue.counts).toMatchObject({ waiting: 0, active: 0, failed: 0 });
  });

  /** One agent changes and is unresponsive; another waits. The deadline of the change is in a minute. */
  async function openDeadline() {
    const agentProgress: JoinProtocol["agentProgress"] = ({ name }) =>
      name === "eu-1"
        ? { key: "fleet/eu-1", version: "2", state: "changing", offeredAtMs: startMs }
        : { key: `fleet/${name}`, version: "2", state: "waiting" };
    const world = await openWaves({ maxUnavailable: 1, deadlineSeconds: 60 }, { agentProgress });
    world.ports.health.stateOf = (key) =>
      key === "fleet/eu-1" ? { kind: "unresponsive", forMs: 1000 } : { kind: "unwatched" };
    for (const name of ["eu-1", "eu-2"]) await world.addCluster(name, { labels: ofFleet });
    await world.reconcile("eu-1", "eu-2");
    return world;
  }

  it("stops a rollout at the deadline of an agent that became unresponsive during its change", async () => {
    const { seen, clock, queue, setNow } = await openDeadline();
    const seenAfter: (string | undefined)[] = [];
    for (const afterMs of [0, 60_000, 1]) {
      setNow(startMs + afterMs + (afterMs === 1 ? 60_000 : 0));
      await clock.advance(afterMs);
      await queue.whenIdle();
      seenAfter.push(seen["eu-2"]);
    }
    expect(seenAfter).toEqual(["WaitingForWave", "WaitingForWave", "RolloutStopped"]);
  });

  it("waits for no deadline any more when it has stopped, and takes no member", async () => {
    const { clock, queue, requests, asked } = await openDeadline();
    expect(clock.sleepers).toBeGreaterThan(0);
    await queue.stop();
    expect(clock.sleepers).toBe(0);
    requests.length = 0;
    queue.add("fleet/eu-2");
    await queue.whenIdle();
    expect(asked()).toEqual([]);
  });
});
