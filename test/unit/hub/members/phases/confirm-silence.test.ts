import { describe, expect, it } from "vitest";
import { confirmSilence } from "../../../../../src/hub/members/phases/confirm-silence.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import { labelKeys } from "../../../../../src/model/well-known.ts";
import type { HeartbeatState } from "../../../../../src/planning/cluster-status-inputs.ts";
import { openMemberWorld, workspace } from "../member-world.ts";

const leaseType = resourceTypes.lease;
const silent: HeartbeatState = { kind: "unresponsive", forMs: 200_000 };
const [first, second] = ["2027-01-15T08:00:00.000000Z", "2027-01-15T08:03:00.000000Z"];

function lease(renewTime: string, resourceVersion?: string): KubeObject {
  const metadata = { namespace: workspace, name: "rollcall-eu-1", labels: { [labelKeys.cluster]: "eu-1" } };
  const versioned = resourceVersion === undefined ? metadata : { ...metadata, resourceVersion };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: versioned, spec: { renewTime } };
}

const missed = {
  conditions: [
    { type: "Healthy", status: "Unknown" as const, reason: "HeartbeatMissed", message: "", lastTransitionTime: first },
  ],
};

describe("confirmSilence", () => {
  it.each<{ what: string; state: HeartbeatState; status?: object; answers?: string; reads: number; seen: string[] }>([
    { what: "an agent that is alive", state: { kind: "alive" }, answers: second, reads: 0, seen: [] },
    {
      what: "one that was not watched for a window",
      state: { kind: "unwatched" },
      answers: second,
      reads: 0,
      seen: [],
    },
    { what: "one that is reported already", state: silent, status: missed, answers: second, reads: 0, seen: [] },
    { what: "silence that a lost watch made up", state: silent, answers: second, reads: 1, seen: [second] },
    { what: "real silence", state: silent, reads: 1, seen: [] },
  ])("reads the Lease $reads times for $what, and records $seen", async ({ state, status, answers, reads, seen }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", status === undefined ? {} : { status });
    await world.put(lease(first), "rollcall-agent");
    const held = await world.ports.hubApi.get({ type: leaseType, namespace: workspace, name: "rollcall-eu-1" });
    const newer = String(Number(held?.metadata.resourceVersion) + 1000);
    let count = 0;
    const noted: string[] = [];
    const result = await confirmSilence(world.scopeOf("eu-1"), {
      view: world.ports.view,
      health: {
        stateOf: () => state,
        observe: (_key, _windowMs, marker) => void noted.push(marker ?? ""),
      },
      hubApi: {
        get: () => {
          count += 1;
          return Promise.resolve(answers === undefined ? held : lease(answers, newer));
        },
      },
    });
    expect({ result, count, noted }).toEqual({ result: { kind: "next" }, count: reads, noted: seen });
  });

  it("fails, and reports nothing of the agent, when the API server does not answer", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", {});
    await world.put(lease(first), "rollcall-agent");
    const noted: string[] = [];
    const health = { stateOf: () => silent, observe: () => void noted.push("") };
    const hubApi = { get: () => Promise.reject(new Error("no answer")) };
    await expect(confirmSilence(world.scopeOf("eu-1"), { ...world.ports, health, hubApi })).rejects.toThrow(
      "no answer",
    );
    expect(noted).toEqual([]);
  });

  it("A69 asks for the member's own Lease, when another agent labels its own like that", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1");
    const other = lease(second);
    await world.put({ ...other, metadata: { ...other.metadata, name: "rollcall-eu-0" } }, "rollcall-agent");
    await world.put(lease(first), "rollcall-agent");
    const asked: string[] = [];
    await confirmSilence(world.scopeOf("eu-1"), {
      view: world.ports.view,
      health: { stateOf: () => silent, observe: () => undefined },
      hubApi: {
        get: ({ name }) => {
          asked.push(name);
          return Promise.resolve(undefined);
        },
      },
    });
    expect(asked).toEqual(["rollcall-eu-1"]);
  });
});
