import { describe, expect, it } from "vitest";
import { createParsedHolder, makeRecord, StoredRecord } from "../../../../src/embedded-hub/store/stored-record.ts";

function readRecord(name: string): StoredRecord {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(900) } };
  const { key, json, createRevision, modRevision } = makeRecord(`//configmaps/default/${name}`, object, {
    create: 1,
    mod: 1,
  });
  return new StoredRecord({ key, json: Buffer.from(json), createRevision, modRevision });
}

describe("parsed objects", () => {
  it("stay while there is room, and are parsed again after that: 10,000 read ones leave 60", () => {
    const holder = createParsedHolder(64 * 1024);
    const records = Array.from({ length: 10_000 }, (_, index) => readRecord(`c-${index}`));
    for (const record of records) record.holdBy(holder);
    expect(holder.size).toBe(0);
    for (const record of records) expect(record.object.kind).toBe("ConfigMap");
    expect(holder.size).toBeGreaterThan(50);
    expect(holder.size).toBeLessThan(70);
    const [first, last] = [records[0], records.at(-1)];
    expect(last?.object).toBe(last?.object);
    expect(first?.object.metadata.name).toBe("c-0");
  });

  it("of a record that became history are not held", () => {
    const holder = createParsedHolder(64 * 1024);
    const record = readRecord("a");
    record.holdBy(holder);
    expect([record.object.kind, holder.size]).toEqual(["ConfigMap", 1]);
    record.forgetObject();
    expect(holder.size).toBe(0);
  });
});

describe("makeRecord", () => {
  const object = { data: { a: "1" }, metadata: { name: "a", resourceVersion: "1" }, kind: "A", apiVersion: "v1" };
  const record = makeRecord("/k", object, { create: 3, mod: 7 });

  it("writes the revision into object and text, version and kind first", () => {
    expect(record.json.toString()).toBe(
      '{"apiVersion":"v1","kind":"A","metadata":{"name":"a","resourceVersion":"7"},"data":{"a":"1"}}',
    );
    expect([record.key, record.createRevision, record.modRevision]).toEqual(["/k", 3, 7]);
    expect(object.metadata.resourceVersion).toBe("1");
  });

  it("gives the same frozen object before and after it was forgotten", () => {
    const before = record.object;
    record.forgetObject();
    expect(record.object).toEqual(before);
    expect([Object.isFrozen(record.object), Object.isFrozen(record.object.metadata)]).toEqual([true, true]);
  });

  it("is held from the start when its object is known", () => {
    const holder = createParsedHolder(1024);
    const fresh = makeRecord("/k", object, { create: 1, mod: 1 });
    fresh.holdBy(holder);
    expect(holder.size).toBe(1);
  });
});
