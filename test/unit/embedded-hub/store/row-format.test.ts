import { describe, expect, it } from "vitest";
import { decodeRow, encodeRow } from "../../../../src/embedded-hub/store/row-format.ts";
import { StoredRecord } from "../../../../src/embedded-hub/store/stored-record.ts";

const record = new StoredRecord({
  key: "//configmaps/ümlaut/a",
  json: Buffer.from('{"kind":"ConfigMap","data":{"a":"ü"}}'),
  createRevision: 2 ** 40 + 1,
  modRevision: 2 ** 40 + 7,
});

const damaged = expect.objectContaining({ code: "E_STORE_DAMAGED" }) as unknown;

describe("a row", () => {
  it.each(["put", "delete"] as const)("of a %s is read as it was written", (kind) => {
    const { kind: readKind, record: read } = decodeRow(record.modRevision, encodeRow({ kind, record }));
    const { key, json, createRevision, modRevision } = read;
    expect([readKind, key, json.toString(), createRevision, modRevision]).toEqual([
      kind,
      record.key,
      record.json.toString(),
      record.createRevision,
      record.modRevision,
    ]);
  });

  it("is refused when any of its bytes is another one", () => {
    const row = encodeRow({ kind: "put", record });
    for (const index of row.keys()) {
      const changed = Buffer.from(row);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => decodeRow(1, changed)).toThrow(damaged);
    }
  });

  it("is refused when it is cut off, at whichever byte", () => {
    const row = encodeRow({ kind: "put", record });
    for (let length = 0; length < row.length; length += 1) {
      expect(() => decodeRow(1, row.subarray(0, length))).toThrow(damaged);
    }
  });
});
