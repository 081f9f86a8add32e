import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { Plan, PlannedChange, Removal } from "../../../src/model/plan.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { reserveRemovals } from "../../../src/planning/repository-state.ts";
import { removalId } from "../../../src/planning/plan-removals.ts";
import { computeRepositoryStatus } from "../../../src/reconcile/repository-status.ts";
import { approval, declared, fleetOf, live, plan } from "../planning/plan-builders.ts";

/** A third of what API servers take. */
const mostBytes = 512 * 1024;
const nowMs = Date.parse("2027-01-01T00:00:00Z");
const names = Array.from({ length: 10_000 }, (_, index) => `cluster-${"n".repeat(40)}-${index}`);
const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "rollcall-system", generation: 1 },
  spec: { url: "https://git.example/fleet" },
};

function problem(name: string): Problem {
  const file = `clusters/${name}/${"folder/".repeat(20)}cluster.yaml`;
  return {
    code: "E_SCHEMA",
    severity: "error",
    file,
    line: 3,
    column: 5,
    message: `${name} ${"is wrong ".repeat(50)}`,
  };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function statusOf(planned: Plan, before = repository.status, failed: readonly PlannedChange[] = []) {
  const error = new AppError("E_BUG", "refused ".repeat(5000));
  const outcomes = planned.changes.map((change) => (failed.includes(change) ? { change, error } : { change }));
  const known = before === undefined ? repository : { ...repository, status: before };
  return computeRepositoryStatus(known, { plan: planned, outcomes }, nowMs);
}

describe("F10 Repository.status", () => {
  it("stays small with ten thousand files that have problems", () => {
    const status = statusOf(plan(fleetOf(), [], { problems: names.map(problem) }));
    expect(status.problems?.errors).toBe(names.length);
    expect(status.waiting?.count).toBe(names.length);
    expect(sizeOf(status)).toBeLessThan(mostBytes);
  });

  it("stays small with ten thousand removals that wait", () => {
    const status = statusOf(
      plan(
        fleetOf(),
        names.map((name) => live(name)),
      ),
    );
    expect(status.withheld?.count).toBe(names.length);
    expect(sizeOf(status)).toBeLessThan(mostBytes);
  });

  it("stays small with ten thousand approved removals, counted before and after, and none carried out", () => {
    const planned = plan(
      fleetOf(),
      names.map((name) => live(name)),
      { approvals: [approval(names.length)] },
    );
    expect(planned.removals).toHaveLength(names.length);
    const reserved = reserveRemovals(undefined, planned, nowMs);
    expect(reserved?.removing?.groups[0]?.removals).toEqual(
      planned.removals.map((removal: Removal) => removalId(removal)),
    );
    expect(sizeOf(reserved)).toBeLessThan(mostBytes);
    expect(sizeOf(statusOf(planned, reserved, planned.changes))).toBeLessThan(mostBytes);
  });

  it("stays small with ten thousand writes that fail", () => {
    const planned = plan(fleetOf(...names.map((name) => declared(name))), []);
    const status = statusOf(planned, undefined, planned.changes);
    expect(status.waiting?.count).toBe(names.length);
    expect(sizeOf(status)).toBeLessThan(mostBytes);
  });

  it("stays small over a year of commits by authors with long names", () => {
    let status = repository.status;
    for (let index = 0; index < 400; index += 1) {
      const author = "a".repeat(10_000);
      const planned = plan(fleetOf(), [], {
        commit: index.toString(16).padStart(40, "0"),
        problems: names.slice(0, 30).map(problem),
      });
      const known = status === undefined ? repository : { ...repository, status };
      status = computeRepositoryStatus(known, { plan: planned, author, outcomes: [] }, nowMs + index * 86_400_000);
    }
    expect(sizeOf(status)).toBeLessThan(mostBytes);
  });
});
