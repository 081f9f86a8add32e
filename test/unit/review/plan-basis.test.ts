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
    { reason: "a deletion waits", plan: { heldDeletes: [{ ref: creation("a").ref, because: "budget" }] as never } },
    { reason: "planning found a problem", plan: { problems: [problem] } },
    { reason: "very much changes", plan: { changes: Array.from({ length: 1001 }, (_, at) => creation(`c${at}`)) } },
  ])("is not there when $reason", ({ plan }) => {
    expect(basis(plan)).toBeUndefined();
  });

  it.each<[string, Partial<DeclaredFleet>]>([
    ["Secrets", { secrets: [secret] }],
    ["policies", { policies: [{ ...place, object: {} }] as never }],
  ])("is not there for a fleet with %s, which only a whole plan reads", (_what, more) => {
    expect(basis({}, more)).toBeUndefined();
  });

  it("is there after a thousand changes, and names what they wrote", () => {
    const changes = Array.from({ length: 1000 }, (_, at) => creation(`c${at}`));
    expect(basis({ changes })?.written).toEqual(changes.map(({ ref }) => ref));
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
    expect(known.declared.successorsOf("fleet/a")).toEqual([]);
  });

  it("has the tokens and groups under the names, each as its own kind, and all rules", () => {
    const named = (kind: string, name: string) =>
      ({
        ...place,
        object: { apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name, namespace: "fleet" } },
      }) as never;
    const tokens = [named("ClusterRegistrationToken", "a"), named("ClusterRegistrationToken", "t")];
    const groups = [named("ClusterGroup", "a"), named("ClusterGroup", "g")];
    const labelRules = [named("ClusterLabels", "l")];
    const known = basis({}, { tokens, groups, labelRules });
    if (known === undefined) throw new Error("there is no basis");
    const part = partOf(known, [
      { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name: "a" },
      { type: resourceTypes.clusterGroup, namespace: "fleet", name: "g" },
      { type: resourceTypes.clusterGroup, name: "a" },
    ]);
    expect(part.fleet).toEqual({ ...emptyFleet, tokens: [tokens[0]], groups: [groups[1]], labelRules });
    expect(part.count).toBe(3);
  });

  it("knows every cluster that names one as its former name, of another workspace, too", () => {
    const moved = [cluster("b", { previousName: "old" }), cluster("c", { previousName: "fleet/old" })];
    const known = basis({}, { clusters: [...moved, cluster("d", { previousName: "other/old" })] });
    expect(known?.declared.successorsOf("fleet/old")).toEqual(["fleet/b", "fleet/c"]);
    expect(known?.declared.successorsOf("other/old")).toEqual(["fleet/d"]);
  });
});
