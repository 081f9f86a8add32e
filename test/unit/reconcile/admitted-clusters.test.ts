import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { MemberState } from "../../../src/model/member-state.ts";
import type { Member } from "../../../src/model/member.ts";
import { admittedClusters, declaringChange, isProposingAdmitted } from "../../../src/reconcile/admitted-clusters.ts";
import type { Metadata } from "../hub/objects.ts";
import { clusterOf } from "../hub/objects.ts";
import { repository } from "./phase-builders.ts";

const label = { "rollcall.dev/repository": "rollcall.fleet" };
const state: MemberState = {
  clientID: "uid-1",
  origin: { isDeclared: false, spec: { protocol: "fleet" } },
  join: { token: "edge", time: "2026-01-01T00:00:00Z", registration: "r", initiated: "agent" },
  labels: { token: { site: "north", env: "dev" }, agent: { "rollcall.dev/x": "y" } },
};

interface MemberFields extends Partial<Pick<Member, "state" | "former">> {
  readonly annotations?: object;
  readonly metadata?: Metadata;
}

function member(name: string, fields: MemberFields = {}): Member {
  const labels = { ...label, site: "north", env: "prod", "rollcall.dev/x": "y" };
  const annotations = { ...fields.annotations } as Record<string, string>;
  const cluster = clusterOf(name, { metadata: { labels, annotations, ...fields.metadata } });
  const former = fields.former ? { former: fields.former } : {};
  return {
    workspace: "fleet",
    name,
    cluster,
    state: "state" in fields ? fields.state : state,
    children: [],
    ...former,
  };
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

  it("gives a file without what is not known of the cluster, and with the key of its agent", () => {
    const keys = { signing: "c2lnbmluZw==", sealing: "c2VhbGluZw==" };
    const { join } = state;
    const texts = offered(member("a", { state: { ...(join ? { join } : {}), keys } })).map(([, text]) => text);
    expect(texts).toEqual([
      `apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: a
  namespace: fleet
spec:
  identity:
    keys:
      - sha256:${createHash("sha256").update("signing").digest("hex")}
`,
    ]);
  });

  it("gives a file that is read as it was written, whatever text a label has", () => {
    const labels = { ...label, site: "0o17", env: "no" };
    const texts = offered(
      member("a", { metadata: { labels }, state: { ...state, labels: { token: { site: "0o17", env: "no" } } } }),
    ).map(([, text]) => text);
    expect(texts).toEqual([expect.stringMatching(/\n {4}site: "0o17"\n {4}env: "no"\n/u)]);
  });

  it("gives a hundred files of a token at most", () => {
    expect(offered(...Array.from({ length: 130 }, (_, index) => member(`c${index}`)))).toHaveLength(100);
  });

  const { join: _, ...installed } = state;
  const otherLabel = { "rollcall.dev/repository": "rollcall.other" };
  const byGit = { manager: "rollcall-git", operation: "Apply" as const, fieldsV1: {} };
  it.each([
    { reason: "a file declared", member: member("a", { state: { ...state, origin: { isDeclared: true } } }) },
    { reason: "the hub installed", member: member("a", { state: installed }) },
    { reason: "the hub knows nothing of", member: member("a", { state: undefined }) },
    { reason: "is outside of the workspaces", member: member("a", { metadata: { namespace: "other" } }) },
    { reason: "another Repository has", member: member("a", { metadata: { labels: otherLabel } }) },
    { reason: "no Repository has", member: member("a", { metadata: { labels: {} } }) },
    { reason: "git applied", member: member("a", { metadata: { managedFields: [byGit] } }) },
    { reason: "is being deleted", member: member("a", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }) },
    { reason: "takes the place of another one", member: member("a", { former: member("b") }) },
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

describe("declaringChange", () => {
  it.each([
    ["clusters/fleet/a.yaml", {}],
    ["clusters/fleet/a.yaml", { proposals: {} }],
    ["eu/a.yml", { proposals: { path: "eu/{name}.yml" } }],
  ])("creates %s for %j", (path, spec) => {
    const { spec: before } = repository;
    const change = declaringChange(
      { live: clusterOf("a"), text: "x" },
      { ...repository, spec: { ...before, ...spec } },
      new Set(),
    );
    expect(change).toMatchObject({ object: "Cluster/fleet/a", path, file: { kind: "Create", text: "x" } });
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
