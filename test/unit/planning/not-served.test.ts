import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { HubFacts, Member } from "../../../src/model/member.ts";
import { describeServing, notServedStatus } from "../../../src/planning/not-served.ts";

const hub = { nowMs: 0, endpoint: { url: "https://hub", caBundle: "" } } as HubFacts;

function statusOf({ spec, status, state }: { spec?: Cluster["spec"]; status?: Cluster["status"]; state?: object }) {
  const managedFields = [{ manager: "kubectl", operation: "Update", fieldsV1: {} }];
  const cluster = {
    kind: "Cluster",
    metadata: { name: "a", namespace: "fleet", managedFields },
    ...(spec ? { spec } : {}),
    ...(status ? { status } : {}),
  };
  return notServedStatus({ workspace: "fleet", name: "a", cluster, state, children: [] } as unknown as Member, hub);
}

describe("a Cluster whose protocol is not served", () => {
  it("names the option that serves it", () => {
    expect(describeServing("fleet")).toBe("Start it with --serve-fleet; in the chart, set options.serveFleet: true.");
    const { conditions = [] } = statusOf({ spec: { protocol: "clusternet" }, state: {} });
    const message =
      "The daemon does not serve agents of protocol clusternet. " +
      "Start it with --serve-clusternet; in the chart, set options.serveClusternet: true.";
    expect(conditions.find(({ type }) => type === "Stalled")).toMatchObject({ reason: "NotServed", message });
    expect(statusOf({ state: {} }).conditions?.find(({ type }) => type === "Stalled")?.message).toContain("rollcall");
  });

  it("keeps what its agent reported, without its health and its leave", () => {
    const before = {
      kubernetesVersion: "v1.35.0",
      leave: { phase: "Waiting" },
      conditions: [{ type: "Healthy", status: "True", reason: "AgentHealthy", message: "", lastTransitionTime: "t" }],
    } as unknown as NonNullable<Cluster["status"]>;
    const seen = statusOf({ spec: { protocol: "fleet" }, status: before, state: {} });
    expect(seen.kubernetesVersion).toBe("v1.35.0");
    expect(seen).not.toHaveProperty("leave");
    expect(seen.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      "Ready False NotServed",
      "Accepted True Accepted",
      "Joined False NotServed",
      "Healthy Unknown NotJoined",
      "AgentUpToDate Unknown NotServed",
      "CredentialsValid Unknown NotServed",
      "Stalled True NotServed",
    ]);
  });

  it.each([
    { reason: "no file declares it", state: undefined, is: "NotInGit" },
    { reason: "it was a member before", state: {}, is: "Accepted" },
  ])("is $is when $reason", ({ state, is }) => {
    const { conditions = [] } = statusOf({ spec: { protocol: "fleet" }, ...(state ? { state } : {}) });
    expect(conditions.find(({ type }) => type === "Accepted")?.reason).toBe(is);
  });
});
