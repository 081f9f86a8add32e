import { describe, expect, it } from "vitest";
import { memberStateObject } from "../../../src/model/member-state.ts";
import { approval, declared, fleetOf, live, many, plan, summarize } from "./plan-builders.ts";

const keys = { signing: "s", sealing: "x" };
const successor = (previousName: string, name = "new") => declared(name, { previousName });
const markOf = (planned: ReturnType<typeof plan>) =>
  planned.changes.flatMap((change) => ("former" in change && change.former ? [change.former] : []));

describe("a former name in planFleet", () => {
  it("makes the successor, marks the former cluster first, and counts it as one removal", () => {
    const planned = plan(fleetOf(successor("old")), [live("old")]);
    expect(summarize(planned)).toEqual(["create prod/new"]);
    expect(markOf(planned)).toEqual([
      {
        ref: expect.objectContaining({ namespace: "prod", name: "old" }) as unknown,
        uid: "uid-old",
        resourceVersion: "7",
        patchAnnotations: { "rollcall.dev/moved-to": "prod/new" },
      },
    ]);
    expect(planned.removals).toEqual([
      { kind: "move", cluster: "prod/old", reason: "becomes prod/new", uid: "uid-old" },
    ]);
    expect(planned.problems).toEqual([]);
  });

  it("takes over a cluster that joined without a file", () => {
    const newcomer = live("cluster-6f");
    newcomer.metadata.managedFields = [{ manager: "rollcall-hub", operation: "Apply", fieldsV1: {} }];
    expect(markOf(plan(fleetOf(successor("cluster-6f")), [newcomer]))).toHaveLength(1);
  });

  it("only marks, where the successor is there and has no agent", () => {
    const planned = plan(fleetOf(successor("old")), [live("old"), live("new", { spec: { previousName: "old" } })]);
    expect(summarize(planned)).toEqual(["update prod/new"]);
    expect(markOf(planned)).toHaveLength(1);
  });

  it("does nothing again once the former cluster is marked, and lets it not leave", () => {
    const marked = live("old", { annotations: { "rollcall.dev/moved-to": "prod/new" } });
    const planned = plan(fleetOf(successor("old")), [marked, live("new", { spec: { previousName: "old" } })]);
    expect([planned.changes, planned.removals, planned.problems]).toEqual([[], [], []]);
    expect(summarize(plan(fleetOf(successor("old")), [marked]))).toEqual(["create prod/new"]);
  });

  it("follows a cluster that is renamed again before its agent came", () => {
    const first = live("old", { annotations: { "rollcall.dev/moved-to": "prod/mid" } });
    const planned = plan(fleetOf(successor("mid")), [first, live("mid", { spec: { previousName: "old" } })]);
    expect(planned.removals.map(({ kind, cluster }) => `${kind} ${cluster}`)).toEqual(["move prod/mid"]);
  });

  it("lets both leave when neither is declared any more", () => {
    const marked = live("old", { annotations: { "rollcall.dev/moved-to": "prod/new" } });
    const planned = plan(fleetOf(declared("other")), [marked, live("new"), live("other")], {
      approvals: [approval(2)],
    });
    expect(planned.removals.map(({ kind, cluster }) => `${kind} ${cluster}`)).toEqual([
      "leave prod/old",
      "leave prod/new",
    ]);
  });

  it("calls a marked cluster back when its file is there again", () => {
    const marked = live("old", { annotations: { "rollcall.dev/moved-to": "prod/new" } });
    const planned = plan(fleetOf(declared("old")), [marked]);
    expect(planned.changes).toMatchObject([{ patchAnnotations: { "rollcall.dev/moved-to": null } }]);
  });

  it("makes a new cluster with a warning when no cluster has the former name and none would leave", () => {
    const planned = plan(fleetOf(successor("long-gone")), []);
    expect(summarize(planned)).toEqual(["create prod/new"]);
    expect(planned.problems).toMatchObject([{ code: "E_REFERENCE", severity: "warning" }]);
  });

  it("withholds what would leave, and the successor, when no cluster has the former name: it may be misspelt", () => {
    const planned = plan(fleetOf(successor("odl"), declared("x")), [live("old"), live("x")]);
    expect(planned.changes).toEqual([]);
    expect(planned.withheld).toMatchObject([{ cluster: "prod/old", because: "held-by-bad-file" }]);
    expect(planned.problems).toMatchObject([{ code: "E_REFERENCE", severity: "error" }]);
  });

  it("reports nothing about a former name that has served", () => {
    const remembered = memberStateObject("prod", "new", { keys });
    expect(plan(fleetOf(successor("old")), [live("new", { spec: { previousName: "old" } })]).problems).toEqual([]);
    const putBack = plan(fleetOf(successor("old")), [remembered]);
    expect([summarize(putBack), putBack.problems]).toEqual([["create prod/new"], []]);
  });

  const refusals: readonly { reason: string; former: Parameters<typeof live>[1]; code?: string }[] = [
    {
      reason: "belongs to another repository",
      former: { labels: { "rollcall.dev/repository": "a.b" } },
      code: "E_OWNED_ELSEWHERE",
    },
    { reason: "speaks a foreign protocol", former: { spec: { protocol: "fleet" } } },
    { reason: "is becoming another one", former: { annotations: { "rollcall.dev/moved-to": "prod/third" } } },
    { reason: "is revoked", former: { annotations: { "rollcall.dev/revoked": "b/who/when" } } },
    { reason: "is suspended", former: { annotations: { "rollcall.dev/reconcile": "disabled" } } },
  ];
  it.each(refusals)(
    "refuses a former cluster that $reason, and leaves it as it is",
    ({ former, code = "E_REFERENCE" }) => {
      const planned = plan(fleetOf(successor("old")), [live("old", former)]);
      expect(planned.changes).toEqual([]);
      expect(planned.removals).toEqual([]);
      expect(planned.problems).toMatchObject([{ code, severity: "error", object: "Cluster/prod/new" }]);
    },
  );

  it("refuses to change name and protocol at once, and a name while the protocol changes", () => {
    const both = plan(fleetOf(declared("new", { previousName: "old", protocol: "fleet" })), [live("old")]);
    const leave = { commit: "c1", since: "2027-01-01T00:00:00Z" };
    const parting = memberStateObject("prod", "old", { formerProtocol: { spec: { protocol: "fleet" }, leave } });
    for (const planned of [both, plan(fleetOf(successor("old")), [live("old"), parting])]) {
      expect([planned.changes, planned.removals]).toEqual([[], []]);
      expect(planned.problems).toMatchObject([{ code: "E_REFERENCE", severity: "error" }]);
    }
  });

  it("calls a leave back that waits, and refuses one that has begun", () => {
    const leaving = (phase: "Waiting" | "Revoking") => {
      const former = live("old", { annotations: { "rollcall.dev/leave": "c0" } });
      return plan(fleetOf(successor("old")), [{ ...former, status: { leave: { phase } } }]);
    };
    expect(markOf(leaving("Waiting"))[0]?.patchAnnotations).toHaveProperty(["rollcall.dev/leave"], null);
    expect(leaving("Revoking")).toMatchObject({ changes: [], problems: [{ severity: "error" }] });
  });

  it("removes a former cluster without an agent that an older commit made again, when its successor has one", () => {
    const objects = [live("new", { spec: { previousName: "old" } }), memberStateObject("prod", "new", { keys })];
    const planned = plan(fleetOf(successor("old")), [...objects, live("old"), memberStateObject("prod", "old", {})]);
    expect(planned).toMatchObject({ removals: [{ kind: "leave", cluster: "prod/old" }], withheld: [] });
    expect(planned.problems).toMatchObject([{ code: "E_REFERENCE", severity: "warning" }]);
  });

  it("refuses a successor that has an agent of its own, as a warning where the other one joined by itself", () => {
    const objects = [live("new", { spec: { previousName: "old" } }), memberStateObject("prod", "new", { keys })];
    const agentOfOld = memberStateObject("prod", "old", { keys });
    const declaredBefore = plan(fleetOf(successor("old")), [...objects, live("old"), agentOfOld]);
    expect(declaredBefore).toMatchObject({ removals: [], problems: [{ severity: "error" }] });
    expect(declaredBefore.withheld).toMatchObject([{ cluster: "prod/old" }]);
    const newcomer = live("old");
    newcomer.metadata.managedFields = [];
    const later = plan(fleetOf(successor("old")), [...objects, newcomer]);
    expect(later).toMatchObject({ changes: [], removals: [], withheld: [], problems: [{ severity: "warning" }] });
  });

  it("makes no successor while the budget or a hold keeps the former cluster", () => {
    const objects = many.map((name) => live(name));
    const fleet = fleetOf(...many.map((name) => declared(`new-${name}`, { previousName: name })));
    const over = plan(fleet, objects);
    expect([over.changes, over.removals]).toEqual([[], []]);
    expect(over.budget).toMatchObject({ wanted: 20, isExceeded: true });
    expect(plan(fleet, objects, { approvals: [approval(20)] }).changes).toHaveLength(20);
    const held = plan(fleetOf(successor("old")), [live("old")], {
      holds: { brokenObjects: new Set(["Cluster/prod/old"]) },
    });
    expect(held).toMatchObject({ changes: [], withheld: [{ kind: "move", because: "held-by-bad-file" }] });
  });

  it("renames a protected cluster: nothing of it is deleted", () => {
    const planned = plan(fleetOf(successor("old")), [live("old", { spec: { deletionProtection: true } })]);
    expect(markOf(planned)).toHaveLength(1);
  });
});
