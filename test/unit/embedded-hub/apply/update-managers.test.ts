import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { describePath } from "../../../../src/embedded-hub/apply/path-element.ts";
import { managerKey } from "../../../../src/embedded-hub/apply/managed-fields.ts";
import type { ManagerFields, Managers } from "../../../../src/embedded-hub/apply/managed-fields.ts";
import { applyIntent, updateManagers } from "../../../../src/embedded-hub/apply/update-managers.ts";
import type { VersionedTypes } from "../../../../src/embedded-hub/apply/update-managers.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";
import { everyShape, items, setOf, textsOf } from "./apply-builders.ts";

const whole: Schema = {
  ...everyShape,
  properties: {
    ...everyShape.properties,
    map: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "string" } },
  },
};

/** Version v1 merges `map`, version v2 replaces it; there is no other. */
const types: VersionedTypes = {
  apiVersion: "v1",
  schemaOfVersion: (version) => (version === "v1" ? everyShape : version === "v2" ? whole : undefined),
  convert: (object) => object,
  resetFields: setOf(),
};

function manager(name: string, owned: readonly string[], changes: Partial<ManagerFields> = {}): ManagerFields {
  return { manager: name, operation: "Apply", apiVersion: "v1", subresource: "", set: setOf(...owned), ...changes };
}

function managersOf(...entries: readonly ManagerFields[]): Managers {
  return new Map(entries.map((one) => [managerKey(one), one]));
}

function ownedIn(managers: Managers): Record<string, string[]> {
  return Object.fromEntries([...managers.values()].map(({ manager: name, set }) => [name, textsOf(set)]));
}

interface Apply {
  readonly live: JsonObject;
  readonly intent: JsonObject;
  readonly managers?: readonly ManagerFields[];
  readonly isForced?: boolean;
  readonly versions?: Partial<VersionedTypes>;
}

function apply({ live, intent, managers = [], isForced = false, versions = {} }: Apply) {
  const self = manager("me", []);
  const change = { live, intent, key: managerKey(self), self, isForced };
  const outcome = applyIntent({ ...types, ...versions }, managersOf(...managers), change);
  if (outcome.kind === "conflicts") {
    return { conflicts: outcome.conflicts.map(({ owner, path }) => `${owner.manager}${describePath(path)}`) };
  }
  return { object: outcome.object, isChanged: outcome.isChanged, owned: ownedIn(outcome.managers) };
}

describe("applyIntent", () => {
  it("adds what is named, and owns it", () => {
    expect(apply({ live: { text: "a" }, intent: { map: { a: "1" } } })).toEqual({
      object: { text: "a", map: { a: "1" } },
      isChanged: true,
      owned: { me: [".map.a"] },
    });
  });

  it("shares what is the same already, and changes nothing", () => {
    const managers = [manager("other", [".text"])];
    expect(apply({ live: { text: "a" }, intent: { text: "a" }, managers })).toEqual({
      object: { text: "a" },
      isChanged: false,
      owned: { other: [".text"], me: [".text"] },
    });
  });

  it("names each field of each other manager that it would change", () => {
    const managers = [
      manager("me", [".text"]),
      manager("one", [".text", ".map.a", ".map.b"]),
      manager("two", [".map.a"], { operation: "Update" }),
    ];
    const live = { text: "a", map: { a: "1", b: "1" } };
    const change = { live, intent: { text: "b", map: { a: "2", b: "1" } }, managers };
    expect(apply(change)).toEqual({ conflicts: ["one.text", "one.map.a", "two.map.a"] });
    expect(apply({ ...change, isForced: true })).toEqual({
      object: { text: "b", map: { a: "2", b: "1" } },
      isChanged: true,
      owned: { me: [".text", ".map.a", ".map.b"], one: [".map.b"] },
    });
  });

  it("has no conflict over what it removes and no other manager owns", () => {
    const managers = [manager("me", [".text", ".map.a"]), manager("one", [".map.a"])];
    expect(apply({ live: { text: "a", map: { a: "1" } }, intent: {}, managers })).toEqual({
      object: { map: { a: "1" } },
      isChanged: true,
      owned: { one: [".map.a"] },
    });
  });

  it("removes items and values that it owned alone", () => {
    const managers = [
      manager("me", [
        ".items[a]",
        ".items[a].name",
        ".items[a].v",
        ".items[b]",
        ".items[b].name",
        ".set[=x]",
        ".set[=y]",
      ]),
      manager("one", [".items[b]", ".items[b].name", ".set[=y]"]),
    ];
    const live = { items: items("a=1 b=2 c=3"), set: ["x", "y", "z"] };
    expect(apply({ live, intent: {}, managers })).toMatchObject({
      object: { items: items("b=2 c=3"), set: ["y", "z"] },
    });
  });

  it("keeps an item of which others own a field, without its own fields", () => {
    const managers = [
      manager("me", [".items[a]", ".items[a].name", ".items[a].v"]),
      manager("one", [".items[a]", ".items[a].name", ".items[a].w"]),
    ];
    const live = { items: [{ name: "a", v: "1", w: "2" }] };
    expect(apply({ live, intent: {}, managers })).toMatchObject({ object: { items: [{ name: "a", w: "2" }] } });
  });

  it("removes a map with what was in it, unless another manager owns a key", () => {
    const mine = manager("me", [".fields", ".fields.a"]);
    const live = { text: "a", fields: { a: "1", b: "1" } };
    expect(apply({ live, intent: {}, managers: [mine] })).toMatchObject({ object: { text: "a" } });
    const others = [mine, manager("one", [".fields.b"])];
    expect(apply({ live, intent: {}, managers: others })).toMatchObject({ object: { text: "a", fields: { b: "1" } } });
  });

  it("keeps what another manager owns in another version, and forgets owners of versions that are no longer served", () => {
    const mine = manager("me", [".map.a", ".text"]);
    const live = { text: "a", map: { a: "1", b: "1" } };
    const inV2 = manager("one", [".map"], { apiVersion: "v2" });
    expect(apply({ live, intent: {}, managers: [mine, inV2] })).toMatchObject({
      object: { map: { a: "1", b: "1" } },
      owned: { one: [".map"] },
    });
    const gone = manager("one", [".map.a"], { apiVersion: "v9" });
    const two = manager("two", [".map.b"]);
    expect(apply({ live, intent: {}, managers: [mine, gone, two] })).toEqual({
      object: { map: { b: "1" } },
      isChanged: true,
      owned: { two: [".map.b"] },
    });
  });

  it("removes nothing when its own last version is no longer served", () => {
    const mine = manager("me", [".text"], { apiVersion: "v9" });
    expect(apply({ live: { text: "a" }, intent: {}, managers: [mine] })).toMatchObject({ object: { text: "a" } });
  });

  it("takes the whole of what became atomic for owned", () => {
    const mine = manager("me", [".map.a"]);
    const one = manager("one", [".map.b"], { apiVersion: "v2" });
    const change = { live: { map: { a: "1", b: "1" } }, intent: { map: { a: "2" } }, managers: [mine, one] };
    expect(apply(change)).toEqual({ conflicts: ["one.map"] });
  });

  it("owns nothing that the endpoint resets, and has no conflicts over it", () => {
    const versions = { resetFields: setOf(".map") };
    const managers = [manager("one", [".map.a", ".text"])];
    const live = { text: "a", map: { a: "1" } };
    expect(apply({ live, intent: { text: "a", map: { a: "2" } }, managers, versions })).toMatchObject({
      owned: { me: [".text"], one: [".text", ".map.a"] },
    });
    expect(apply({ live, intent: { map: { a: "2" } }, managers, versions })).toMatchObject({
      owned: { one: [".text", ".map.a"] },
    });
  });
});

describe("updateManagers", () => {
  const update = (
    { before, after }: { before: JsonObject; after: JsonObject },
    managers: readonly ManagerFields[],
    resetFields = setOf(),
  ) => {
    const self = manager("me", [], { operation: "Update" });
    const change = { before, after, key: managerKey(self), self };
    return ownedIn(updateManagers({ ...types, resetFields }, managersOf(...managers), change));
  };

  it("gives what changed to the writer, and takes it from the others", () => {
    const managers = [manager("one", [".text", ".map.a", ".map.b"])];
    const before = { text: "a", map: { a: "1", b: "1" } };
    expect(update({ before, after: { text: "b", map: { a: "1", c: "1" } } }, managers)).toEqual({
      one: [".map.a"],
      me: [".text", ".map.c"],
    });
  });

  it("leaves the writer what it had, without what is no longer served", () => {
    const own = manager("me", [".text", ".number", ".map.a"], { operation: "Update" });
    const before = { text: "a", number: 1, map: { a: "1" } };
    expect(update({ before, after: { text: "a", map: { a: "2" } } }, [own])).toEqual({ me: [".text", ".map.a"] });
    expect(update({ before, after: {} }, [own])).toEqual({});
  });

  it("drops a manager that loses everything, and owners of versions that are no longer served", () => {
    const managers = [manager("one", [".text"]), manager("two", [".map.a"], { apiVersion: "v9" })];
    expect(update({ before: { text: "a" }, after: { text: "b" } }, managers)).toEqual({ me: [".text"] });
  });

  it("owns nothing that the endpoint resets, and takes nothing of it away", () => {
    const managers = [manager("one", [".map.a", ".fields.a", ".number", ".text"])];
    const before = { text: "a", number: 1, map: { a: "1" }, fields: { a: "1" } };
    const after = { text: "b", map: { a: "2", b: "1" } };
    expect(update({ before, after }, managers, setOf(".map", ".fields", ".number"))).toEqual({
      one: [".number", ".fields.a", ".map.a"],
      me: [".text"],
    });
  });
});
