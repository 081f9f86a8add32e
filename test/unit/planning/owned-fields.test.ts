import { describe, expect, it } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../../../src/model/kubernetes.ts";
import { diffOwnedFields, isAppliedBy, ownedContent, ownedLabelKeys } from "../../../src/planning/owned-fields.ts";

const manager = "rollcall-git";

function live(fields: Record<string, unknown>, owned: Record<string, unknown>): KubeObject {
  const { metadata, ...rest } = fields;
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name: "eu-1",
      ...(metadata as Record<string, unknown>),
      managedFields: [{ manager, operation: "Apply", fieldsV1: owned as never }],
    },
    ...rest,
  };
}

function desired(fields: Record<string, unknown>): KubeObject {
  const { metadata, ...rest } = fields;
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", ...(metadata as Record<string, unknown>) },
    ...rest,
  };
}

describe("diffOwnedFields", () => {
  it("is empty when every wanted field is there, owned, and nothing else is owned", () => {
    const object = live(
      { spec: { protocol: "rollcall", displayName: "EU" }, metadata: { labels: { env: "prod", other: "x" } } },
      { "f:spec": { "f:displayName": {} }, "f:metadata": { "f:labels": { "f:env": {} } } },
    );
    const wanted = desired({ spec: { displayName: "EU" }, metadata: { labels: { env: "prod" } } });
    expect(diffOwnedFields(wanted, object, { manager })).toEqual([]);
  });

  it("names a changed value, an owned field wanted no more, and a value that another manager owns", () => {
    const object = live(
      { spec: { displayName: "EU", clientID: "a", paused: true }, metadata: { labels: { env: "dev", region: "eu" } } },
      {
        "f:spec": { "f:displayName": {}, "f:clientID": {} },
        "f:metadata": { "f:labels": { "f:env": {}, "f:region": {} } },
      },
    );
    const wanted = desired({ spec: { displayName: "EU", paused: true }, metadata: { labels: { env: "prod" } } });
    expect(diffOwnedFields(wanted, object, { manager })).toEqual([
      { path: "spec.paused", from: true, to: true },
      { path: "spec.clientID", from: "a" },
      { path: "metadata.labels[env]", from: "dev", to: "prod" },
      { path: "metadata.labels[region]", from: "eu" },
    ]);
  });

  it("ignores an owned field that is removed already", () => {
    const object = live(
      { spec: { displayName: "EU" } },
      { "f:spec": { "f:displayName": {}, "f:agent": { "f:image": {} } } },
    );
    expect(diffOwnedFields(desired({ spec: { displayName: "EU" } }), object, { manager })).toEqual([]);
  });

  it("never writes for provenance alone", () => {
    const object = live(
      { metadata: { annotations: { "rollcall.dev/source-line": "3" } } },
      { "f:metadata": { "f:annotations": { "f:rollcall.dev/source-line": {} } } },
    );
    const wanted = desired({ metadata: { annotations: { "rollcall.dev/source-line": "9" } } });
    expect(diffOwnedFields(wanted, object, { manager })).toEqual([]);
  });

  it("compares list maps item by item and tolerates defaulted fields and foreign items", () => {
    const owned = {
      "f:spec": { "f:taints": { 'k:{"effect":"NoSchedule","key":"a"}': { ".": {}, "f:key": {}, "f:effect": {} } } },
    };
    const object = live(
      {
        spec: {
          taints: [
            { key: "z", effect: "NoSchedule" },
            { key: "a", effect: "NoSchedule", value: "" },
          ],
        },
      },
      owned,
    );
    const same = desired({ spec: { taints: [{ key: "a", effect: "NoSchedule" }] } });
    expect(diffOwnedFields(same, object, { manager })).toEqual([]);
    const other = desired({ spec: { taints: [{ key: "b", effect: "NoSchedule" }] } });
    expect(diffOwnedFields(other, object, { manager }).map(({ path }) => path)).toEqual(["spec.taints"]);
  });

  it("compares atomic lists as a whole", () => {
    const object = live({ spec: { keys: ["a", "b"] } }, { "f:spec": { "f:keys": {} } });
    expect(diffOwnedFields(desired({ spec: { keys: ["a", "b"] } }), object, { manager })).toEqual([]);
    expect(diffOwnedFields(desired({ spec: { keys: ["b", "a"] } }), object, { manager })).toHaveLength(1);
  });

  it("wants everything of an object that the manager never applied", () => {
    const object = live({ spec: { displayName: "EU" } }, {});
    object.metadata.managedFields = [];
    expect(isAppliedBy(object, manager)).toBe(false);
    expect(diffOwnedFields(desired({ spec: { displayName: "EU" } }), object, { manager })).toEqual([
      { path: "spec.displayName", from: "EU", to: "EU" },
    ]);
  });
});

/** A row: what is on the hub, what of it the manager owns, what it wants, and what an apply would change. */
interface Row {
  readonly what: string;
  readonly now: Record<string, unknown>;
  readonly owned: Record<string, unknown>;
  readonly wanted: Record<string, unknown>;
  readonly changes: readonly unknown[];
}

function expectChanges({ now, owned, wanted, changes }: Row): void {
  expect(diffOwnedFields(desired(wanted), live(now, owned), { manager })).toStrictEqual(changes);
}

const image = { "f:spec": { "f:agent": { ".": {}, "f:image": {} } } };
const selector = { "f:spec": { "f:selector": {} } };

describe("diffOwnedFields of a map", () => {
  it.each<Row>([
    {
      what: "is met as a whole, if it is owned as a whole and equal",
      now: { spec: { selector: { app: "a" } } },
      owned: selector,
      wanted: { spec: { selector: { app: "a" } } },
      changes: [],
    },
    {
      what: "is written as a whole, if it is owned as a whole and differs",
      now: { spec: { selector: { app: "a", tier: "b" } } },
      owned: selector,
      wanted: { spec: { selector: { app: "a" } } },
      changes: [{ path: "spec.selector", from: { app: "a", tier: "b" }, to: { app: "a" } }],
    },
    {
      what: "is removed as a whole, if it is owned as a whole",
      now: { spec: { selector: { app: "a" } } },
      owned: selector,
      wanted: { spec: {} },
      changes: [{ path: "spec.selector", from: { app: "a" } }],
    },
    {
      what: "is written when it is empty and not there yet",
      now: { spec: {} },
      owned: {},
      wanted: { spec: { selector: {} } },
      changes: [{ path: "spec.selector", from: undefined, to: {} }],
    },
    {
      what: "is met when it is empty and another manager filled it",
      now: { spec: { agent: { image: "theirs" } } },
      owned: {},
      wanted: { spec: { agent: {} } },
      changes: [],
    },
    {
      what: "is met when it is empty and our only field in it was removed already",
      now: { spec: {} },
      owned: image,
      wanted: { spec: { agent: {} } },
      changes: [],
    },
    {
      what: "is named field by field when it is not there yet",
      now: { spec: {} },
      owned: {},
      wanted: { spec: { agent: { image: "a", serviceAccount: undefined } } },
      changes: [{ path: "spec.agent.image", from: undefined, to: "a" }],
    },
    {
      what: "is written over a text in its place",
      now: { spec: { agent: "text" } },
      owned: {},
      wanted: { spec: { agent: { image: "a" } } },
      changes: [{ path: "spec.agent.image", from: undefined, to: "a" }],
    },
    {
      what: "loses only our own fields when it is wanted no more",
      now: { spec: { agent: { image: "ours", serviceAccount: "theirs" } } },
      owned: image,
      wanted: { spec: {} },
      changes: [{ path: "spec.agent.image", from: "ours" }],
    },
    {
      what: "loses our own fields when the whole spec is wanted no more",
      now: { spec: { paused: true, agent: { image: "ours", serviceAccount: "theirs" } } },
      owned: image,
      wanted: {},
      changes: [{ path: "spec.agent.image", from: "ours" }],
    },
    {
      what: "is removed when we own an empty one",
      now: { spec: { agent: {} } },
      owned: { "f:spec": { "f:agent": { ".": {} } } },
      wanted: { spec: {} },
      changes: [{ path: "spec.agent", from: {} }],
    },
    {
      what: "keeps a key of another manager that is called undefined",
      now: { metadata: { labels: { undefined: "theirs", env: "prod" } } },
      owned: { "f:metadata": { "f:labels": { ".": {}, "f:env": {} } } },
      wanted: { metadata: { labels: { env: "prod" } } },
      changes: [],
    },
  ])("$what", expectChanges);
});

describe("diffOwnedFields of metadata and status", () => {
  const line = "rollcall.dev/source-line";

  it.each<Row>([
    {
      what: "names a changed and a removed annotation by its key",
      now: { metadata: { annotations: { note: "old", ticket: "7", theirs: "x" } } },
      owned: { "f:metadata": { "f:annotations": { "f:note": {}, "f:ticket": {} } } },
      wanted: { metadata: { annotations: { note: "new" } } },
      changes: [
        { path: "metadata.annotations[note]", from: "old", to: "new" },
        { path: "metadata.annotations[ticket]", from: "7" },
      ],
    },
    {
      what: "never writes to take provenance away, but takes the annotation beside it",
      now: { metadata: { annotations: { [line]: "3", note: "old" } } },
      owned: { "f:metadata": { "f:annotations": { [`f:${line}`]: {}, "f:note": {} } } },
      wanted: {},
      changes: [{ path: "metadata.annotations[note]", from: "old" }],
    },
    {
      what: "writes a label with the key of a provenance annotation",
      now: { metadata: { labels: { [line]: "3" } } },
      owned: { "f:metadata": { "f:labels": { [`f:${line}`]: {} } } },
      wanted: { metadata: { labels: { [line]: "9" } } },
      changes: [{ path: `metadata.labels[${line}]`, from: "3", to: "9" }],
    },
    {
      what: "leaves other metadata alone",
      now: { metadata: { finalizers: ["a"], uid: "1" } },
      owned: { "f:metadata": { "f:finalizers": { 'v:"a"': {} } } },
      wanted: { metadata: { finalizers: ["b"], uid: "2" } },
      changes: [],
    },
    {
      what: "leaves the status out, which is applied by its own subresource",
      now: { status: { phase: "Joining" } },
      owned: { "f:status": { "f:message": {} } },
      wanted: { status: { phase: "Ready" } },
      changes: [],
    },
  ])("$what", expectChanges);

  it("compares the status alone when the subresource is applied", () => {
    const object = live({ spec: { paused: true }, status: { phase: "Joining", message: "old", theirs: "x" } }, {});
    object.metadata.managedFields = [
      { manager, operation: "Apply", fieldsV1: { "f:spec": { "f:paused": {} }, "f:status": { "f:theirs": {} } } },
      {
        manager,
        operation: "Apply",
        subresource: "status",
        fieldsV1: { "f:status": { "f:phase": {}, "f:message": {} } },
      },
    ];
    const wanted = desired({ spec: { paused: false }, status: { phase: "Ready" } });
    expect(diffOwnedFields(wanted, object, { manager, subresource: "status" })).toStrictEqual([
      { path: "status.phase", from: "Joining", to: "Ready" },
      { path: "status.message", from: "old" },
    ]);
  });
});

describe("the entry of managedFields that counts", () => {
  const theirs = { "f:spec": { "f:clientID": {} } };
  const other: ManagedFieldsEntry[] = [
    { manager: "kubectl-edit", operation: "Apply", fieldsV1: theirs },
    { manager, operation: "Update", fieldsV1: theirs },
    { manager, operation: "Apply", subresource: "status", fieldsV1: theirs },
  ];
  const own: ManagedFieldsEntry = { manager, operation: "Apply", fieldsV1: { "f:spec": { "f:displayName": {} } } };

  it.each(other)("is none of $manager by $operation with the subresource $subresource", (entry) => {
    const object = live({ spec: { displayName: "EU", clientID: "a" } }, {});
    object.metadata.managedFields = [entry];
    expect(isAppliedBy(object, manager)).toBe(false);
    expect([...ownedLabelKeys(object, manager)]).toEqual([]);
    object.metadata.managedFields = [entry, own];
    expect(isAppliedBy(object, manager)).toBe(true);
    expect(diffOwnedFields(desired({ spec: { displayName: "EU" } }), object, { manager })).toStrictEqual([]);
    expect(ownedContent(object, manager)).toStrictEqual({ spec: { displayName: "EU" }, annotations: {} });
  });

  it("is the one without a subresource, also if it is written as an empty text", () => {
    const object = live({ spec: { displayName: "EU" } }, {});
    object.metadata.managedFields = [...other, { ...own, subresource: "" }];
    expect(isAppliedBy(object, manager)).toBe(true);
    expect(diffOwnedFields(desired({}), object, { manager })).toStrictEqual([{ path: "spec.displayName", from: "EU" }]);
  });

  it("is missing on an object without managedFields", () => {
    const object = desired({ spec: { displayName: "EU" } });
    expect(isAppliedBy(object, manager)).toBe(false);
    expect(diffOwnedFields(desired({}), object, { manager })).toStrictEqual([]);
  });
});

describe("what a manager owns of an object", () => {
  it("is the part of the spec and the annotations that it applied, without defaults and what others added", () => {
    const taints = [
      { key: "a", effect: "NoSchedule" },
      { key: "theirs", effect: "NoExecute" },
    ];
    const spec = { displayName: "EU", protocol: "rollcall", agent: { image: "a", replicas: 1 }, taints };
    const object = live(
      {
        spec: { ...spec, selector: { app: "a" }, kept: "text" },
        metadata: { annotations: { note: "n", theirs: "x" } },
      },
      {
        "f:metadata": { "f:annotations": { ".": {}, "f:note": {}, "f:absent": {} } },
        "f:spec": {
          ".": {},
          "f:displayName": {},
          "f:agent": { ".": {}, "f:image": {} },
          "f:taints": { 'k:{"effect":"NoSchedule","key":"a"}': { ".": {}, "f:key": {}, "f:effect": {} } },
          "f:selector": {},
          // A map when it was applied, and a text by now.
          "f:kept": { "f:image": {} },
          "f:absent": {},
        },
      },
    );
    expect(ownedContent(object, manager)).toStrictEqual({
      spec: { displayName: "EU", agent: { image: "a" }, taints, selector: { app: "a" }, kept: "text" },
      annotations: { note: "n" },
    });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["only labels are owned", { spec: { paused: true }, metadata: { annotations: { a: "b" } } }, { "f:metadata": {} }],
    ["the object has no spec", {}, { "f:spec": { "f:paused": {} }, "f:metadata": { "f:annotations": { "f:a": {} } } }],
    ["the spec is no map", { spec: "text" }, { "f:spec": { "f:length": {} } }],
  ])("is empty when %s", (_what, now, owned) => {
    expect(ownedContent(live(now, owned), manager)).toStrictEqual({ spec: {}, annotations: {} });
  });

  it("has the keys of its labels, without the mark of the map itself", () => {
    const labels = { ".": {}, "f:env": {}, "f:rollcall.dev/repository": {} };
    const object = live({}, { "f:metadata": { "f:labels": labels } });
    expect([...ownedLabelKeys(object, manager)]).toEqual(["env", "rollcall.dev/repository"]);
  });
});

it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
  "A281 a label %s comes and goes as any other",
  (key) => {
    const withLabel = (labels: Record<string, string>): KubeObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", labels },
    });
    const own: Record<string, string> = Object.fromEntries([[key, "x"]]);
    const applied = withLabel(own);
    applied.metadata.managedFields = [
      {
        manager: "rollcall-git",
        operation: "Apply",
        fieldsV1: { "f:metadata": { "f:labels": Object.fromEntries([[`f:${key}`, {}]]) } },
      },
    ];
    const options = { manager: "rollcall-git" };
    const path = `metadata.labels[${key}]`;
    expect(diffOwnedFields(withLabel({}), applied, options)).toEqual([{ path, from: "x" }]);
    expect(diffOwnedFields(withLabel(own), withLabel({}), options)).toStrictEqual([{ path, from: undefined, to: "x" }]);
    expect(diffOwnedFields(withLabel(own), applied, options)).toEqual([]);
  },
);
