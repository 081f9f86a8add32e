import { describe, expect, it } from "vitest";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { approval, declared, fleetOf, live, many, plan } from "./plan-builders.ts";

function secretObject(name: string, data: Record<string, string>): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "prod" }, type: "Opaque", data };
}

function liveSecret(name: string, data: Record<string, string>): KubeObject {
  const { metadata } = live(name);
  const fieldsV1 = { "f:type": {}, "f:data": Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}])) };
  const [entry] = metadata.managedFields ?? [];
  const labels = { "f:metadata": { "f:labels": { "f:rollcall.dev/repository": {} } } };
  const managedFields = entry ? [{ ...entry, fieldsV1: { ...fieldsV1, ...labels } }] : [];
  return { ...secretObject(name, data), metadata: { ...metadata, managedFields } };
}

describe("planFleet", () => {
  it("creates what is missing, updates what differs, leaves what fits alone", () => {
    const fleet = fleetOf(
      declared("new"),
      declared("same", { displayName: "S" }),
      declared("other", { displayName: "O" }),
    );
    const result = plan(fleet, [
      live("same", { spec: { displayName: "S" } }),
      live("other", { spec: { displayName: "old" } }),
    ]);
    expect(result.changes.map(({ kind, ref }) => `${kind} ${ref.name}`)).toEqual(["create new", "update other"]);
    expect(result.changes[1]).toMatchObject({ fields: [{ path: "spec.displayName", from: "old", to: "O" }] });
  });

  it("lets a cluster leave when its file is deleted, with its uid as a precondition", () => {
    const result = plan(fleetOf(declared("a")), [live("a"), live("b")]);
    expect(result.changes).toMatchObject([
      { kind: "leave", ref: { name: "b" }, commit: "c2", uid: "uid-b", resourceVersion: "7" },
    ]);
    expect(result.removals).toHaveLength(1);
  });

  it("withholds all removals over the budget and names how to approve them", () => {
    const fleet = fleetOf(...many.slice(0, 15).map((name) => declared(name)), declared("extra"));
    const result = plan(
      fleet,
      many.map((name) => live(name)),
    );
    expect(result.changes.map(({ kind, ref }) => `${kind} ${ref.name}`)).toEqual(["create extra"]);
    expect(result.withheld).toHaveLength(5);
    expect(result.budget).toMatchObject({
      wanted: 5,
      limit: 2,
      isExceeded: true,
      trailer: "Rollcall-Allow-Deletions: 5",
    });
    expect(
      plan(
        fleet,
        many.map((name) => live(name)),
        { approvals: [approval(5)] },
      ).removals,
    ).toHaveLength(5);
  });

  it.each([
    {
      holds: { hasDocuments: false, isApproved: true },
      because: "empty-tree",
      reason: "an empty tree never removes, whatever was approved",
    },
    {
      holds: { brokenObjects: new Set(["Cluster/prod/b"]) },
      because: "held-by-bad-file",
      reason: "a broken document still declares it",
    },
    { holds: { brokenFiles: new Set(["clusters/b.yaml"]) }, because: "held-by-bad-file", reason: "its file is broken" },
    {
      holds: { hasUnidentifiedNewFile: true },
      because: "held-by-bad-file",
      reason: "a new file may be the renamed one",
    },
    { holds: { wasAppliedBefore: false }, because: "not-applied-before", reason: "nothing was applied before" },
    { holds: { isForeignHistory: true }, because: "foreign-history", reason: "the repository points elsewhere" },
  ])("holds a removal: $reason", ({ holds, because }) => {
    const result = plan(fleetOf(declared("a")), [live("a"), live("b")], { holds });
    expect(result.changes).toEqual([]);
    expect(result.withheld).toMatchObject([{ cluster: "prod/b", because }]);
  });

  it.each([
    { holds: { hasDocuments: false }, needsDocument: true, reason: "all files are deleted" },
    { holds: { wasAppliedBefore: false }, needsDocument: undefined, reason: "nothing was applied before" },
    { holds: { isForeignHistory: true }, needsDocument: undefined, reason: "the repository points elsewhere" },
  ])("prints the line that approves withheld removals: $reason", ({ holds, needsDocument }) => {
    const { budget } = plan(fleetOf(), [live("a"), live("b")], { holds });
    expect(budget).toMatchObject({ approvable: 2, trailer: "Rollcall-Allow-Deletions: 2" });
    expect(budget.needsDocument).toBe(needsDocument);
  });

  it.each([
    { holds: { hasDocuments: false }, names: ["a"], reason: "a document alone is missing" },
    { holds: { brokenObjects: new Set(["Cluster/prod/a", "Cluster/prod/b"]) }, names: ["a", "b"], reason: "bad files" },
  ])("prints no line where an approval changes nothing: $reason", ({ holds, names }) => {
    const { budget } = plan(
      fleetOf(),
      names.map((name) => live(name)),
      { holds },
    );
    expect(budget.trailer).toBeUndefined();
  });

  it("holds every removal while the hub was not read whole", () => {
    const fleet = fleetOf(declared("a"));
    const observed = { isComplete: false, get: () => undefined, list: () => [live("b")], isWorkspace: () => true };
    expect(plan(fleet, [], { observed }).withheld).toMatchObject([{ because: "not-synced" }]);
  });

  it("keeps a protected cluster until protection was taken away first", () => {
    const result = plan(fleetOf(declared("a")), [live("a"), live("b", { spec: { deletionProtection: true } })]);
    expect(result.withheld).toMatchObject([{ cluster: "prod/b", because: "protected" }]);
  });

  it("never touches what another repository owns, or none", () => {
    const foreign = live("a", { labels: { "rollcall.dev/repository": "other.fleet" } });
    const orphan = live("b");
    orphan.metadata = { name: "b", namespace: "prod", uid: "x" };
    const result = plan(fleetOf(declared("a"), declared("b")), [foreign, orphan]);
    expect(result.changes).toEqual([]);
    expect(result.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^E_OWNED_ELSEWHERE .*repository other\.fleet/u),
      expect.stringMatching(/^E_OWNED_ELSEWHERE .*no repository owns it/u),
    ]);
  });

  it("leaves an object under break-glass alone", () => {
    const object = live("a", { annotations: { "rollcall.dev/reconcile": "disabled" }, spec: { displayName: "hand" } });
    expect(plan(fleetOf(declared("a", { displayName: "file" })), [object]).changes).toEqual([]);
  });

  it("calls a leaving cluster back when its file is there again", () => {
    const result = plan(fleetOf(declared("a")), [live("a", { annotations: { "rollcall.dev/leave": "c1" } })]);
    expect(result.changes).toMatchObject([{ kind: "update", patchAnnotations: { "rollcall.dev/leave": null } }]);
  });

  it("lets a leave that has begun come to its end: the cluster is made anew after it", () => {
    const leaving = (phase: string) => {
      const object = live("a", { annotations: { "rollcall.dev/leave": "c1" } });
      return { ...object, status: { leave: { commit: "c1", phase, since: "2026-01-01T00:00:00Z" } } };
    };
    const fleet = fleetOf(declared("a", { displayName: "new" }));
    expect(plan(fleet, [leaving("Waiting")]).changes).toMatchObject([
      { kind: "update", resourceVersion: live("a").metadata.resourceVersion },
    ]);
    for (const phase of ["Uninstalling", "Revoking", "Removing"])
      expect(plan(fleet, [leaving(phase)]).changes).toEqual([]);
    expect(plan(fleet, []).changes).toMatchObject([{ kind: "create" }]);
  });

  it("counts a label that a rule takes away as a removal, and one that the file drops not", () => {
    const objects = many.map((name) => live(name, { labels: { tier: "gold" } }));
    const fleet = fleetOf(...many.map((name) => declared(name)));
    const byRule = plan(fleet, objects);
    expect(byRule.budget).toMatchObject({ wanted: 20, isExceeded: true });
    expect(byRule.changes).toEqual([]);
    const byFile = plan(fleet, objects, {
      holds: { changedFiles: new Set(many.map((name) => `clusters/${name}.yaml`)) },
    });
    expect(byFile.budget.wanted).toBe(0);
    expect(byFile.changes).toHaveLength(20);
  });

  it("lets a revocation outrank the file until the file changes", () => {
    const revoked = (value: string) => live("a", { annotations: { "rollcall.dev/revoked": value } });
    const fleet = fleetOf(declared("a"));
    expect(plan(fleet, [revoked("-/kim/now")]).changes).toMatchObject([
      { kind: "update", fields: [], patchAnnotations: { "rollcall.dev/revoked": "a/kim/now" } },
    ]);
    expect(plan(fleet, [revoked("a/kim/now")]).changes).toEqual([]);
    expect(plan(fleet, [revoked("older/kim/now")]).changes).toMatchObject([
      { patchAnnotations: { "rollcall.dev/revoked": null } },
    ]);
  });

  it("counts a change of protocol as a removal", () => {
    const fleet = fleetOf(declared("a", { protocol: "fleet" }), declared("b", { protocol: "fleet" }));
    const result = plan(fleet, [live("a"), live("b")]);
    expect(result.withheld.map(({ kind }) => kind)).toEqual(["protocol", "protocol"]);
    expect(result.changes).toEqual([]);
  });

  it("withholds a change of protocol where the cluster on the hub is protected, whatever the file declares now", () => {
    const result = plan(fleetOf(declared("a", { protocol: "fleet" })), [
      live("a", { spec: { deletionProtection: true } }),
    ]);
    expect(result.withheld).toMatchObject([{ kind: "protocol", cluster: "prod/a", because: "protected" }]);
    expect(result.changes).toEqual([]);
  });

  it.each([
    { reason: "nothing was applied before", holds: { wasAppliedBefore: false }, because: "not-applied-before" },
    { reason: "the history is another one", holds: { isForeignHistory: true }, because: "foreign-history" },
  ] as const)("withholds a change of protocol where $reason, unless a person approves", ({ holds, because }) => {
    const fleet = fleetOf(declared("a", { protocol: "fleet" }));
    expect(plan(fleet, [live("a")], { holds }).withheld).toMatchObject([{ kind: "protocol", because }]);
    const approved = plan(fleet, [live("a")], {
      holds: { ...holds, isApproved: true },
      approvals: [approval(1)],
    });
    expect(approved.removals).toMatchObject([{ kind: "protocol" }]);
  });

  it("reports a namespace that is no workspace at the document", () => {
    const elsewhere = declared("a");
    elsewhere.object.metadata.namespace = "kube-system";
    const { problems } = plan(fleetOf(elsewhere), []);
    expect(problems).toMatchObject([{ code: "E_NAMESPACE", file: "clusters/a.yaml" }]);
    expect(problems[0]?.fix).toContain("kubectl label namespace kube-system rollcall.dev/workspace=true");
  });

  it("A36 shows which entries of a Secret change, and no value", () => {
    const declaredSecret: Declared<KubeObject> = {
      object: secretObject("k", { token: "bmV3" }),
      position: { file: "s.yaml", line: 1, column: 1 },
      blobId: "s",
    };
    const fleet = { ...fleetOf(declared("a")), secrets: [declaredSecret] };
    const result = plan(fleet, [live("a"), liveSecret("k", { token: "b2xk" })]);
    const [change] = result.changes;
    expect(change).toMatchObject({ kind: "update", fields: [{ path: "data.token", from: "***", to: "***" }] });
    expect(JSON.stringify(result)).not.toMatch(/bmV3|b2xk/u);
    expect(change?.kind === "update" && change.reveal?.()).toMatchObject({ data: { token: "bmV3" } });
    expect(plan(fleet, [live("a"), liveSecret("k", { token: "bmV3" })]).changes).toEqual([]);
  });

  it("deletes a Secret whose file is deleted, but the kubeconfig of a leaving cluster only after the cluster", () => {
    const leaving = live("b", { spec: { kubeConfigSecretRef: { name: "b-kubeconfig", key: "value" } } });
    const secrets = [liveSecret("b-kubeconfig", {}), liveSecret("other", {})];
    const kinds = (objects: readonly KubeObject[]): string[] =>
      plan(fleetOf(declared("a")), objects).changes.map(({ kind, ref }) => `${kind} ${ref.name}`);
    expect(kinds([live("a"), leaving, ...secrets])).toEqual(["leave b", "delete other"]);
    expect(kinds([live("a"), ...secrets])).toEqual(["delete b-kubeconfig", "delete other"]);
  });

  it("never takes over a Secret that the hub made for a member", () => {
    const adopting = secretObject("k", { token: "bmV3" });
    adopting.metadata.annotations = { "rollcall.dev/adopt": "true" };
    const ofMember = secretObject("k", { token: "b2xk" });
    ofMember.metadata.labels = { "rollcall.dev/cluster": "a" };
    const position = { file: "s.yaml", line: 1, column: 1 };
    const fleet = { ...fleetOf(declared("a")), secrets: [{ object: adopting, position, blobId: "s" }] };
    const result = plan(fleet, [live("a"), ofMember]);
    expect(result.changes).toEqual([]);
    expect(result.problems.map(({ code }) => code)).toEqual(["E_OWNED_ELSEWHERE"]);
  });

  it("never prunes a cluster that joined without a file", () => {
    const joined = live("guest");
    joined.metadata.managedFields = [{ manager: "rollcall-hub", operation: "Apply", fieldsV1: {} }];
    expect(plan(fleetOf(declared("a")), [live("a"), joined])).toMatchObject({ changes: [], withheld: [] });
  });
});
