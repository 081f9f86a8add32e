import { expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import { recordSchemas } from "../../../src/model/generated/schemas.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";
import type { Policy } from "../../../src/model/generated/policy.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ReviewInputs } from "../../../src/planning/review-plan.ts";
import { reviewPlan } from "../../../src/planning/review-plan.ts";
import { missingFields } from "./missing-fields.ts";
import { declared, fleetOf, live } from "./plan-builders.ts";

const commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const place = { namespace: "prod", name: "eu-1" };
const ref = { type: resourceTypes.cluster, ...place };
const source = { file: "a.yaml", line: 3, column: 1 };
const rule = (env: string) => ({
  object: {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterLabels",
    metadata: { name: "europe", namespace: "prod" },
    spec: { selector: { matchLabels: { env } } },
  },
  position: source,
  blobId: "rule",
});
const withheld = { kind: "leave", cluster: "prod/eu-1", reason: "file a.yaml is gone", because: "budget" };
const eu = live("eu-1", { labels: { env: "dev" } });
const us = live("us-1", { labels: { env: "prod" } });

const fields = [
  { path: "a", from: 1, to: 2 },
  { path: "spec.agent.version", from: "0.1.0", to: "0.2.0" },
];

/** A plan in which everything happens that a report can have. */
const inputs = {
  needsSignature: true,
  repository: { metadata: { name: "fleet", namespace: "rollcall-system" }, spec: { suspend: true } },
  basis: { source: "Records", statusCommit: commit, time: "2030-01-02T03:04:05Z", dryRun: true },
  plan: {
    commit,
    base: commit,
    changes: [
      { kind: "update", ref, object: eu, manager: "rollcall-git", fields, source },
      {
        kind: "create",
        ref: { ...ref, name: "eu-2" },
        object: live("eu-2", { labels: { env: "dev" } }),
        manager: "rollcall-git",
        fields: [],
        source,
        former: { ref, uid: "u", resourceVersion: "1", patchAnnotations: {} },
      },
      {
        kind: "update",
        ref: { type: resourceTypes.secret, ...place },
        object: { ...eu, apiVersion: "v1", kind: "Secret" },
        manager: "rollcall-git",
        fields: [{ path: "data.password", from: "x", to: "y" }],
      },
      {
        kind: "leave",
        ref: { ...ref, name: "old" },
        commit,
        uid: "u",
        resourceVersion: "1",
        reason: "file a.yaml is gone",
      },
    ],
    removals: [],
    withheld: [withheld, { ...withheld, isOnBase: true }],
    heldDeletes: [],
    budget: {
      wanted: 3,
      recent: 1,
      limit: 2,
      approved: 2,
      approvedBefore: 1,
      isExceeded: true,
      trailer: "Rollcall-Allow-Deletions: 3",
      approvable: 3,
      needsDocument: true,
    },
    account: { charges: [], returned: [], approvals: [] },
    problems: [
      { code: "E_YAML", severity: "error", ...source, message: "no", fix: "mend", object: "Cluster/prod/eu-1" },
    ],
  },
  observed: {
    isComplete: true,
    get: () => eu,
    list: (type: unknown) => (type === resourceTypes.cluster ? [eu, us] : []),
    isWorkspace: () => true,
  },
  fleet: {
    ...fleetOf(declared("eu-1", {}, { env: "dev" }), declared("us-1", {}, { env: "prod" })),
    labelRules: [rule("dev")],
  },
  fleetBefore: {
    ...fleetOf(declared("eu-1", {}, { env: "dev" }), declared("us-1", {}, { env: "prod" })),
    labelRules: [rule("prod")],
  },
  hubWork: {
    work: new Map([
      [
        describeRef(ref),
        {
          creates: [ref],
          updates: [ref],
          deletes: [ref],
          credentials: [{ purpose: "agent", reason: "it joins" }],
          steps: ["uninstall"],
        },
      ],
    ]),
    notes: ["one"],
  },
} as unknown as ReviewInputs;

it("has every field of a PlanReport: problems, selectors, hubWork, waitingOnBase, the budget, and what is hidden", () => {
  const report = JSON.parse(JSON.stringify(reviewPlan(inputs))) as Json;
  const missing = missingFields(recordSchemas.PlanReport, report);
  expect(missing.filter((path) => !/^metadata\.(labels|annotations)/u.test(path))).toEqual([]);
});

it("A199 has a note for a policy that the planned commit removes", () => {
  const policy: Policy = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Policy",
    metadata: { name: "house-rules" },
    spec: { rules: [{ expression: "true", message: "no" }] },
  };
  const fleetBefore = { ...inputs.fleet, policies: [{ object: policy, position: source, blobId: "" }] };
  const { notes } = reviewPlan({ ...inputs, fleetBefore });
  expect(notes).toContain("A policy is removed, and files are evaluated without: house-rules.");
});
