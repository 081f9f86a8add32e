import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { readPackFolder } from "../../../../src/git/local/pack-lookup.ts";
import { formatPackIndex } from "../../../../src/git/wire/pack-index.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

let folder = "";

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = join(made.path, "pack");
  await mkdir(folder);
  return made.remove;
});

const idOf = (...bytes: readonly number[]) => Buffer.alloc(20, 7).fill(Buffer.from(bytes), 0, bytes.length);

function indexOf(ids: readonly Buffer[], firstStart: number): Promise<Buffer> {
  const entries = ids.map((id, index) => ({ id: id.toString("latin1"), start: firstStart + index, crc: 0 }));
  return formatPackIndex(entries, Buffer.alloc(20), { pass: () => undefined });
}

it("finds each object of each pack, and no other", async () => {
  const first = [idOf(0, 1), idOf(0, 2), idOf(5, 1), idOf(5, 2), idOf(5, 3), idOf(255, 255)];
  const second = [idOf(6, 1)];
  await writeFile(join(folder, "a.idx"), await indexOf(first, 100));
  await writeFile(join(folder, "b.idx"), await indexOf(second, 200));
  await writeFile(join(folder, "c.pack"), "no index");
  const packs = readPackFolder(folder);
  const placed = [...first, ...second].map((id) => packs.find(id.toString("hex")));
  expect(placed).toEqual([
    ...first.map((_id, index) => ({ path: join(folder, "a.pack"), start: 100 + index })),
    { path: join(folder, "b.pack"), start: 200 },
  ]);
  const others = [idOf(0, 0), idOf(0, 3), idOf(5, 0), idOf(5, 4), idOf(4), idOf(6, 0), idOf(255, 254)];
  expect(others.map((id) => packs.find(id.toString("hex")))).toEqual(others.map(() => undefined));
});

it.each([
  ["of another kind", (index: Buffer) => index.fill(0, 0, 1)],
  ["of another version", (index: Buffer) => index.fill(3, 7, 8)],
  ["that is cut off", (index: Buffer) => index.subarray(0, -1)],
  ["that is cut off in its head", (index: Buffer) => index.subarray(0, 8 + 256 * 4 + 39)],
  ["that counts more than it has", (index: Buffer) => index.fill(9, 8 + 255 * 4, 8 + 256 * 4)],
])("passes over an index %s", async (_what, change) => {
  await writeFile(join(folder, "a.idx"), change(await indexOf([idOf(1)], 100)));
  expect(readPackFolder(folder).find(idOf(1).toString("hex"))).toBeUndefined();
});

it("has an empty index, and finds nothing where there is no folder", async () => {
  await writeFile(join(folder, "a.idx"), await indexOf([], 0));
  expect(readPackFolder(folder).find(idOf(1).toString("hex"))).toBeUndefined();
  expect(readPackFolder(join(folder, "none")).find(idOf(1).toString("hex"))).toBeUndefined();
});

it("finds an object behind the first 2 GiB of a pack", async () => {
  const index = await indexOf([idOf(1), idOf(2)], 100);
  const startsAt = 8 + 256 * 4 + 2 * 24;
  index.writeUInt32BE(0x80000001, startsAt + 4);
  const large = Buffer.alloc(16);
  large.writeBigUInt64BE(5_000_000_000n, 8);
  await writeFile(join(folder, "a.idx"), Buffer.concat([index.subarray(0, -40), large, index.subarray(-40)]));
  const packs = readPackFolder(folder);
  expect([1, 2].map((first) => packs.find(idOf(first).toString("hex"))?.start)).toEqual([100, 5_000_000_000]);
});
