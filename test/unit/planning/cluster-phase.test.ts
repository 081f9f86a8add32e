import { describe, expect, it } from "vitest";
import { renderClusterDetail, renderFleet } from "../../../src/cli/render/render-status.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import { filterFields } from "../../../src/model/filter/filter.ts";
import { createMatcher } from "../../../src/model/filter/match-filter.ts";
import { parseFilter } from "../../../src/model/filter/parse-filter.ts";
import type { ClusterPhase } from "../../../src/planning/cluster-phase.ts";
import { clusterPhases, clusterState, recordedState } from "../../../src/planning/cluster-phase.ts";
import { clusterRow as statusRow } from "../../../src/planning/render-status.ts";
import { clusterRecord } from "../../../src/planning/status-records.ts";
import { clusterDetail } from "../../../src/planning/views/cluster-detail.ts";
import { clusterRow } from "../../../src/planning/views/cluster-row.ts";
import { forgeLinks } from "../../../src/planning/views/forge-links.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");

interface Case {
  /** Reason of each condition that is not True; one that begins with `?` is Unknown. */
  readonly conditions?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of the condition Ready. */
  readonly ready: string;
}

/** How the hub writes each state; Declared has no conditions yet. */
const cases: Readonly<Record<ClusterPhase, Case>> = {
  Declared: { ready: "" },
  Revoked: { conditions: { Accepted: "Revoked", Healthy: "?HeartbeatMissed" }, ready: "Revoked" },
  Rejected: { conditions: { Accepted: "IdentityLost" }, ready: "IdentityLost" },
  Joining: { conditions: { Joined: "WaitingForAgent", Healthy: "?NotJoined" }, ready: "WaitingForAgent" },
  AwaitingReport: { conditions: { Healthy: "?WaitingForFirstBeat" }, ready: "WaitingForFirstBeat" },
  Ready: { conditions: {}, ready: "Ready" },
  Unhealthy: { conditions: { Healthy: "NodesNotReady" }, ready: "NodesNotReady" },
  Unresponsive: { conditions: { Healthy: "?HeartbeatMissed" }, ready: "HeartbeatMissed" },
  Moving: { conditions: {}, annotations: { "rollcall.dev/moved-to": "fleet/b" }, ready: "Moving" },
  Leaving: {
    conditions: { Healthy: "?HeartbeatMissed" },
    annotations: { "rollcall.dev/leave": "c0ffee" },
    ready: "Leaving",
  },
};
const phases = Object.keys(clusterPhases) as ClusterPhase[];

function clusterIn(phase: ClusterPhase, annotations: Readonly<Record<string, string>> = {}): Cluster {
  const { conditions: differing, annotations: own, ready } = cases[phase];
  const metadata = { namespace: "fleet", name: "a", annotations: { ...own, ...annotations } };
  const base = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec: {} } as const;
  if (differing === undefined) return base;
  const reasons: Readonly<Record<string, string>> = { ...differing, ...(ready === "Ready" ? {} : { Ready: ready }) };
  const conditions = ["Ready", "Accepted", "Joined", "Healthy"].map((type) => {
    const reason = reasons[type];
    const status: "True" | "False" | "Unknown" =
      reason === undefined ? "True" : reason.startsWith("?") ? "Unknown" : "False";
    const text = reason?.replace("?", "") ?? type;
    return { type, status, reason: text, message: "", lastTransitionTime: "2026-11-22T11:00:00Z" };
  });
  return { ...base, status: { conditions } };
}

/** The state as each place writes it. */
function writtenStates(cluster: Cluster): Readonly<Record<string, string | undefined>> {
  const row = clusterRow(cluster, []);
  const record = clusterRecord({ workspace: "fleet", name: "a", cluster, state: undefined });
  const parts = { state: undefined, beats: { seen: [] }, links: forgeLinks(undefined), requests: [], history: [] };
  const screen = renderClusterDetail(clusterDetail({ cluster, row, ...parts, nowMs }), { isColour: false, nowMs });
  return {
    "rollcall status": /^fleet\/a +(\S+)/mu.exec(renderFleet([], [row], false))?.[1],
    "rollcall status a": /^Cluster fleet\/a: (\S+)$/mu.exec(screen)?.[1],
    page: row.phase,
    "status branch": /^\| fleet\/a \| ([^ ]+) \|/u.exec(statusRow(record))?.[1],
    record: recordedState(record),
  };
}

describe("the state of a cluster", () => {
  it.each(phases)("is %s in the commands, on the page and on the status branch", (phase) => {
    const cluster = clusterIn(phase);
    expect(clusterState(cluster)).toBe(phase);
    expect(new Set(Object.values(writtenStates(cluster)))).toEqual(new Set([phase]));
  });

  it.each(phases)("shows that a cluster in state %s is suspended", (phase) => {
    const cluster = clusterIn(phase, { "rollcall.dev/reconcile": "disabled" });
    expect(new Set(Object.values(writtenStates(cluster)))).toEqual(new Set([`${phase},Suspended`]));
  });

  it.each(phases)("is a word that a filter takes: %s", (phase) => {
    const filter = parseFilter(`state=${phase}`);
    expect(filter.problems).toEqual([]);
    const matches = createMatcher(filter);
    const found = phases.filter((other) => matches(clusterRow(clusterIn(other), []), nowMs));
    expect(found).toEqual([phase]);
  });

  it("has its words among those of the filter, and Suspended", () => {
    const classes = ["NotReady", "Unknown"];
    expect([...filterFields.state.values].sort()).toEqual([...phases, ...classes, "Suspended"].sort());
    const matches = createMatcher(parseFilter("state=Suspended"));
    const suspended = clusterIn("Ready", { "rollcall.dev/reconcile": "disabled" });
    expect([suspended, clusterIn("Ready")].map((cluster) => matches(clusterRow(cluster, []), nowMs))).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    ["Revoked", "notReady"],
    ["Unresponsive", "unknown"],
    ["Leaving", "leaving"],
    ["Moving", "notReady"],
  ] as const)("resembles no other state than its own at one glance: %s", (phase, sign) => {
    expect(clusterRow(clusterIn(phase), []).state).toBe(sign);
  });
});
