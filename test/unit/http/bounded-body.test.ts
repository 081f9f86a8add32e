import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { boundedBody } from "../../../src/http/bounded-body.ts";

async function read(body: Readable, maximumBytes: number): Promise<{ pieces: number[]; error?: unknown }> {
  const pieces: number[] = [];
  try {
    for await (const piece of boundedBody(body, maximumBytes, () => new Error("too large"))) pieces.push(piece.length);
  } catch (error) {
    return { pieces, error };
  }
  return { pieces };
}

describe("boundedBody", () => {
  it.each([
    { maximumBytes: 6, pieces: [3, 2, 1], isTooLarge: false },
    { maximumBytes: 5, pieces: [3, 2], isTooLarge: true },
    { maximumBytes: 2, pieces: [], isTooLarge: true },
  ])("gives $pieces of six bytes where $maximumBytes are allowed", async ({ maximumBytes, pieces, isTooLarge }) => {
    const body = Readable.from([Buffer.alloc(3), Buffer.alloc(2), Buffer.alloc(1)]);
    const found = await read(body, maximumBytes);
    expect(found).toEqual({ pieces, ...(isTooLarge ? { error: new Error("too large") } : {}) });
    expect(body.destroyed).toBe(true);
  });

  it("drops the rest of a body that is not read to its end", async () => {
    const body = Readable.from([Buffer.alloc(3), Buffer.alloc(2)]);
    for await (const piece of boundedBody(body, 100, () => new Error("too large"))) {
      expect(piece).toHaveLength(3);
      break;
    }
    expect(body.destroyed).toBe(true);
    expect(body.listenerCount("error")).toBeGreaterThan(0);
  });

  it("passes over what is no bytes", async () => {
    expect(await read(Readable.from(["text", Buffer.alloc(2)]), 2)).toEqual({ pieces: [2] });
  });
});
