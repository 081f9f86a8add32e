import { describe, expect, it } from "vitest";
import type { MemberState } from "../../../src/model/member-state.ts";
import type { Member } from "../../../src/model/member.ts";
import { admittedClusters, isProposingAdmitted } from "../../../src/reconcile/admitted-clusters.ts";
import { clusterOf } from "../hub/objects.ts";
import { repository } from "./phase-builders.ts";

const label = { "rollcall.dev/repository": "rollcall.fleet" };
const state: MemberState = {
  clientID: "uid-1",
  origin: { isDeclared: false, spec: { protocol: "fleet" } },
  join: { token: "edge", time: "2026-01-01T00:00:00Z", registration: "r", initiated: "agent" },
  labels: { token: { site: "north", env: "dev" }, agent: { "rollcall.dev/x": "y" } },
};

function member(name: string, fields: { readonly state?: MemberState; readonly annotations?: object } = {}): Member {
  const labels = { ...label, site: "north", env: "prod", "rollcall.dev/x": "y" };
  const annotations = { ...fields.annotations } as Record<string, string>;
  const cluster = clusterOf(name, { metadata: { labels, annotations } });
  return { workspace: "fleet", name, cluster, state: fields.state ?? state, children: [] };
}

function offered(...members: readonly Member[]): readonly (readonly [string, string])[] {
  const view = {
    isWorkspace: (name: string) => name === "fleet",
    memberOf: (_workspace: string, name: string) => members.find((each) => each.name === name),
    list: () => members.map(({ cluster }) => cluster),
    subscribe: () => () => undefined,
  };
  return [...admittedClusters(view, repository)].flatMap(([token, clusters]) =>
    clusters.map(({ text }) => [token, text] as const),
  );
}

describe("admittedClusters", () => {
  it("gives the file of a cluster: who its agent is, and the labels that no rule replaced", () => {
    expect(offered(member("a"))).toEqual([
      [
        "fleet/edge",
        `apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: a
  namespace: fleet
  labels:
    site: north
spec:
  protocol: fleet
  clientID: uid-1
`,
      ],
    ]);
  });

  it("gives a hundred files of a token at most", () => {
    expect(offered(...Array.from({ length: 130 }, (_, index) => member(`c${index}`)))).toHaveLength(100);
  });

  const { join: _, ...installed } = state;
  it.each([
    { reason: "a file declared", member: member("a", { state: { ...state, origin: { isDeclared: true } } }) },
    { reason: "the hub installed", member: member("a", { state: installed }) },
    { reason: "leaves", member: member("a", { annotations: { "rollcall.dev/leave": "c1" } }) },
    { reason: "moves", member: member("a", { annotations: { "rollcall.dev/moved-to": "fleet/b" } }) },
    { reason: "is revoked", member: member("a", { annotations: { "rollcall.dev/revoked": "-/x/y" } }) },
    {
      reason: "parts from another protocol",
      member: member("a", {
        state: { ...state, formerProtocol: { spec: {}, leave: { commit: "c", since: "2026-01-01T00:00:00Z" } } },
      }),
    },
  ])("gives none of a cluster that $reason", (row) => {
    expect(offered(row.member)).toEqual([]);
  });
});

describe("isProposingAdmitted", () => {
  it.each([
    { spec: {}, isProposing: true },
    { spec: { writeBack: { mode: "None" as const } }, isProposing: false },
    { spec: { writeBack: { mode: "None" as const }, proposals: { clusters: "All" as const } }, isProposing: true },
    { spec: { proposals: { clusters: "Pending" as const } }, isProposing: false },
  ])("is $isProposing for $spec", ({ spec, isProposing }) => {
    expect(isProposingAdmitted({ url: "u", ...spec })).toBe(isProposing);
  });
});
