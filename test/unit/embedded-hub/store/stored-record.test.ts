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
