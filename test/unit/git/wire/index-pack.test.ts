import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRepository, makeTempFolder } from "../../../support/git-repositories.ts";
import { entryHead, packOf, repack, zeroBlobs } from "../../../support/git-packs.ts";
import { nameObject } from "../../../../src/git/objects/git-object.ts";
import { indexPack } from "../../../../src/git/wire/index-pack.ts";
import { buildPack } from "../../../../src/git/wire/pack-file.ts";
import type { GitObject } from "../../../../src/git/objects/git-object.ts";

function withChecksum(body: Buffer): Buffer {
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** How far back a delta's base starts. Source: git, gitformat-pack(5), "offset encoding". */
function offsetOf(distance: number): Buffer {
  const bytes = [distance & 127];
  for (let rest = distance >> 7; rest > 0; rest >>= 7) bytes.unshift(((rest -= 1) & 127) | 128);
  return Buffer.from(bytes);
}

const objects: GitObject[] = [
  { type: "blob", content: Buffer.from("") },
  { type: "blob", content: Buffer.from("x".repeat(15)) },
  { type: "tree", content: Buffer.from("x".repeat(16)) },
  { type: "commit", content: Buffer.from("x".repeat(2047)) },
  { type: "blob", content: Buffer.from("x".repeat(2048)) },
  { type: "tag", content: Buffer.from("x".repeat(300_000)) },
];

describe("indexPack", () => {
  it("accepts what buildPack makes, of every size of header", async () => {
    const pack = buildPack(objects);
    expect(await indexPack(pack)).toMatchObject({
      objectCount: 6,
      leftOut: 0,
      checksum: pack.subarray(-20).toString("hex"),
    });
    expect(await indexPack(buildPack([]))).toMatchObject({ objectCount: 0 });
  });

  it("refuses a pack that is cut off or changed anywhere", async () => {
    const pack = buildPack(objects.slice(0, 4));
    for (let length = 0; length < pack.length; length++) {
      await expect(indexPack(pack.subarray(0, length))).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    }
    for (let position = 0; position < pack.length; position++) {
      const changed = Buffer.from(pack);
      changed.writeUInt8(changed.readUInt8(position) ^ 0x55, position);
      await expect(indexPack(changed)).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    }
  });

  it("throws nothing but its own errors on any body with a good checksum", async () => {
    const head = Buffer.from("PACK\0\0\0\x02", "latin1");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 4, maxLength: 80 }), async (bytes) => {
        const outcome = await indexPack(withChecksum(Buffer.concat([head, bytes]))).catch((error: unknown) => error);
        if (outcome instanceof Error)
          expect(["E_GIT_PROTOCOL", "E_UNSUPPORTED"]).toContain((outcome as { code?: string }).code);
      }),
      { numRuns: 500 },
    );
  });

  it("A16 refuses an object by its declared size, before it is unpacked", async () => {
    const bomb = buildPack([{ type: "tree", content: Buffer.alloc(2_000_000) }]);
    expect(bomb.length).toBeLessThan(20_000);
    const refused = { code: "E_UNSUPPORTED", data: { sizeBytes: 2_000_000, maximumBytes: 1_000_000 } };
    await expect(indexPack(bomb, { maximumObjectBytes: 1_000_000 })).rejects.toMatchObject(refused);
    await expect(indexPack(bomb, { maximumInflatedBytes: 1_000_000 })).rejects.toMatchObject(refused);
  });

  it("A16 refuses more objects than it may hold in memory", async () => {
    await expect(indexPack(buildPack(objects), { maximumObjects: 5 })).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      data: { objectCount: 6, maximumObjects: 5 },
    });
  });

  it("accepts as many objects, and blobs as large, as there may be", async () => {
    const limits = { maximumObjects: 6, maximumBlobBytes: 2048 };
    expect(await indexPack(buildPack(objects), limits)).toMatchObject({ leftOut: 0 });
    // The limit of a blob is none of a tree.
    expect(await indexPack(buildPack(objects), { ...limits, maximumBlobBytes: 100 })).toMatchObject({ leftOut: 1 });
  });

  it.each([
    ["another name", "PUCK\0\0\0\x02\0\0\0\0", "cut off"],
    ["a version that is not known", "PACK\0\0\0\x03\0\0\0\0", "version 3 is not known"],
  ])("refuses a pack with %s and a good checksum", async (_what, head, text) => {
    await expect(indexPack(withChecksum(Buffer.from(head, "latin1")))).rejects.toThrow(text);
  });

  it("A57 gives up when its time is over or its signal is aborted", async () => {
    const pack = buildPack([{ type: "blob", content: randomBytes(20 * 1024 ** 2) }]);
    await expect(indexPack(pack, { maximumMs: 0 })).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      remedy: expect.stringContaining("--git-backend native") as string,
    });
    const reason = new Error("stopped");
    await expect(indexPack(pack, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("A16 refuses an object that unpacks to more than it declares, and a delta that makes too much", async () => {
    const honest = buildPack([{ type: "blob", content: Buffer.from("x".repeat(15)) }]);
    const lying = Buffer.from(honest.subarray(0, -20));
    lying.writeUInt8((3 << 4) | 1, 12);
    await expect(indexPack(withChecksum(lying))).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    // A delta of four bytes: from 1 byte it makes 2 ** 21.
    const base = Buffer.concat([entryHead(2, 1), deflateSync(Buffer.from("x"))]);
    const delta = deflateSync(Buffer.from([1, 0x80, 0x80, 0x80, 0x01]));
    const pack = packOf([base, Buffer.concat([entryHead(6, 5), Buffer.from([base.length]), delta])]);
    await expect(indexPack(pack, { maximumObjectBytes: 1_000_000 })).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await expect(indexPack(pack, { maximumTotalBytes: 1_000_000 })).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  it("A57 refuses forty blobs of zeros before the sixth is unpacked, off the main thread", async () => {
    const five = zeroBlobs(5, 95 * 1024 ** 2).subarray(12, -20);
    // Who unpacks one of the others finds that it is none.
    const broken = Buffer.concat([entryHead(3, 95 * 1024 ** 2), Buffer.alloc(five.length / 5, 0xff)]);
    const pack = packOf([five, ...Array.from({ length: 35 }, () => broken)]);
    pack.writeUInt32BE(40, 8);
    const message = expect.stringContaining(`it unpacks to ${5 * 95 * 1024 ** 2} bytes`) as string;
    const checked = withChecksum(pack.subarray(0, -20));
    await expect(indexPack(checked)).rejects.toMatchObject({ code: "E_UNSUPPORTED", message });
  });

  it("A57 refuses many small blobs of zeros by what they unpack to together", async () => {
    const pack = zeroBlobs(5000, 95_000);
    await expect(indexPack(pack)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  it.each([
    ["within another object", 5],
    ["itself", 0],
    ["before the pack", 4000],
  ])("A57 refuses a delta that builds on %s: resolving it would come to no end", async (_where, distance) => {
    const blob = buildPack([{ type: "blob", content: Buffer.from("the quick brown fox") }]).subarray(12, -20);
    const offset = distance < 128 ? [distance] : [0x80 | ((distance >> 7) - 1), distance & 0x7f];
    const delta = Buffer.concat([Buffer.from([0x64, ...offset]), deflateSync(Buffer.from([19, 1, 1, 120]))]);
    const head = Buffer.from(buildPack([]).subarray(0, 12));
    head.writeUInt32BE(2, 8);
    const pack = withChecksum(Buffer.concat([head, blob, delta]));
    await expect(indexPack(pack)).rejects.toMatchObject({
      code: "E_GIT_PROTOCOL",
      message: expect.stringContaining("builds on no earlier object") as string,
    });
  });

  it("A57 refuses deltas that copy a large object again and again", async () => {
    const blob = Buffer.alloc(1024 ** 2);
    const base = Buffer.concat([entryHead(3, blob.length), deflateSync(blob)]);
    // From 1 MiB, thirty times the same.
    const copies = Array.from({ length: 480 }, () => [0xf0, 0xff, 0xff, 0x00]).flat();
    const size = (bytes: number): number[] =>
      bytes < 128 ? [bytes] : [0x80 | (bytes & 0x7f), ...size(Math.floor(bytes / 128))];
    const delta = Buffer.from([...size(blob.length), ...size(480 * 0xffff), ...copies]);
    const deltas: Buffer[] = [];
    let distance = base.length;
    for (let count = 0; count < 40; count++) {
      const entry = Buffer.concat([entryHead(6, delta.length), offsetOf(distance), deflateSync(delta)]);
      deltas.push(entry);
      distance += entry.length;
    }
    await expect(indexPack(packOf([base, ...deltas]))).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      data: { maximumBytes: 128 * 1024 ** 2 + 20 * packOf([base, ...deltas]).length },
    });
  });

  it("A57 leaves out a blob that is too large, and what builds on it, and nothing else", async () => {
    const large = Buffer.concat([entryHead(3, 3_000_000), deflateSync(randomBytes(3_000_000))]);
    const onLarge = Buffer.concat([
      entryHead(6, 7),
      offsetOf(large.length),
      deflateSync(Buffer.from([0xc0, 0x8d, 0xb7, 0x01, 1, 1, 120])),
    ]);
    const small = Buffer.concat([entryHead(3, 1), deflateSync(Buffer.from("y"))]);
    const pack = packOf([large, onLarge, small]);
    const { leftOut, index } = await indexPack(pack, { maximumObjectBytes: 1_000_000 });
    expect(leftOut).toBe(2);
    expect(index.readUInt32BE(8 + 255 * 4)).toBe(1);
    expect(index.toString("hex", 8 + 256 * 4, 8 + 256 * 4 + 20)).toBe(nameObject("blob", Buffer.from("y"), "sha1").id);
    // Within memory, but larger than any file may be.
    expect(await indexPack(packOf([large, small]), { maximumBlobBytes: 1_000_000 })).toMatchObject({ leftOut: 1 });
  });

  it.each([
    ["deltas by place", true],
    ["deltas by id", false],
  ])("makes the index that native git makes, with %s", async (_what, isByPlace) => {
    const { path, remove } = await makeTempFolder();
    try {
      const repository = await createRepository(join(path, "fleet.git"));
      const lines = (count: number, seed: string): string =>
        Array.from({ length: count }, (_, line) => `${seed} ${(line * 7919) % 1000}\n`).join("");
      for (let commit = 0; commit < 10; commit++) {
        const long = lines(40_000 + commit, "long") + commit;
        await repository.commit({ files: { long, [`f${commit % 7}`]: lines(100 + commit, "short") } });
      }
      const native = await repack(repository, `repack.useDeltaBaseOffset=${isByPlace}`);
      const made = await indexPack(native.pack);
      expect(made.leftOut).toBe(0);
      expect(made.index.equals(native.index)).toBe(true);
    } finally {
      await remove();
    }
  });

  it("A57 accepts large objects that are within the bounds, wherever they stand, and holds the loop for no more than a slice", async () => {
    const noise = Buffer.concat(
      Array.from({ length: 1000 }, (_, index) => createHash("sha512").update(`${index}`).digest()),
    );
    const large = Array.from({ length: 12 }, (_, index) =>
      Buffer.concat(Array.from({ length: 20 + index }, () => noise)),
    );
    const pack = buildPack(
      large.flatMap(
        (content) =>
          [
            { type: "blob", content },
            { type: "blob", content: Buffer.from("x") },
          ] as const,
      ),
    );
    const done = { isDone: false };
    let turns = 0;
    const count = (): void => {
      turns++;
      if (!done.isDone) setImmediate(count);
    };
    count();
    expect(await indexPack(pack)).toMatchObject({ objectCount: 24 });
    done.isDone = true;
    // 18 MiB in slices of 64 KiB.
    expect(turns).toBeGreaterThan(100);
  });

  it("A57 refuses a large object that unpacks to more or less than it declares", async () => {
    const content = Buffer.alloc(1024 ** 2 + 5);
    const pack = buildPack([{ type: "blob", content }]).subarray(0, -20);
    for (const change of [1, -1]) {
      const lying = Buffer.from(pack);
      // The low four bits of the size are in the first byte.
      lying.writeUInt8((lying.readUInt8(12) & 0xf0) | (5 + change), 12);
      await expect(indexPack(withChecksum(lying))).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    }
  });
});
