import { describe, expect, it } from "vitest";
import { renderClusterDetail } from "../../../../src/cli/render/render-status.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { RequestView } from "../../../../src/model/generated/page-api.ts";
import { clusterDetail } from "../../../../src/planning/views/cluster-detail.ts";
import { clusterRow } from "../../../../src/planning/views/cluster-row.ts";
import { forgeLinks } from "../../../../src/planning/views/forge-links.ts";

const nowMs = Date.parse("2027-01-01T01:00:00Z");
const types = ["Ready", "Accepted", "Joined", "Healthy", "AgentUpToDate", "CredentialsValid", "ClockSynced", "Stalled"];

function screenOf(change: Partial<Cluster> = {}, requests: readonly RequestView[] = [], reason = "Ready"): string {
  const status = reason === "Ready" ? ("True" as const) : ("False" as const);
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: "fleet" },
    spec: {},
    ...change,
    status: {
      conditions: types.map((type) => ({
        type,
        status,
        reason,
        message: "m",
        lastTransitionTime: "2027-01-01T00:00:00Z",
      })),
      credential: { number: 3, expires: "2027-01-02T00:00:00Z" },
      ...change.status,
    },
  };
  return screenOfCluster(cluster, requests);
}

function screenOfCluster(cluster: Cluster, requests: readonly RequestView[] = []): string {
  const row = clusterRow(cluster, []);
  const links = forgeLinks(undefined);
  const parts = { state: undefined, beats: { seen: [] }, links, requests, history: [], nowMs };
  return renderClusterDetail(clusterDetail({ cluster, row, ...parts }), { isColour: false, nowMs });
}

describe("rollcall status <cluster>", () => {
  it("shows that a suspended cluster is suspended, and how to resume it", () => {
    const metadata = { name: "eu-1", namespace: "fleet", annotations: { "rollcall.dev/reconcile": "disabled" } };
    expect(screenOf({ metadata })).toContain("What to do: rollcall resume fleet/eu-1");
    expect(screenOf()).not.toContain("Suspended");
  });

  it("shows of a paused cluster what stays as it is", () => {
    expect(screenOf({ spec: { paused: true } })).toContain("spec.paused");
  });

  it("shows how far an offboarding is, since when, and as of which commit", () => {
    const leave = { phase: "Waiting" as const, since: "2027-01-01T00:58:00Z", commit: "c0ffee".padEnd(40, "0") };
    expect(screenOf({ status: { leave } })).toMatch(
      /Offboarding, since 2m.* ago: Waiting, as of commit c0ffee000000\n/u,
    );
  });

  it("shows of a cluster without a status whether the daemon or a file is missing", () => {
    const cluster = (labels: Record<string, string>): Cluster => ({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name: "eu-1", namespace: "default", labels },
      spec: {},
    });
    const written = screenOfCluster(cluster({}));
    expect(written.split("\n").slice(0, 3)).toEqual([
      "Cluster default/eu-1: Declared",
      "",
      "  No file of a Repository declares it. Write one and push, or delete it on the hub. The daemon serves only namespaces with the label rollcall.dev/workspace.",
    ]);
    const declared = screenOfCluster(cluster({ "rollcall.dev/repository": "rollcall-system.fleet" }));
    expect(declared.split("\n")[2]).toBe("  The daemon has not reconciled it yet.");
  });

  it("shows no date of a credential that was revoked", () => {
    expect(screenOf()).toContain("number 3, until 2027-01-02");
    const screen = screenOf({}, [], "Revoked");
    expect(screen).toMatch(/credential +revoked\n/u);
    expect(screen).not.toContain("2027-01-02");
  });

  it("shows why an agent that asked was not admitted, harmlessly and on one screen", () => {
    const request = { name: "door-\u001b[31m", decision: "Refused" as const, reason: "ClientIDTaken", message: "a\nb" };
    const screen = screenOf(
      {},
      [1, 2, 3].map(() => ({ ...request, time: "2027-01-01T00:59:00Z" })),
      "HeartbeatMissed",
    );
    expect(screen).toMatch(/was refused 60s ago: ClientIDTaken|was refused 1m.* ago: ClientIDTaken/u);
    expect(screen).not.toContain("\u001b");
    expect(screen.split("\n").length).toBeLessThanOrEqual(50);
  });
});
