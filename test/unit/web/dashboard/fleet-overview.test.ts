import { describe, expect, it } from "vitest";
import type { ClusterRow, RegistrationRow, TokenRow } from "../../../../src/model/generated/page-api.ts";
import type { FleetOverviewInputs } from "../../../../src/web/dashboard/fleet-overview.ts";
import { fleetOverview } from "../../../../src/web/dashboard/fleet-overview.ts";

const nothing: FleetOverviewInputs = {
  version: "1.2.3",
  hubAwaySinceMs: undefined,
  rows: [],
  tokens: { tokens: [], registrations: [] },
  repository: undefined,
  hubObjects: [],
};

function rowsOf(...rows: readonly (readonly [ClusterRow["state"], string, string?])[]): ClusterRow[] {
  return rows.map(([state, reason, phase]) => ({ state, reason, phase }) as ClusterRow);
}

function tokensOf(...expires: readonly (string | undefined)[]): TokenRow[] {
  return expires.map((time, index) => ({ name: `token-${index}`, expires: time }) as TokenRow);
}

function registrationsOf(...decisions: readonly RegistrationRow["decision"][]): RegistrationRow[] {
  return decisions.map((decision) => ({ decision }) as RegistrationRow);
}

describe("fleetOverview", () => {
  it("has no field of what is not there", () => {
    expect(fleetOverview(nothing)).toStrictEqual({
      version: "1.2.3",
      counts: { clusters: 0, ready: 0, notReady: 0, unknown: 0, leaving: 0, tokens: 0, waiting: 0 },
      states: [],
      reasons: [],
      tokens: [],
    });
  });

  it("has since when the hub cannot be watched", () => {
    expect(fleetOverview({ ...nothing, hubAwaySinceMs: 0 }).hubAwaySince).toBe("1970-01-01T00:00:00.000Z");
  });

  it("counts clusters by state, and gives reasons for those that are not ready only", () => {
    const rows = rowsOf(
      ["ready", "Ready"],
      ["ready", "Ready"],
      ["notReady", "Joining"],
      ["unknown", "HeartbeatMissed", "Unresponsive"],
      ["unknown", "HeartbeatMissed", "Unresponsive,Suspended"],
      ["leaving", "Leaving"],
    );
    const { counts, states, reasons } = fleetOverview({ ...nothing, rows });
    expect(counts).toMatchObject({ clusters: 6, ready: 2, notReady: 1, unknown: 2, leaving: 1 });
    expect(states?.map(({ phase, count }) => [phase, count])).toEqual([
      ["Ready", 2],
      ["NotReady", 1],
      ["Unresponsive", 2],
      ["Leaving", 1],
    ]);
    expect(reasons).toEqual([
      { reason: "HeartbeatMissed", state: "unknown", phase: "Unresponsive", count: 2 },
      { reason: "Joining", state: "notReady", phase: "NotReady", count: 1 },
      { reason: "Leaving", state: "leaving", phase: "Leaving", count: 1 },
    ]);
  });

  it("gives the twelve most frequent reasons, and counts one reason of two phases for each", () => {
    const rare = Array.from({ length: 12 }, (_, index) => ["notReady", `Rare${index}`] as const);
    const { reasons } = fleetOverview({
      ...nothing,
      rows: rowsOf(
        ...rare,
        ["notReady", "Often", "Degraded"],
        ["notReady", "Often", "Degraded"],
        ["notReady", "Often"],
      ),
    });
    expect(reasons).toHaveLength(12);
    expect(reasons.slice(0, 2).map(({ reason, phase, count }) => [reason, phase, count])).toEqual([
      ["Often", "Degraded", 2],
      ["Rare0", "NotReady", 1],
    ]);
  });

  it("counts all tokens, and names the first six of those that expire", () => {
    const tokens = tokensOf("1", undefined, "2", "3", "4", "5", "6", "7");
    const overview = fleetOverview({ ...nothing, tokens: { tokens, registrations: [] } });
    expect(overview.counts.tokens).toBe(8);
    expect(overview.tokens.map(({ expires }) => expires)).toEqual(["1", "2", "3", "4", "5", "6"]);
  });

  it.each([
    { decisions: ["Waiting", "Waiting", "Granted"], waiting: 2 },
    { decisions: ["Proposed", "Refused"], waiting: 1 },
    { decisions: ["Granted", "Refused"], waiting: 0 },
  ] as const)("counts $waiting requests to join that wait: $decisions", ({ decisions, waiting }) => {
    const tokens = { tokens: [], registrations: registrationsOf(...decisions) };
    expect(fleetOverview({ ...nothing, tokens }).counts.waiting).toBe(waiting);
  });

  it("counts all objects that are on the hub alone, and names twenty", () => {
    const hubObjects = Array.from({ length: 25 }, (_, index) => ({
      object: `Cluster one/${index}`,
      reason: "NotInGit" as const,
      message: "No file declares it.",
    }));
    const found = fleetOverview({ ...nothing, hubObjects }).hubObjects;
    expect(found).toEqual({ count: 25, items: hubObjects.slice(0, 20) });
  });
});
