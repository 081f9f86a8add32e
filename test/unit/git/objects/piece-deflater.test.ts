import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Chunks } from "../../../../src/core/chunks.ts";
import { PieceDeflater } from "../../../../src/git/objects/piece-deflater.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

/** As long as the checksums of so many clusters. */
function checksums(count: number, random: () => number): Buffer {
  const hex = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const lines = Array.from(
    { length: count },
    (_, index) => `${Array.from({ length: 8 }, hex).join("")}  clusters/c${index}\n`,
  );
  return Buffer.from(lines.join(""));
}

describe("PieceDeflater", () => {
  it("compresses of a next version what differs, in a fleet of any size", () => {
    const compressedFor = (count: number): number => {
      const deflater = new PieceDeflater();
      const content = checksums(count, seededRandom(1));
      deflater.deflate(content, Buffer.from(`blob ${content.length}\0`));
      const before = deflater.compressedBytes;
      const changed = Buffer.from(content);
      changed.write("0".repeat(64), 500);
      changed.write("0".repeat(64), 40_000);
      expect(inflateSync(deflater.deflate(changed)).equals(changed)).toBe(true);
      return deflater.compressedBytes - before;
    };
    expect(compressedFor(1000)).toBe(2 * 16 * 1024);
    expect(compressedFor(10_000)).toBe(2 * 16 * 1024);
  });

  it("compresses of a content in parts those that are new", () => {
    const deflater = new PieceDeflater();
    const parts = [1, 2, 3].map((seed) => checksums(500, seededRandom(seed)));
    const head = Buffer.from("blob 1\0");
    const content = new Chunks(parts);
    expect(inflateSync(deflater.deflate(content, head)).equals(Buffer.concat([head, ...parts]))).toBe(true);
    expect(deflater.compressedBytes).toBe(content.byteLength);
    const next = [checksums(400, seededRandom(4)), ...parts.slice(1)];
    expect(inflateSync(deflater.deflate(new Chunks(next))).equals(Buffer.concat(next))).toBe(true);
    expect(deflater.compressedBytes - content.byteLength).toBe(next[0]?.length);
  });

  it("compresses a small content in parts as one", () => {
    const stream = new PieceDeflater().deflate(new Chunks([Buffer.from("a"), Buffer.from("b")]));
    expect(stream.equals(new PieceDeflater().deflate(Buffer.from("ab")))).toBe(true);
  });

  it("keeps every byte over random versions of several contents", () => {
    const random = seededRandom(22);
    const deflater = new PieceDeflater();
    const contents = [1500, 3000, 900].map((count) => checksums(count, random));
    for (let round = 0; round < 60; round++) {
      const which = Math.floor(random() * contents.length);
      const bytes = contents[which] ?? Buffer.alloc(0);
      const at = Math.floor(random() * bytes.length);
      const inserted = round % 3 === 0 ? checksums(1 + Math.floor(random() * 600), random) : Buffer.from("x");
      const next = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + (round % 2 === 0 ? 1 : 70))]);
      contents[which] = next;
      const head = Buffer.from(`blob ${next.length}\0`);
      const stream = round % 5 === 0 ? deflater.deflate(next) : deflater.deflate(next, head);
      const whole = round % 5 === 0 ? next : Buffer.concat([head, next]);
      expect(inflateSync(stream).equals(whole)).toBe(true);
      expect(new PieceDeflater().deflate(next, round % 5 === 0 ? undefined : head).equals(stream)).toBe(true);
    }
  });

  it.each([0, 1, 16_384, 65_535, 65_536, 65_537, 81_920])("compresses %s bytes", (count) => {
    const content = Buffer.alloc(count, 0xff);
    const stream = new PieceDeflater().deflate(content, Buffer.from(`blob ${count}\0`));
    expect(inflateSync(stream).subarray(`blob ${count}\0`.length).equals(content)).toBe(true);
  });

  it("makes a stream hardly larger than one that is compressed as a whole", () => {
    const content = checksums(10_000, seededRandom(3));
    const whole = new PieceDeflater().deflate(content.subarray(0, 60_000)).length / 60_000;
    expect(new PieceDeflater().deflate(content).length / content.length).toBeLessThan(whole * 1.05);
  });

  it("remembers no content of more than 48 MiB", () => {
    const deflater = new PieceDeflater();
    const content = Buffer.alloc(48 * 1024 ** 2 + 1);
    for (const _time of [1, 2]) deflater.deflate(content);
    expect(deflater.compressedBytes).toBe(2 * content.length);
    for (const _time of [1, 2]) deflater.deflate(content.subarray(1));
    expect(deflater.compressedBytes).toBe(3 * content.length - 1);
  });
});
