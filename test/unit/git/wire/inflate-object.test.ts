import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inflateObject } from "../../../../src/git/wire/inflate-object.ts";

const turns = { pass: () => undefined };

async function inflate(compressed: Buffer, sizeBytes: number) {
  const pieces: Buffer[] = [];
  const usedBytes = await inflateObject(compressed, sizeBytes, { onPiece: (piece) => pieces.push(piece), turns });
  return { usedBytes, content: Buffer.concat(pieces) };
}

/** The last one is unpacked in slices. */
describe.each([1, 63, 1_000, 300_000, 1_500_000])("an object of %i bytes", (sizeBytes) => {
  const content = Buffer.from(Array.from({ length: sizeBytes }, (_, index) => (index * 7919) % 251));
  const compressed = deflateSync(content);

  it("is unpacked, whatever is behind it", async () => {
    for (const rest of [Buffer.alloc(0), Buffer.alloc(200_000, 1)]) {
      const inflated = await inflate(Buffer.concat([compressed, rest]), sizeBytes);
      expect(inflated.usedBytes).toBe(compressed.length);
      expect(inflated.content.equals(content)).toBe(true);
    }
  });

  it.each([
    ["has one byte more than it declares", compressed, -1],
    ["has one byte less than it declares", compressed, 1],
    ["is cut off", compressed.subarray(0, -5), 0],
    [
      "has another checksum",
      Buffer.concat([compressed.subarray(0, -1), Buffer.from([(compressed.at(-1) ?? 0) ^ 1])]),
      0,
    ],
    ["is no object", Buffer.from("zzzz"), 0],
  ])("is refused when it %s", async (_what, bytes, change) => {
    await expect(inflate(bytes, sizeBytes + change)).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
  });
});
