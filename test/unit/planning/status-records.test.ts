import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import type { RecordKind } from "../../../src/model/generated/schemas.ts";
import { recordSchemas } from "../../../src/model/generated/schemas.ts";
import { parse } from "yaml";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { missingFields } from "./missing-fields.ts";
import { computeStatusRecords } from "../../support/whole-status.ts";
import type { RecordInputs } from "../../support/whole-status.ts";

const time = "2030-01-02T03:04:05Z";
const commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const source = { file: "a.yaml", line: 3, commit };
const conditions = [{ type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: time }];
const owned = {
  manager: "rollcall-git",
  operation: "Apply",
  fieldsV1: { "f:metadata": { "f:labels": { "f:tier": {} }, "f:annotations": { "f:note": {} } }, "f:spec": {} },
};

const cluster = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: {
    name: "a",
    namespace: "fleet",
    labels: { tier: "gold" },
    annotations: {
      note: "x",
      "rollcall.dev/reconcile": "disabled",
      "rollcall.dev/leave": commit,
      "rollcall.dev/revoked": `${commit}/alice/${time}`,
    },
    managedFields: [owned],
  },
  spec: { displayName: "A", protocol: "rollcall" },
  status: {
    source,
    effective: { joinMode: "AgentInitiated" },
    labelOwners: { tier: "rule fleet/gold" },
    join: { token: "t", mode: "AgentInitiated", time },
    agent: { version: "0.1.0", namespace: "rollcall-agent", refusedVersion: "0.2.0" },
    kubernetesVersion: "v1.34.0",
    platform: "linux/amd64",
    nodes: { total: 4, ready: 2, notReady: 1, unknown: 1 },
    conditions,
    leave: { commit, phase: "Waiting", since: time },
  },
};

const repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "rollcall-system" },
  spec: {
    url: "https://git.example.com/fleet.git",
    ref: { branch: "main" },
    paths: ["/a"],
    workspaces: ["fleet"],
    defaultWorkspace: "fleet",
    suspend: false,
    deletionBudget: { percent: 10, minimum: 1, maximum: 25 },
    agentRollout: { maxUnavailable: 1, maxFailures: 1, deadlineSeconds: 60 },
    policies: "Enforce",
  },
  status: {
    url: "https://git.example.com/fleet.git",
    workspaceLimit: ["fleet"],
    serves: [{ name: "clusternet", controllers: "Rollcall", bootstrapTokens: true }],
    observedCommit: commit,
    appliedCommit: commit,
    settledCommit: commit,
    settledFrom: { url: "https://git.example.com/fleet", branch: "main" },
    scannedCommit: commit,
    deletions: { count: 1, last: [{ object: "Cluster/fleet/b", action: "Leave", commit, time }] },
    withheld: { count: 1, allowed: 1, approvable: 1, commit, reason: "Budget", objects: ["Cluster/fleet/c"] },
    waiting: { count: 1, first: [{ file: "a.yaml", reason: "Problem", since: commit }] },
    approvals: [{ commit, by: "Trailer", time, count: 1, spent: 0, lapsed: true }],
    leftBehind: [{ cluster: "fleet/z", time, remains: ["the agent"] }],
  },
};

const token = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterRegistrationToken",
  metadata: { name: "t", namespace: "fleet" },
  spec: {},
  status: { source, secretName: "t", expires: time, uses: 1, lastUses: [{ cluster: "a", time }], conditions },
};

const problem = { code: "E_YAML", severity: "error", file: "b.yaml", line: 1, column: 2, message: "no", fix: "mend" };

const inputs = {
  repository,
  workspaces: ["fleet"],
  hub: {
    hubId: "sha256:0",
    version: "0.1.0",
    trust: { publicKey: "key", epoch: 1 },
    endpoint: { url: "https://hub.example.com", caBundle: "" },
  },
  members: [
    {
      workspace: "fleet",
      name: "a",
      cluster,
      state: { clientID: "uid", keys: { signing: "c2ln", sealing: "c2Vh" }, credential: { number: 1 } },
    },
  ],
  tokens: [{ workspace: "fleet", name: "t", token, children: [] }],
  groupCount: 1,
  plan: { commit, withheld: [{ cluster: "fleet/a" }] },
  problems: [{ ...problem, object: "Cluster/fleet/b" }],
  history: { since: time, after: commit, branch: "rollcall/status-past" },
  hubObjects: [{ object: "Cluster/fleet/c", reason: "NotInGit", message: "" }],
} as unknown as RecordInputs;

const missingOf = (kind: RecordKind, record: unknown): string[] =>
  missingFields(recordSchemas[kind] as unknown as Json, record as Json).filter((path) => !/^conditions\[/u.test(path));

/** Records of inputs that nothing was computed from before, as the status branch has them. */
const records = () => computeStatusRecords(structuredClone(inputs));
const written = (record: object | undefined): unknown => parse(toYamlFile(record ?? {}).content);

describe("the files of the status branch have every field of a record", () => {
  it("ClusterRecord, among it specDigest, joinMode, platform and held", () => {
    expect(missingOf("ClusterRecord", written(records().clusters[0]))).toEqual([]);
  });

  it("TokenRecord, among it specDigest, secretName, expires, uses and lastUses", () => {
    expect(missingOf("TokenRecord", written(records().tokens[0]))).toEqual([]);
  });

  it("ProblemList, among it column and object of a problem", () => {
    expect(missingOf("ProblemList", written(records().problems))).toEqual([]);
  });

  it("FleetSummary, among it rollcallVersion, knownWorkspaces, byProtocol, byAgentVersion, byKubernetesVersion, suspensions", () => {
    expect(missingOf("FleetSummary", written(records().summary))).toEqual([]);
  });
});

it("writes the same summary for the same clusters in another order", () => {
  const before = structuredClone(inputs);
  const [first] = before.members;
  if (first === undefined) throw new Error("the inputs have no member");
  const renamed = (name: string): typeof first => ({
    ...first,
    name,
    cluster: { ...first.cluster, metadata: { ...first.cluster.metadata, name } },
  });
  const names = ["c", "a", "b"];
  const members = names.map(renamed);
  const [one, other] = [members, [...members].reverse()].map((list) => ({ ...before, members: list }));
  if (one === undefined || other === undefined) throw new Error("two orders");
  const [left, right] = [computeStatusRecords(one).summary, computeStatusRecords(other).summary];
  expect(left).toEqual(right);
  expect(left.suspensions).toEqual(["Cluster/fleet/a", "Cluster/fleet/b", "Cluster/fleet/c"]);
});

it("A281 records a label called constructor that the status has no owner of yet", () => {
  const renamed = structuredClone(inputs) as unknown as { members: { cluster: typeof cluster }[] };
  const [member] = renamed.members;
  if (member === undefined) throw new Error("there is no member");
  member.cluster.metadata.labels = { constructor: "gold" } as unknown as { tier: string };
  member.cluster.metadata.managedFields[0] = {
    ...owned,
    fieldsV1: { "f:metadata": { "f:labels": { "f:constructor": {} } } } as unknown as typeof owned.fieldsV1,
  };
  expect(computeStatusRecords(renamed as unknown as RecordInputs).clusters[0]).toMatchObject({
    labels: { constructor: { value: "gold", owner: "File" } },
  });
});
