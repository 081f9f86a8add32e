import { expect, it } from "vitest";
import { Chunks, digestOfChunks, partsOf } from "../../../src/core/chunks.ts";
import { sha256Hex } from "../../../src/core/digest.ts";

it("reads and hashes as one content, also where a character is cut", () => {
  const bytes = Buffer.from("größe\n");
  const chunks = new Chunks([bytes.subarray(0, 3), Buffer.alloc(0), bytes.subarray(3)]);
  expect([chunks.byteLength, chunks.parts.length]).toEqual([bytes.length, 2]);
  expect(String(chunks)).toBe("größe\n");
  expect(digestOfChunks(chunks)).toBe(sha256Hex("größe\n"));
});

it("has no part without bytes", () => {
  const none = new Chunks([Buffer.alloc(0)]);
  expect([none.parts, none.byteLength, String(none)]).toEqual([[], 0, ""]);
});

it("takes bytes as one part", () => {
  const bytes = Buffer.from("a");
  expect(partsOf(bytes)).toEqual([bytes]);
  expect(partsOf(new Chunks([bytes, bytes]))).toEqual([bytes, bytes]);
});
