import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { appliedFields } from "../../../src/planning/applied-fields.ts";
import { diffOwnedFields } from "../../../src/planning/owned-fields.ts";

const manager = "rollcall-git";

function cluster(list: unknown): KubeObject {
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "eu-1" }, spec: { list } };
}

function taint(key: string, value?: string, effect = "NoSchedule"): JsonObject {
  return { key, effect, ...(value === undefined ? {} : { value }) };
}

/** The owned set of a list map whose items were applied like this; they are keyed by these fields, as far as they have them. */
function items(...applied: readonly JsonObject[]): JsonObject {
  const keyOf = (item: JsonObject) =>
    Object.fromEntries(["effect", "key", "name"].flatMap((name) => (name in item ? [[name, item[name]]] : [])));
  return Object.fromEntries(
    applied.map((item) => [`k:${JSON.stringify(keyOf(item))}`, { ".": {}, ...appliedFields(item) }]),
  );
}

interface Row {
  readonly what: string;
  readonly now: unknown;
  /** Undefined: the manager does not own the list. */
  readonly owned: JsonObject | undefined;
  /** What another manager owns of the list. */
  readonly others?: JsonObject;
  readonly wanted: unknown;
}

function changesOf({ now, owned, others, wanted }: Row) {
  const live = cluster(now);
  const setOf = (list: JsonObject | undefined) => (list === undefined ? {} : { "f:spec": { "f:list": list } });
  live.metadata.managedFields = [
    { manager: "kubectl", operation: "Update", fieldsV1: setOf(others) },
    { manager, operation: "Apply", fieldsV1: setOf(owned) },
  ];
  return diffOwnedFields(cluster(wanted), live, { manager });
}

describe("a list with items of several managers", () => {
  it.each<Row>([
    {
      what: "all items are there and owned",
      now: [taint("a", "x"), taint("b")],
      owned: items(taint("a", "x"), taint("b")),
      wanted: [taint("a", "x"), taint("b")],
    },
    {
      what: "another manager added an item",
      now: [taint("theirs"), taint("a", "x"), taint("a", "y", "NoExecute")],
      owned: { ".": {}, ...items(taint("a", "x")) },
      wanted: [taint("a", "x")],
    },
    {
      what: "a field of an item is left undefined and has a default",
      now: [taint("a", "default")],
      owned: items(taint("a")),
      wanted: [{ ...taint("a"), value: undefined }],
    },
    {
      what: "a map in an item has a default",
      now: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } }],
      owned: items({ name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }),
      wanted: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    },
    {
      what: "a part of the key got its default only after the apply",
      now: [taint("a"), taint("b", "x"), taint("b", "y", "NoExecute")],
      owned: items(taint("a"), { key: "b", value: "x" }),
      wanted: [taint("a"), { key: "b", value: "x" }],
    },
    {
      what: "the items are texts, and another manager added one",
      now: ["theirs", "a", "b"],
      owned: { ".": {}, 'v:"a"': {}, 'v:"b"': {} },
      wanted: ["a", "b"],
    },
    { what: "the items are numbers", now: [1, 2, 3], owned: { "v:1": {}, "v:3": {} }, wanted: [1, 3] },
  ])("is met when $what", (row) => {
    expect(changesOf(row)).toStrictEqual([]);
  });

  it.each<Row>([
    {
      what: "the second of two items has another value",
      now: [taint("a", "x"), taint("b", "x")],
      owned: items(taint("a", "x"), taint("b", "y")),
      wanted: [taint("a", "x"), taint("b", "y")],
    },
    {
      what: "one of two items was taken out",
      now: [taint("a")],
      owned: items(taint("a"), taint("b")),
      wanted: [taint("a"), taint("b")],
    },
    {
      what: "an item of ours is wanted no more",
      now: [taint("a"), taint("b")],
      owned: items(taint("a"), taint("b")),
      wanted: [taint("a")],
    },
    {
      what: "no item of ours is wanted any more",
      now: [taint("a"), taint("theirs")],
      owned: items(taint("a")),
      wanted: [],
    },
    {
      what: "an item is there, but only another manager owns it",
      now: [taint("a"), taint("b")],
      owned: items(taint("a")),
      wanted: [taint("a"), taint("b")],
    },
    {
      what: "an item has a text where a map is wanted",
      now: [{ name: "TOKEN", value: "plain" }],
      owned: items({ name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }),
      wanted: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    },
    {
      what: "an item has a map where a number is wanted",
      now: [{ name: "port", value: {} }],
      owned: items({ name: "port", value: 5 }),
      wanted: [{ name: "port", value: 5 }],
    },
    { what: "the whole list was taken out", now: undefined, owned: items(taint("a")), wanted: [taint("a")] },
    { what: "a text is in its place", now: "text", owned: items(taint("a")), wanted: [taint("a")] },
    {
      what: "something that is no map is among the items",
      now: [null],
      owned: items(taint("a")),
      wanted: [taint("a")],
    },
    { what: "a text of ours is wanted no more", now: ["a", "b"], owned: { 'v:"a"': {}, 'v:"b"': {} }, wanted: ["a"] },
    { what: "a text was taken out", now: ["a"], owned: { 'v:"a"': {}, 'v:"b"': {} }, wanted: ["a", "b"] },
    { what: "the key of an owned item is no JSON", now: [taint("a")], owned: { "k:{": {} }, wanted: [taint("a")] },
  ])("is written as a whole when $what", (row) => {
    expect(changesOf(row)).toStrictEqual([{ path: "spec.list", from: row.now, to: row.wanted }]);
  });
});

describe("a list that has one owner", () => {
  it.each<Row & { readonly isWritten: boolean }>([
    { what: "is equal and owned", now: ["a"], owned: {}, wanted: ["a"], isWritten: false },
    { what: "is owned with its own mark alone", now: ["a"], owned: { ".": {} }, wanted: ["a"], isWritten: false },
    { what: "is equal, but not owned", now: ["a"], owned: undefined, wanted: ["a"], isWritten: true },
    { what: "has an item more", now: ["a", "b"], owned: {}, wanted: ["a"], isWritten: true },
    {
      what: "has an item more beside its own mark",
      now: ["a", "b"],
      owned: { ".": {} },
      wanted: ["a"],
      isWritten: true,
    },
    { what: "is missing", now: undefined, owned: {}, wanted: ["a"], isWritten: true },
    { what: "is empty, and not there yet", now: undefined, owned: undefined, wanted: [], isWritten: true },
    { what: "is empty and owned", now: [], owned: {}, wanted: [], isWritten: false },
  ])("and $what is written: $isWritten", ({ isWritten, ...row }) => {
    expect(changesOf(row)).toStrictEqual(isWritten ? [{ path: "spec.list", from: row.now, to: row.wanted }] : []);
  });

  it.each<[string, JsonObject]>([
    ["one owner", {}],
    ["owned items", items(taint("a"))],
  ])("or %s is removed as a whole when it is wanted no more", (_what, owned) => {
    const now = [taint("a")];
    expect(changesOf({ what: "", now, owned, wanted: undefined })).toStrictEqual([{ path: "spec.list", from: now }]);
  });
});

describe("a list in a file that", () => {
  const [a, b] = [taint("a", "x"), taint("b")];

  it.each<Row & { readonly isChanged: boolean }>([
    { what: "drops an optional field of an item", now: [a], owned: items(a), wanted: [taint("a")], isChanged: true },
    {
      what: "drops a field of a map in an item",
      now: [{ name: "T", from: { ref: { name: "s", optional: true } } }],
      owned: items({ name: "T", from: { ref: { name: "s", optional: true } } }),
      wanted: [{ name: "T", from: { ref: { name: "s" } } }],
      isChanged: true,
    },
    {
      what: "has none of a field that another manager added to its item",
      now: [{ ...b, value: "theirs" }],
      owned: items(b),
      wanted: [b],
      isChanged: false,
    },
    { what: "is empty, and was not there", now: undefined, owned: undefined, wanted: [], isChanged: true },
    {
      what: "is empty, and is so on the hub without an owner",
      now: [],
      owned: undefined,
      wanted: [],
      isChanged: false,
    },
    { what: "is empty, and has an item of ours on the hub", now: [a], owned: items(a), wanted: [], isChanged: true },
    {
      what: "is empty, and has an item of another manager on the hub",
      now: [b],
      owned: undefined,
      others: items(b),
      wanted: [],
      isChanged: false,
    },
    {
      what: "is empty, and has an item of ours and one of another manager on the hub",
      now: [a, b],
      owned: items(a),
      others: items(b),
      wanted: [],
      isChanged: true,
    },
    {
      what: "is empty, and was filled as a whole by another manager",
      now: ["a"],
      owned: undefined,
      others: {},
      wanted: [],
      isChanged: true,
    },
  ])("$what", ({ isChanged, ...row }) => {
    const { now, wanted } = row;
    const change = { path: "spec.list", ...(now === undefined ? {} : { from: now }), to: wanted };
    expect(changesOf(row)).toEqual(isChanged ? [change] : []);
  });
});
