import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { formatPackIndex } from "../../../../src/git/wire/pack-index.ts";

it("has the same bytes in whatever order objects come, sorted by their ids", async () => {
  const ids = ["\xff\x02", "\x01\x03", "\x01\x01", "\x01\x02", "\x00\x09"].map((start) => start.padEnd(20, "\x05"));
  const entries = ids.map((id, index) => ({ id, start: 100 + index, crc: 200 + index }));
  const checksum = Buffer.alloc(20, 7);
  const index = await formatPackIndex(entries, checksum, { pass: () => undefined });
  const tables = 8 + 256 * 4;
  expect(index.toString("latin1", tables, tables + 100)).toBe([...ids].sort().join(""));
  const numberAt = (position: number) => index.readUInt32BE(tables + 100 + position * 4);
  expect(Array.from({ length: 10 }, (_, position) => numberAt(position))).toEqual([
    ...[204, 202, 203, 201, 200],
    ...[104, 102, 103, 101, 100],
  ]);
  expect([0, 1, 254, 255].map((first) => index.readUInt32BE(8 + first * 4))).toEqual([1, 4, 4, 5]);
  expect(index.subarray(0, 8).toString("hex")).toBe("ff744f6300000002");
  const end = tables + 100 + 40;
  expect(index.subarray(end, end + 20)).toEqual(checksum);
  expect(index.subarray(end + 20)).toEqual(
    createHash("sha1")
      .update(index.subarray(0, end + 20))
      .digest(),
  );
  for (const order of [[...entries].reverse(), [2, 0, 4, 1, 3].flatMap((one) => entries[one] ?? [])])
    expect((await formatPackIndex(order, checksum, { pass: () => undefined })).equals(index)).toBe(true);
});
