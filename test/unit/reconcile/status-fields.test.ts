import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Json } from "../../../src/core/json.ts";
import { valueAt } from "../../../src/core/read-json.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { RunResult } from "../../../src/reconcile/run-result.ts";
import { computeRepositoryStatus } from "../../../src/reconcile/repository-status.ts";
import { missingFields } from "../planning/missing-fields.ts";
import { live } from "../planning/plan-builders.ts";

const time = "2030-01-02T03:04:05Z";
const nowMs = Date.parse(time);
const hour = "2030-01-02T03";
const commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const ref = { type: resourceTypes.cluster, namespace: "prod", name: "eu-1" };
const source = { file: "a.yaml", line: 3, column: 1 };
const files = Array.from({ length: 30 }, (_, index) => `clusters/${index}.yaml`);

const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "rollcall-system", generation: 2 },
  spec: { url: "https://git.example.com/fleet", verify: { keysSecretRef: { name: "signers" } } },
  status: {
    deletions: {
      count: 1,
      hours: [{ hour: `${hour}:00:00Z`, count: 1 }],
      last: [{ object: "Cluster/prod/z", action: "Leave", commit, time }],
    },
    removing: { hour: `${hour}:00:00Z`, groups: [{ approval: commit, removals: ["a"] }] },
  },
};

const problem = { code: "E_YAML", severity: "error", ...source, message: "no", fix: "mend", object: "Cluster/prod/b" };
const change = { kind: "update", ref, object: live("eu-1"), manager: "rollcall-git", fields: [], source };

/** A run in which everything happened that a status can report. */
function resultOf(more: Partial<Plan> = {}, error?: AppError): RunResult {
  return {
    plan: {
      commit,
      base: commit,
      changes: [change],
      removals: [],
      withheld: files.map((file) => ({ kind: "leave", cluster: "prod/x", reason: "gone", because: "budget", file })),
      heldDeletes: [],
      budget: { wanted: 3, recent: 1, limit: 2, isExceeded: true, approvable: 3 },
      account: {
        charges: [],
        returned: [],
        approvals: [{ commit, by: "Trailer", time, count: 1, spent: 0, lapsed: true }],
      },
      problems: [problem],
      ...more,
    },
    author: "alice",
    outcomes: [error === undefined ? { change } : { change, error }],
    verifiedCommit: commit,
    statusCommit: commit,
    counts: { files: 1, clusters: 1, readyClusters: 1, tokens: 1, groups: 1 },
    handledRequest: time,
    workspaceLimit: ["prod"],
    serves: [{ name: "clusternet", controllers: "Rollcall", bootstrapTokens: true }],
  } as unknown as RunResult;
}

/** Fields of the status that a result leaves out; what was left behind in clusters is written elsewhere. */
function missingAfter(result: RunResult): string[] {
  const crd = crds.find(({ metadata }) => metadata.name === "repositories.rollcall.dev");
  const schema = valueAt(crd, "spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "status") as Json;
  const status = JSON.parse(JSON.stringify(computeRepositoryStatus(repository, result, nowMs))) as Json;
  return missingFields(schema, status).filter((path) => !/^conditions\[|^leftBehind/u.test(path));
}

it("has every field of a status when some is withheld: waiting, others, approvals, serves, recentCommits, lastHandledRequest", () => {
  const error = new AppError("E_BUG", "refused");
  expect(missingAfter(resultOf({}, error))).toEqual(["appliedCommit", "settledCommit", "settledFrom"]);
});

it("has appliedCommit and settledCommit when everything is applied", () => {
  const missing = missingAfter(resultOf({ withheld: [], problems: [] }));
  expect(missing.filter((path) => path.endsWith("Commit"))).toEqual([]);
});

it("keeps a removal counted that failed, when something else with the name of its cluster was written", () => {
  const leave = { kind: "leave", ref, commit, uid: "u", reason: "gone" };
  const secret = { ...change, ref: { ...ref, type: resourceTypes.secret } };
  const removing = (failed: boolean): unknown => {
    const outcomes = [{ change: leave, ...(failed ? { error: new AppError("E_KUBE_CONFLICT", "leave") } : {}) }];
    const plan = {
      changes: [leave, secret],
      removals: [{ kind: "leave", cluster: "prod/eu-1", reason: "gone" }],
      account: { charges: [{ id: "a" }], returned: [], approvals: [] },
    };
    const result = { ...resultOf(plan as unknown as Partial<Plan>), outcomes: [...outcomes, { change: secret }] };
    return computeRepositoryStatus(repository, result as unknown as RunResult, nowMs).removing?.groups;
  };
  expect(removing(true)).toEqual([{ approval: commit, removals: ["a"] }]);
  expect(removing(false)).toBeUndefined();
});

it("reports of a settled commit where it was read, not where the Repository is read by now", () => {
  const readFrom = { url: "https://git.example.com/before", branch: "main" };
  const settled = { ...resultOf({ withheld: [], problems: [] }), readFrom };
  expect(computeRepositoryStatus(repository, settled, nowMs)).toMatchObject({
    settledCommit: commit,
    settledFrom: readFrom,
  });
});
