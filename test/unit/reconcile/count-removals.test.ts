import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { countRemovals } from "../../../src/reconcile/count-removals.ts";
import { planOfNothing, scopeOf } from "./phase-builders.ts";

const removing = {
  ...planOfNothing,
  commit: "c1",
  removals: [{ kind: "delete", cluster: "fleet/eu-1" }],
  account: { charges: [{ id: "r1" }], returned: [], approvals: [] },
} as unknown as Plan;

async function count(plan: Plan | undefined, error?: AppError) {
  const written: KubeObject[] = [];
  const hubApi = {
    apply: (object: KubeObject) => {
      written.push(object);
      return error
        ? Promise.reject(error)
        : Promise.resolve({ ...object, metadata: { ...object.metadata, resourceVersion: "2" } });
    },
  };
  const scope = scopeOf(plan ? { plan } : {});
  const ports = {
    hubApi,
    recordRepository: (noted: Repository) => noted,
    clock: { nowMs: () => Date.parse("2027-01-01T10:30:00Z") },
  };
  await countRemovals(scope, ports as never);
  return { scope, written };
}

describe("countRemovals", () => {
  it.each([
    { reason: "no plan", plan: undefined },
    { reason: "a plan that removes nothing", plan: planOfNothing },
  ])("writes nothing for $reason", async ({ plan }) => {
    const { scope, written } = await count(plan);
    expect([written, scope.repository.metadata.resourceVersion]).toEqual([[], "1"]);
  });

  it("counts each removal at the hour, at the version that was planned, and continues with what was written", async () => {
    const { scope, written } = await count(removing);
    expect(written).toMatchObject([
      {
        metadata: { resourceVersion: "1" },
        status: { deletions: { hours: [{ hour: "2027-01-01T10:00:00Z", count: 1 }] } },
      },
    ]);
    expect(scope.repository.metadata.resourceVersion).toBe("2");
  });

  it("fails at once on a conflict: the next run plans anew", async () => {
    await expect(count(removing, new AppError("E_KUBE_CONFLICT", "apply"))).rejects.toThrow("apply");
  });
});
