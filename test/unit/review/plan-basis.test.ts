import { describe, expect, it } from "vitest";
import type { DeclaredFleet } from "../../../src/model/declared-fleet.ts";
import { emptyFleet } from "../../../src/model/declared-fleet.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { basisOf, partOf } from "../../../src/review/plan-basis.ts";
import { creation, planOfNothing, repository } from "../reconcile/phase-builders.ts";
import { snapshotOf } from "../reconcile/hub-changes.ts";

const place = { position: { file: "a.yaml", line: 1, column: 1 }, blobId: "1" };
const cluster = (name: string, spec: Cluster["spec"] = {}) => ({
  ...place,
  object: {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: "fleet" },
    spec,
  } as const,
});
const fleet: DeclaredFleet = {
  ...emptyFleet,
  clusters: [cluster("a"), cluster("b", { previousName: "old" })],
};
const basis = (plan: Partial<Plan> = {}, more: Partial<DeclaredFleet> = {}, fileProblemCount = 0) =>
  basisOf(
    repository,
    snapshotOf(),
    { plan: { ...planOfNothing, ...plan }, fleet: { ...fleet, ...more }, fileProblemCount },
    0,
  );
const problem = { code: "E_SCHEMA", severity: "error", ...place.position, message: "wrong" } as const;
const removal = { kind: "leave", cluster: "fleet/a", reason: "gone" } as const;
const secret = { ...place, object: { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } } };

describe("basisOf", () => {
  it("is there for a plan of which nothing waits, also when files have problems", () => {
    expect(basis()).toBeDefined();
    expect(basis({ problems: [problem] }, {}, 1)).toMatchObject({ problems: [problem] });
  });

  it.each([
    { reason: "a removal waits", plan: { withheld: [{ ...removal, because: "budget" as const }] } },
    { reason: "something is removed", plan: { removals: [removal] } },
    { reason: "planning found a problem", plan: { problems: [problem] } },
    { reason: "very much changes", plan: { changes: Array.from({ length: 1001 }, (_, at) => creation(`c${at}`)) } },
  ])("is not there when $reason", ({ plan }) => {
    expect(basis(plan)).toBeUndefined();
  });

  it("is not there for a fleet with Secrets, which only a whole plan reads", () => {
    expect(basis({}, { secrets: [secret] })).toBeUndefined();
  });
});

describe("partOf", () => {
  it("has what is declared under the names, and what the hub has there", () => {
    const known = basis();
    if (known === undefined) throw new Error("there is a basis");
    const ref = (name: string) => ({ type: resourceTypes.cluster, namespace: "fleet", name });
    const part = partOf(known, [ref("a"), ref("gone"), ref("a")]);
    expect([part.count, part.fleet.clusters]).toEqual([2, [fleet.clusters[0]]]);
    const live = { ...secret.object, metadata: { name: "gone" } };
    expect(part.list(resourceTypes.cluster, ({ name }) => (name === "gone" ? live : undefined))).toEqual([live]);
    expect(known.declared.successorsOf("fleet/old")).toEqual(["fleet/b"]);
  });
});
