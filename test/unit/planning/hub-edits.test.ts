import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { EditedObject } from "../../../src/planning/hub-edits.ts";
import { editsBetween, hubEditsOf } from "../../../src/planning/hub-edits.ts";

const apiVersion = "rollcall.dev/v1alpha1";

function cluster(labels: Record<string, string>, spec: object = {}): KubeObject {
  return { apiVersion, kind: "Cluster", metadata: { name: "eu-1", namespace: "fleet", labels }, spec };
}

/** What kubectl set: these fields are its own. */
function edited(object: KubeObject, fieldsV1: object): KubeObject {
  const managedFields = [{ manager: "kubectl-edit", operation: "Update", fieldsV1 }];
  return { ...object, metadata: { ...object.metadata, managedFields } } as KubeObject;
}

const label = (key: string) => ({ "f:metadata": { "f:labels": { [`f:${key}`]: {} } } });
const site = { path: ["metadata", "labels", "site"], value: "x", manager: "kubectl-edit" };
const file = cluster({ env: "prod" });

function compare(changes: Partial<EditedObject>) {
  const nothing = { keysOfOthers: new Set<string>(), labelRules: undefined };
  return hubEditsOf({ live: file, base: file, head: file, isSameKind: true, ...nothing, ...changes });
}

/** The agent of Clusternet may write the labels of its ManagedCluster, and calls itself as it likes. */
describe("A70 labels of a ManagedCluster", () => {
  const managed = (labels: Record<string, string>): KubeObject => ({ ...cluster(labels), kind: "ManagedCluster" });

  it.each<[string, KubeObject]>([
    ["added in kubectl's name", edited(managed({ env: "prod", site: "x" }), label("site"))],
    ["changed in kubectl's name", edited(managed({ env: "dev" }), label("env"))],
    ["taken out", managed({})],
  ])("reach no file when they are %s", (_how, live) => {
    const [base, reverted] = [managed({ env: "prod" }), editsBetween(managed({ env: "prod" }), live)];
    for (const isSameKind of [true, false]) {
      const { edits } = compare({ live, base, head: base, isSameKind, reverted });
      expect(edits).toEqual([]);
      // What the hub has reverted since is no person's change either.
      expect(compare({ live: base, base, head: base, isSameKind, reverted }).edits).toEqual([]);
    }
  });
});

/**
 * Who may write the status of Fleet's Cluster alone writes its managedFields, too, and names kubectl there as the manager of the
 * label that a rule set.
 */
describe("A70 a label of a rule at an object of another project", () => {
  it("reaches no file, whichever manager is named", () => {
    const fleet: KubeObject = { ...cluster({ env: "prod", site: "x" }), apiVersion: "fleet.cattle.io/v1alpha1" };
    const labelRules = '{"site":"sites"}';
    for (const isSameKind of [true, false]) {
      const { edits, refused } = compare({ live: edited(fleet, label("site")), isSameKind, labelRules });
      expect(edits).toEqual([]);
      expect(refused).toEqual([expect.stringContaining("a ClusterLabels rule sets it")]);
    }
  });
});

describe("hubEditsOf", () => {
  it.each<[string, Partial<EditedObject>, unknown[], string]>([
    ["nothing changed", {}, [], ""],
    ["a new label", { live: edited(cluster({ env: "prod", site: "x" }), label("site")) }, [site], ""],
    [
      "a changed label",
      { live: edited(cluster({ env: "dev" }), label("env")) },
      [{ path: ["metadata", "labels", "env"], value: "dev", manager: "kubectl-edit" }],
      "",
    ],
    [
      "a removed label",
      { live: cluster({}) },
      [{ path: ["metadata", "labels", "env"], value: undefined, manager: "" }],
      "",
    ],
    [
      "a label that git changed, too",
      { live: edited(cluster({ env: "dev" }), label("env")), head: cluster({ env: "test" }) },
      [],
      "git changed it, too",
    ],
    [
      "what the head declares already",
      { live: edited(cluster({ env: "test" }), label("env")), head: cluster({ env: "test" }) },
      [],
      "",
    ],
    [
      "an object of an older copy of the hub, without an edit",
      { live: cluster({ env: "old" }), base: cluster({ env: "old" }), head: file },
      [],
      "",
    ],
    [
      "what was applied last is not known",
      { live: edited(cluster({ env: "prod", site: "x" }), label("site")), base: undefined },
      [],
      "git changed it, too",
    ],
    [
      "a reserved label",
      { live: edited(cluster({ env: "prod", "rollcall.dev/x": "y" }), label("rollcall.dev/x")) },
      [],
      "the key is reserved",
    ],
    [
      "a label of a token",
      { live: edited(cluster({ env: "prod", site: "x" }), label("site")), keysOfOthers: new Set(["site"]) },
      [],
      "its token or agent sets it",
    ],
    [
      "a label of a rule",
      { live: edited(cluster({ env: "prod", site: "x" }), label("site")), labelRules: '{"site":"sites"}' },
      [],
      "a ClusterLabels rule sets it",
    ],
    [
      "who the cluster is",
      { live: edited(cluster({ env: "prod" }, { clientID: "stolen" }), { "f:spec": { "f:clientID": {} } }) },
      [],
      "only a file may set it",
    ],
    [
      "a field",
      { live: edited(cluster({ env: "prod" }, { paused: true }), { "f:spec": { "f:paused": {} } }) },
      [{ path: ["spec", "paused"], value: true, manager: "kubectl-edit" }],
      "",
    ],
    [
      "a default that an API server filled in when kubectl created the object",
      { live: edited(cluster({ env: "prod" }, { paused: false }), { "f:spec": { "f:paused": {} } }) },
      [],
      "",
    ],
    [
      "a default that no edit may set either",
      { live: edited(cluster({ env: "prod" }, { protocol: "rollcall" }), { "f:spec": { "f:protocol": {} } }) },
      [],
      "",
    ],
    [
      "a default in place of what the file declares",
      {
        live: edited(cluster({ env: "prod" }, { paused: false }), { "f:spec": { "f:paused": {} } }),
        base: cluster({ env: "prod" }, { paused: true }),
        head: cluster({ env: "prod" }, { paused: true }),
      },
      [{ path: ["spec", "paused"], value: false, manager: "kubectl-edit" }],
      "",
    ],
    [
      "a field of an object of another kind than the file's",
      {
        live: edited(cluster({ env: "prod" }, { paused: true }), { "f:spec": { "f:paused": {} } }),
        isSameKind: false,
      },
      [],
      "",
    ],
  ])("reads %s", (_what, changes, edits, refusal) => {
    const result = compare(changes);
    expect(result.edits).toEqual(edits);
    expect(result.refused.join()).toContain(refusal);
    if (refusal === "") expect(result.refused).toEqual([]);
  });
});

describe("hubEditsOf with what the hub has reverted", () => {
  const env = { path: ["metadata", "labels", "env"], value: "dev", manager: "kubectl-edit" };

  it("takes the value that the person set", () => {
    expect(compare({ reverted: [env] }).edits).toEqual([env]);
  });

  it.each<[string, Partial<EditedObject>]>([
    ["the head has", { head: cluster({ env: "dev" }) }],
    ["git changed, too", { head: cluster({ env: "test" }) }],
  ])("leaves out what %s", (_what, changes) => {
    expect(compare({ reverted: [env], ...changes }).edits).toEqual([]);
  });

  it("takes what the object has now, if a person changed the same label again", () => {
    const live = edited(cluster({ env: "qa" }), label("env"));
    expect(compare({ live, reverted: [env] }).edits).toEqual([{ ...env, value: "qa" }]);
  });
});

describe("hubEditsOf of a field whose default the API server fills in", () => {
  it("takes what kubectl patch set before the hub reverted it", () => {
    const spec = { heartbeatPeriodSeconds: 60 };
    const metadata = { name: "eu-1" };
    const live = { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster", metadata, spec };
    const head = { ...live, spec: {} };
    const patched = { path: ["spec", "heartbeatPeriodSeconds"], value: 30, manager: "kubectl-patch" };
    expect(compare({ live, base: head, head, reverted: [patched] }).edits).toEqual([patched]);
  });
});

describe("editsBetween", () => {
  it("finds what kubectl set and what was taken out, and nothing that another manager set", () => {
    const live = edited(cluster({ site: "x" }), label("site"));
    const agent = { ...live, metadata: { ...live.metadata, managedFields: [] } };
    const removed = { path: ["metadata", "labels", "env"], value: undefined, manager: "" };
    expect(editsBetween(file, live)).toEqual([site, removed]);
    expect(editsBetween(file, agent)).toEqual([removed]);
    expect(editsBetween(live, live)).toEqual([]);
  });
});
