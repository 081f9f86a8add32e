import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildPack, checkPack } from "../../../src/git/wire/pack-file.ts";
import type { GitObject } from "../../../src/git/objects/git-object.ts";
import { formatPackedRefs, parsePackedRefs } from "../../../src/git/local/packed-refs.ts";

function withChecksum(body: Buffer): Buffer {
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** A pack of the same entry, many times. */
function repeated(entry: Buffer, count: number): Buffer {
  const head = Buffer.from(buildPack([]).subarray(0, 12));
  head.writeUInt32BE(count, 8);
  return withChecksum(Buffer.concat([head, ...Array.from({ length: count }, () => entry)]));
}

const objects: GitObject[] = [
  { type: "blob", content: Buffer.from("") },
  { type: "blob", content: Buffer.from("x".repeat(15)) },
  { type: "tree", content: Buffer.from("x".repeat(16)) },
  { type: "commit", content: Buffer.from("x".repeat(2047)) },
  { type: "blob", content: Buffer.from("x".repeat(2048)) },
  { type: "tag", content: Buffer.from("x".repeat(300_000)) },
];

describe("checkPack", () => {
  it("accepts what buildPack makes, of every size of header", async () => {
    const pack = buildPack(objects);
    expect(await checkPack(pack)).toEqual({ objectCount: 6, checksum: pack.subarray(-20).toString("hex") });
    expect(await checkPack(buildPack([]))).toMatchObject({ objectCount: 0 });
  });

  it("refuses a pack that is cut off or changed anywhere", async () => {
    const pack = buildPack(objects.slice(0, 4));
    for (let length = 0; length < pack.length; length++) {
      await expect(checkPack(pack.subarray(0, length))).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    }
    for (let position = 0; position < pack.length; position++) {
      const changed = Buffer.from(pack);
      changed.writeUInt8(changed.readUInt8(position) ^ 0x55, position);
      await expect(checkPack(changed)).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    }
  });

  it("throws nothing but its own errors on any body with a good checksum", async () => {
    const head = Buffer.from("PACK\0\0\0\x02", "latin1");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 4, maxLength: 80 }), async (bytes) => {
        const outcome = await checkPack(withChecksum(Buffer.concat([head, bytes]))).catch((error: unknown) => error);
        if (outcome instanceof Error)
          expect(["E_GIT_PROTOCOL", "E_UNSUPPORTED"]).toContain((outcome as { code?: string }).code);
      }),
      { numRuns: 500 },
    );
  });

  it("A16 refuses an object by what it says of its size, before it is unpacked", async () => {
    const bomb = buildPack([{ type: "blob", content: Buffer.alloc(2_000_000) }]);
    expect(bomb.length).toBeLessThan(5000);
    const refused = { code: "E_UNSUPPORTED", data: { sizeBytes: 2_000_000, maximumBytes: 1_000_000 } };
    await expect(checkPack(bomb, { maximumObjectBytes: 1_000_000 })).rejects.toMatchObject(refused);
    await expect(checkPack(bomb, { maximumTotalBytes: 1_000_000 })).rejects.toMatchObject(refused);
  });

  it("A16 refuses an object that unpacks to more than it says, and a delta that makes too much", async () => {
    const honest = buildPack([{ type: "blob", content: Buffer.from("x".repeat(15)) }]);
    const lying = Buffer.from(honest.subarray(0, -20));
    lying.writeUInt8((3 << 4) | 1, 12);
    await expect(checkPack(withChecksum(lying))).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    // A delta of four bytes: from 1 byte it makes 2 ** 21.
    const delta = buildPack([{ type: "blob", content: Buffer.from([1, 0x80, 0x80, 0x80, 0x01]) }]).subarray(0, -20);
    const entry = Buffer.concat([
      delta.subarray(0, 12),
      Buffer.from([(7 << 4) | 5]),
      Buffer.alloc(20),
      delta.subarray(13),
    ]);
    const limits = { maximumObjectBytes: 1_000_000 };
    await expect(checkPack(withChecksum(entry), limits)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  it("A57 refuses forty blobs of zeros before the fifth is unpacked, off the main thread", async () => {
    const zeros: GitObject = { type: "blob", content: Buffer.alloc(95 * 1024 ** 2) };
    const one = buildPack([zeros]).subarray(12, -20);
    const pack = repeated(one, 40);
    const before = process.cpuUsage();
    await expect(checkPack(pack)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await expect(checkPack(pack, { maximumObjectBytes: 100 * 1024 ** 2 })).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
    });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(3);
  });

  it("A57 refuses many small blobs of zeros by what they unpack to together", async () => {
    const pack = repeated(buildPack([{ type: "blob", content: Buffer.alloc(95_000) }]).subarray(12, -20), 5000);
    await expect(checkPack(pack)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
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
    await expect(checkPack(pack)).rejects.toMatchObject({
      code: "E_GIT_PROTOCOL",
      message: expect.stringContaining("builds on no earlier object") as string,
    });
  });

  it("A57 refuses deltas that copy a large object again and again", async () => {
    const target = 30 * 1024 ** 2;
    const size = [(target & 0x7f) | 0x80, ((target >> 7) & 0x7f) | 0x80, ((target >> 14) & 0x7f) | 0x80, target >> 21];
    const content = Buffer.from([...size, ...size, 0x80]);
    const plain = buildPack([{ type: "blob", content }]).subarray(13, -20);
    const entry = Buffer.concat([Buffer.from([(7 << 4) | content.length]), Buffer.alloc(20), plain]);
    const pack = repeated(entry, 40);
    await expect(checkPack(pack)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
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
    expect(await checkPack(pack)).toMatchObject({ objectCount: 24 });
    done.isDone = true;
    // 18 MiB in slices of 64 KiB.
    expect(turns).toBeGreaterThan(100);
  });

  it("A57 refuses a large object that unpacks to more or less than it says", async () => {
    const content = Buffer.alloc(1024 ** 2 + 5);
    const pack = buildPack([{ type: "blob", content }]).subarray(0, -20);
    for (const change of [1, -1]) {
      const lying = Buffer.from(pack);
      // The low four bits of the size are in the first byte.
      lying.writeUInt8((lying.readUInt8(12) & 0xf0) | (5 + change), 12);
      await expect(checkPack(withChecksum(lying))).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    }
  });
});

describe("packed refs", () => {
  it("are read without peeled tags, comments and damage", () => {
    const id = "1".repeat(40);
    const text = `# pack-refs with: peeled fully-peeled sorted \n${id} refs/heads/a\n${id} refs/tags/t\n^${id}\nrubbish\n123 refs/x\n`;
    expect([...parsePackedRefs(text)]).toEqual([
      ["refs/heads/a", id],
      ["refs/tags/t", id],
    ]);
  });

  it("are written sorted and read back", () => {
    const refs = new Map([
      ["refs/heads/b", "2".repeat(40)],
      ["refs/heads/a", "3".repeat(40)],
    ]);
    const text = formatPackedRefs(refs);
    expect(text.split("\n")[1]).toBe(`${"3".repeat(40)} refs/heads/a`);
    expect(new Map(parsePackedRefs(text))).toEqual(refs);
  });
});
