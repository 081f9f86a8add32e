import { describe, expect, it } from "vitest";
import { collectBytes, inLargerPieces } from "../../../src/core/collect-bytes.ts";
import { heldBytes } from "../../support/held-bytes.ts";
import { seededRandom } from "../../support/seeded-random.ts";

describe("collectBytes", () => {
  it("gives the bytes of all pieces in their order, whatever their sizes", () => {
    const random = seededRandom(1);
    const sizes = Array.from({ length: 300 }, () => Math.floor(10 ** (random() * 5)));
    const whole = Buffer.from(Array.from({ length: 1 << 20 }, (_, index) => (index * 7) % 251));
    const collected = collectBytes();
    let start = 0;
    for (const size of sizes) {
      collected.add(whole.subarray(start, start + size));
      start = Math.min(whole.length, start + size);
    }
    expect(collected.sizeBytes).toBe(start);
    expect(collected.take().equals(whole.subarray(0, start))).toBe(true);
    expect(collected.take()).toHaveLength(0);
  });

  it("A54 A56 holds no more than twice the bytes when each comes alone", () => {
    const collected = collectBytes();
    const piece = Buffer.from("x");
    const heldBefore = heldBytes();
    for (let count = 0; count < 1_000_000; count += 1) collected.add(piece);
    expect(heldBytes() - heldBefore).toBeLessThan(2_500_000);
    expect(collected.take()).toHaveLength(1_000_000);
  });
});

describe("inLargerPieces", () => {
  it("joins small pieces and passes large ones on", async () => {
    const pieces = ["a", "b", "cd", "efghij", "k"].map((text) => Buffer.from(text));
    const joined: string[] = [];
    for await (const piece of inLargerPieces(each(pieces), 4)) joined.push(Buffer.from(piece).toString());
    expect(joined).toEqual(["abcd", "efghij", "k"]);
  });

  it.each([
    [[1, 2], [3]],
    [[4], [4]],
    [
      [3, 4, 5],
      [7, 5],
    ],
    [
      [4, 1, 9, 2, 2],
      [4, 10, 4],
    ],
    [[0, 4, 0], [4]],
    [[], []],
  ])("makes of pieces of %j bytes pieces of %j", async (sizes, made) => {
    const pieces = sizes.map((size) => Buffer.alloc(size, size));
    const found: Uint8Array[] = [];
    for await (const piece of inLargerPieces(each(pieces), 4)) found.push(piece);
    expect(found.map(({ length }) => length)).toEqual(made);
    expect(Buffer.concat(found)).toEqual(Buffer.concat(pieces));
    // A large one behind nothing is not copied.
    const first = pieces.find(({ length }) => length > 0);
    if (first !== undefined && first.length >= 4) expect(found[0]).toBe(first);
  });
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
