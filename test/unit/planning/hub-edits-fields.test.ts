import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import { withoutEditsByHand } from "../../../src/planning/edits-by-hand.ts";
import type { EditedObject } from "../../../src/planning/hub-edits.ts";
import { editsBetween, hubEditsOf, mayBeEdited } from "../../../src/planning/hub-edits.ts";

const manager = "kubectl-edit";

function cluster(labels: Record<string, string> | undefined, spec?: object): KubeObject {
  const metadata = { name: "eu-1", namespace: "fleet", ...(labels === undefined ? {} : { labels }) };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, ...(spec === undefined ? {} : { spec }) };
}

/** The object with fields that only this manager owns. */
function edited(object: KubeObject, fieldsV1: object, by = manager): KubeObject {
  const managedFields = [{ manager: by, operation: "Update", fieldsV1 }];
  return { ...object, metadata: { ...object.metadata, managedFields } } as KubeObject;
}

const label = (...keys: string[]) => ({
  "f:metadata": { "f:labels": Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) },
});
const removed = (...path: string[]) => ({ path, value: undefined, manager: "" });
const set = (value: unknown, ...path: string[]) => ({ path, value, manager });

function compare(changes: Pick<EditedObject, "live" | "head"> & Partial<EditedObject>) {
  return hubEditsOf({
    base: changes.head,
    isSameKind: true,
    keysOfOthers: new Set<string>(),
    labelRules: undefined,
    ...changes,
  });
}

describe("a manager that applied an empty map", () => {
  const stolen = { clientID: "stolen", deletionPolicy: "Uninstall", displayName: "EU" };

  it("A280 owns nothing of what others put into it: what only a file may set is not taken with the whole spec", () => {
    const fields = { "f:spec": { "f:clientID": {}, "f:deletionPolicy": {}, "f:displayName": {} } };
    const live = cluster({}, stolen);
    live.metadata.managedFields = [
      { manager: "kubectl", operation: "Apply", fieldsV1: { "f:spec": {} } },
      { manager, operation: "Update", fieldsV1: fields },
    ];
    const { edits, refused } = compare({ live, head: cluster({}) });
    expect(edits).toEqual([set("EU", "spec", "displayName")]);
    expect(refused).toEqual(["spec.clientID (only a file may set it)", "spec.deletionPolicy (only a file may set it)"]);
    expect(withoutEditsByHand(live as unknown as Cluster).spec).toEqual({});
  });

  it("A280 takes no reserved label with all labels", () => {
    const live = cluster({ "rollcall.dev/cluster": "other", site: "x" });
    live.metadata.managedFields = [
      { manager: "kubectl", operation: "Apply", fieldsV1: { "f:metadata": { "f:labels": {} } } },
      { manager, operation: "Update", fieldsV1: label("rollcall.dev/cluster", "site") },
    ];
    expect(compare({ live, head: cluster(undefined) })).toEqual({
      edits: [set("x", "metadata", "labels", "site")],
      refused: ["metadata.labels[rollcall.dev/cluster] (the key is reserved)"],
    });
  });
});

describe("mayBeEdited", () => {
  const head = cluster({ env: "prod", site: "x" }, { displayName: "EU" });
  const unlabelled = cluster(undefined, { displayName: "EU" });

  it.each<[string, KubeObject, { readonly isSame: boolean; readonly isOther: boolean }]>([
    ["is as the file has it", head, { isSame: false, isOther: false }],
    [
      "has more, by no manager",
      cluster({ env: "a", site: "b", c: "d" }, head["spec"] as object),
      { isSame: false, isOther: false },
    ],
    ["has a label that kubectl set", edited(head, label("site")), { isSame: true, isOther: true }],
    ["has a field that kubectl set", edited(head, { "f:spec": { "f:paused": {} } }), { isSame: true, isOther: true }],
    ["has what git applied", edited(head, label("site"), "rollcall-git"), { isSame: false, isOther: false }],
    ["misses one label of two", cluster({ env: "prod" }, { displayName: "EU" }), { isSame: true, isOther: false }],
    ["misses all labels", unlabelled, { isSame: true, isOther: false }],
    ["misses a field", cluster({ env: "prod", site: "x" }, {}), { isSame: true, isOther: false }],
    ["misses the spec", cluster({ env: "prod", site: "x" }), { isSame: true, isOther: false }],
  ])("asks of an object of the file's kind, and of another kind, whether it %s", (_what, live, { isSame, isOther }) => {
    expect(mayBeEdited({ live, head, isSameKind: true })).toBe(isSame);
    expect(mayBeEdited({ live, head, isSameKind: false })).toBe(isOther);
  });

  it.each<[string, KubeObject]>([
    ["nothing at all", cluster(undefined)],
    ["values that are empty", cluster({}, { taints: [], agent: {}, displayName: null, paused: undefined })],
  ])("finds nothing missing of a file that declares %s", (_what, bare) => {
    expect(mayBeEdited({ live: cluster(undefined), head: bare, isSameKind: true })).toBe(false);
  });
});

describe("hubEditsOf in order", () => {
  it("has the edits by their paths, whatever came first on the hub", () => {
    const head = cluster({ env: "prod" }, { displayName: "EU" });
    const spec = { "f:spec": { "f:paused": {}, "f:agent": { "f:image": {} } } };
    const live = edited(cluster({ site: "x", area: "y" }, { paused: true, agent: { image: "a" } }), {
      ...spec,
      ...label("site", "area"),
    });
    const reverted = [set("1", "metadata", "labels", "budget")];
    expect(compare({ live, head, reverted })).toStrictEqual({
      edits: [
        set("y", "metadata", "labels", "area"),
        set("1", "metadata", "labels", "budget"),
        removed("metadata", "labels", "env"),
        set("x", "metadata", "labels", "site"),
        set("a", "spec", "agent", "image"),
        removed("spec", "displayName"),
        set(true, "spec", "paused"),
      ],
      refused: [],
    });
  });
});

describe("hubEditsOf of what is empty or missing", () => {
  it("finds each leaf that was taken out: a list as one, and nothing that was empty", () => {
    const taints = [{ key: "a", effect: "NoSchedule" }];
    const agent = { image: "a", env: [], nodeSelector: {}, resources: { limits: { cpu: "1", memory: null } } };
    const head = cluster({ env: "prod" }, { taints, agent, displayName: "", paused: false, selector: null });
    expect(compare({ live: cluster({}), head })).toStrictEqual({
      edits: [
        removed("metadata", "labels", "env"),
        removed("spec", "agent", "image"),
        removed("spec", "agent", "resources", "limits", "cpu"),
        removed("spec", "displayName"),
        removed("spec", "paused"),
        removed("spec", "taints"),
      ],
      refused: [],
    });
  });

  it.each<[string, unknown, readonly unknown[]]>([
    ["leaves out a map that kubectl left empty", {}, []],
    ["takes a map that kubectl filled", { a: "b" }, [set({ a: "b" }, "spec", "agent")]],
    ["takes a list that kubectl emptied", [], [set([], "spec", "agent")]],
    ["takes a text that kubectl emptied", "", [set("", "spec", "agent")]],
  ])("%s", (_what, agent, edits) => {
    const live = edited(cluster({}, { agent }), { "f:spec": { "f:agent": {} } });
    expect(compare({ live, head: cluster({}, {}) })).toStrictEqual({ edits, refused: [] });
  });
});

describe("hubEditsOf of what stays as git has it", () => {
  const fields = [
    ...["identity", "clientID", "protocol", "previousName"],
    ...["kubeConfigSecretRef", "deletionProtection", "deletionPolicy", "placedResources"],
  ];

  it.each(fields)("names spec.%s, which only a file may set, set or taken out", (field) => {
    const [bare, whole] = [cluster({}, {}), cluster({}, { [field]: "x" })];
    const live = edited(whole, { "f:spec": { [`f:${field}`]: {} } });
    const refused = [`spec.${field} (only a file may set it)`];
    expect(compare({ live, head: bare })).toStrictEqual({ edits: [], refused });
    expect(compare({ live: bare, head: whole })).toStrictEqual({ edits: [], refused });
  });

  it("names each label and the reason", () => {
    const keys = ["rollcall.dev/a", "ruled", "tokens", "free", "constructor"];
    const live = edited(cluster(Object.fromEntries(keys.map((key) => [key, "x"]))), label(...keys));
    const labelRules = '{"ruled":"rule"}';
    expect(compare({ live, head: cluster({}), labelRules, keysOfOthers: new Set(["tokens"]) })).toStrictEqual({
      edits: ["constructor", "free"].map((key) => set("x", "metadata", "labels", key)),
      refused: [
        "metadata.labels[rollcall.dev/a] (the key is reserved)",
        "metadata.labels[ruled] (a ClusterLabels rule sets it)",
        "metadata.labels[tokens] (its token or agent sets it)",
      ],
    });
  });

  it("takes from an object of another kind no label but one that kubectl set", () => {
    const object = cluster({ site: "x" });
    const head = cluster({});
    const [byKubectl, byTool] = [edited(object, label("site")), edited(object, label("site"), "fleet-agent")];
    expect(compare({ live: byKubectl, head, isSameKind: false }).edits).toStrictEqual([
      set("x", "metadata", "labels", "site"),
    ]);
    expect(compare({ live: byTool, head, isSameKind: false })).toStrictEqual({ edits: [], refused: [] });
    expect(compare({ live: byTool, head }).edits).toStrictEqual([
      { ...set("x", "metadata", "labels", "site"), manager: "fleet-agent" },
    ]);
  });
});

describe("editsBetween two versions", () => {
  it("finds nothing in what neither version has", () => {
    expect(editsBetween(cluster(undefined), cluster(undefined))).toStrictEqual([]);
    expect(editsBetween(cluster({}, { taints: [], agent: {}, displayName: null }), cluster({}))).toStrictEqual([]);
  });

  it("finds a field that kubectl set, an earlier one not, and each leaf that was taken out", () => {
    const before = cluster({ env: "prod" }, { paused: false, agent: { image: "a", env: [{ name: "A" }] } });
    const live = edited(cluster({ env: "prod", kept: "k" }, { paused: true, agent: {} }), {
      ...label("env"),
      "f:spec": { "f:paused": {} },
    });
    expect(editsBetween(before, live)).toStrictEqual([
      set(true, "spec", "paused"),
      removed("spec", "agent", "image"),
      removed("spec", "agent", "env"),
    ]);
  });
});
