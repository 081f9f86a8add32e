import { describe, expect, it } from "vitest";
import { isFieldSetEmpty } from "../../../../src/embedded-hub/apply/field-set.ts";
import {
  capUpdaters,
  decodeManagedFields,
  encodeManagedFields,
  managerKey,
  withSet,
  withoutUntracked,
} from "../../../../src/embedded-hub/apply/managed-fields.ts";
import type { ManagerFields, Managers } from "../../../../src/embedded-hub/apply/managed-fields.ts";
import type { ManagedFieldsEntry } from "../../../../src/model/kubernetes.ts";
import { setOf, textsOf } from "./apply-builders.ts";

const stored: ManagedFieldsEntry = {
  manager: "anna",
  operation: "Apply",
  apiVersion: "v1",
  time: "2026-01-02T03:04:05Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:a": {} } },
  subresource: "status",
};

function entry(changes: Partial<ManagerFields> = {}): ManagerFields {
  return { manager: "anna", operation: "Update", apiVersion: "v1", subresource: "", set: setOf(".data.a"), ...changes };
}

function managersOf(...entries: readonly ManagerFields[]): Managers {
  return new Map(entries.map((one) => [managerKey(one), one]));
}

describe("managerKey", () => {
  it("distinguishes appliers by name and subresource, updaters by their version too", () => {
    const same = (left: Partial<ManagerFields>, right: Partial<ManagerFields>) =>
      managerKey(entry(left)) === managerKey(entry(right));
    const apply = { operation: "Apply" } as const;
    expect(same({ ...apply, apiVersion: "v1" }, { ...apply, apiVersion: "v2" })).toBe(true);
    expect(same({ apiVersion: "v1" }, { apiVersion: "v2" })).toBe(false);
    expect(same({}, apply)).toBe(false);
    expect(same({}, { manager: "bert" })).toBe(false);
    expect(same(apply, { ...apply, subresource: "status" })).toBe(false);
    expect(same({}, { subresource: "status" })).toBe(false);
  });
});

describe("decodeManagedFields", () => {
  it("reads what it wrote", () => {
    const managers = decodeManagedFields([stored]);
    expect([...(managers?.values() ?? [])].map(({ set }) => textsOf(set))).toEqual([[".data.a"]]);
    expect(encodeManagedFields(managers ?? new Map())).toEqual([stored]);
  });

  it("reads no managers from no entries", () => {
    expect(decodeManagedFields(undefined)?.size).toBe(0);
    expect(decodeManagedFields([])?.size).toBe(0);
  });

  it("takes an entry without fields for one that owns nothing", () => {
    const { fieldsV1: _fields, ...bare } = stored;
    const [manager] = decodeManagedFields([bare])?.values() ?? [];
    expect(manager !== undefined && isFieldSetEmpty(manager.set)).toBe(true);
  });

  it.each([
    { reason: "no operation", changes: { operation: undefined } },
    { reason: "another operation", changes: { operation: "Delete" } },
    { reason: "no version", changes: { apiVersion: undefined } },
    { reason: "another type of fields", changes: { fieldsType: "FieldsV2" } },
    { reason: "no type of fields", changes: { fieldsType: undefined } },
    { reason: "fields that are none", changes: { fieldsV1: { "k:{": {} } } },
  ])("reads nothing from entries of which one has $reason", ({ changes }) => {
    const bad = { ...stored, ...changes } as ManagedFieldsEntry;
    expect(decodeManagedFields([{ ...stored, manager: "bert" }, bad])).toBeUndefined();
  });

  it("reads an update and an apply", () => {
    const both = decodeManagedFields([stored, { ...stored, operation: "Update" }]);
    expect(both?.size).toBe(2);
  });
});

describe("encodeManagedFields", () => {
  it("writes nothing for no manager, and leaves out what is empty", () => {
    expect(encodeManagedFields(new Map())).toBeUndefined();
    expect(encodeManagedFields(managersOf(entry({ manager: "" })))).toEqual([
      { operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": { "f:a": {} } } },
    ]);
  });

  it("writes appliers first, then by time, manager, version and subresource", () => {
    const ordered = [
      entry({ operation: "Apply", time: "2026-01-02T03:04:09Z" }),
      entry({ manager: "none" }),
      entry({ manager: "zoe", time: "2026-01-02T03:04:05.900Z" }),
      entry({ manager: "zoe", time: "2026-01-02T03:04:05.100Z", subresource: "status" }),
      entry({ manager: "anna", time: "2026-01-02T03:04:06Z" }),
      entry({ manager: "bert", time: "2026-01-02T03:04:06Z" }),
      entry({ manager: "bert", time: "2026-01-02T03:04:06Z", apiVersion: "v2" }),
      entry({ manager: "bert", time: "2026-01-02T03:04:06Z", apiVersion: "v2", subresource: "status" }),
    ];
    const names = (entries: readonly ManagerFields[]) =>
      encodeManagedFields(managersOf(...entries))?.map(({ manager, operation, apiVersion, subresource }) =>
        [manager, operation, apiVersion, subresource].join(),
      );
    const expected = ordered.map(({ manager, operation, apiVersion, subresource }) =>
      [manager, operation, apiVersion, subresource === "" ? undefined : subresource].join(),
    );
    expect(names(ordered)).toEqual(expected);
    expect(names([...ordered].reverse())).toEqual(expected);
  });

  it("takes a time that is none for the oldest", () => {
    const odd = entry({ manager: "odd", time: "yesterday" });
    const old = entry({ manager: "old", time: "1970-01-01T00:00:01Z" });
    expect(encodeManagedFields(managersOf(old, odd))?.map(({ manager }) => manager)).toEqual(["odd", "old"]);
  });
});

describe("withoutUntracked", () => {
  it("drops name, uid and the like of one manager, and nothing else", () => {
    const untracked = ["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation"];
    const set = setOf(
      ...[...untracked, "managedFields", "resourceVersion"].map((name) => `.metadata.${name}`),
      ...[".apiVersion", ".kind", ".metadata", ".metadata.labels.a", ".data.a"],
    );
    const anna = entry({ set });
    const bert = entry({ manager: "bert", set });
    const result = withoutUntracked(managersOf(anna, bert), managerKey(anna));
    expect(textsOf(result.get(managerKey(anna))?.set ?? set)).toEqual([".data.a", ".metadata.labels.a"]);
    expect(result.get(managerKey(bert))).toBe(bert);
  });

  it("drops a manager of which nothing remains, and knows no other", () => {
    const anna = entry({ set: setOf(".kind") });
    const managers = managersOf(anna);
    expect(withoutUntracked(managers, managerKey(anna)).size).toBe(0);
    expect(withoutUntracked(managers, "unknown")).toBe(managers);
  });
});

describe("withSet", () => {
  it("replaces the fields of a manager, or drops it", () => {
    const anna = entry();
    const key = managerKey(anna);
    expect(textsOf(withSet(managersOf(anna), key, setOf(".b")).get(key)?.set ?? setOf())).toEqual([".b"]);
    expect(withSet(managersOf(anna), key, setOf()).size).toBe(0);
    expect(withSet(managersOf(anna), "unknown", setOf(".b")).size).toBe(1);
  });
});

describe("capUpdaters", () => {
  const updater = (index: number, changes: Partial<ManagerFields> = {}) =>
    entry({
      manager: `m${String(index).padStart(2, "0")}`,
      time: `2026-01-02T03:04:${String(index).padStart(2, "0")}Z`,
      set: setOf(`.data.k${index}`),
      ...changes,
    });
  const updaters = (count: number, changes: Partial<ManagerFields> = {}) =>
    Array.from({ length: count }, (_, index) => updater(index, changes));
  const namesOf = (managers: Managers) => [...managers.values()].map(({ manager }) => manager).sort();
  const ancientOf = (managers: Managers) =>
    [...managers.values()].filter(({ manager }) => manager === "ancient-changes");

  it("leaves ten updaters, and any number of appliers, as they are", () => {
    const appliers = updaters(12, { operation: "Apply" });
    const managers = managersOf(...updaters(10), ...appliers);
    expect(capUpdaters(managers)).toBe(managers);
  });

  it("makes one of the two oldest of eleven, with the fields of both and the later time", () => {
    const capped = capUpdaters(managersOf(...updaters(11).reverse()));
    expect(namesOf(capped)).toEqual([
      "ancient-changes",
      ...updaters(11)
        .slice(2)
        .map(({ manager }) => manager),
    ]);
    const [ancient] = ancientOf(capped);
    expect(textsOf(ancient?.set ?? setOf())).toEqual([".data.k0", ".data.k1"]);
    expect(ancient).toMatchObject({
      operation: "Update",
      apiVersion: "v1",
      subresource: "",
      time: "2026-01-02T03:04:01Z",
    });
  });

  it("makes one of the five oldest of fourteen, appliers aside", () => {
    const capped = capUpdaters(managersOf(...updaters(14), ...updaters(3, { operation: "Apply" })));
    const [ancient] = ancientOf(capped);
    expect(capped.size).toBe(13);
    expect(textsOf(ancient?.set ?? setOf())).toEqual([0, 1, 2, 3, 4].map((index) => `.data.k${index}`));
  });

  it("adds to the ancient changes that are there already", () => {
    const ancient = entry({ manager: "ancient-changes", set: setOf(".data.old"), time: "2026-01-01T00:00:00Z" });
    const capped = capUpdaters(managersOf(ancient, ...updaters(10)));
    expect(namesOf(capped)).toHaveLength(10);
    expect(ancientOf(capped).map(({ set }) => textsOf(set))).toEqual([[".data.k0", ".data.old"]]);
  });

  it("keeps versions apart", () => {
    const mixed = updaters(12).map((one, index) => (index % 2 === 0 ? one : { ...one, apiVersion: "v2" }));
    const capped = capUpdaters(managersOf(...mixed));
    expect(capped.size).toBe(10);
    expect(ancientOf(capped).map(({ apiVersion, set }) => [apiVersion, ...textsOf(set)])).toEqual([
      ["v1", ".data.k0", ".data.k2"],
      ["v2", ".data.k1", ".data.k3"],
    ]);
  });

  it("changes no set that it was given", () => {
    const managers = managersOf(...updaters(14));
    const before = encodeManagedFields(managers);
    capUpdaters(managers);
    expect(encodeManagedFields(managers)).toEqual(before);
  });
});
