import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodePacket, encodePackets, readPackets } from "../../../../src/git/wire/pkt-line.ts";
import type { Packet } from "../../../../src/git/wire/pkt-line.ts";
import { readSideBand } from "../../../../src/git/wire/side-band.ts";

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let position = 0;
  for (let turn = 0; position < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(position, position + size);
    position += size;
  }
}

async function readAll(bytes: Uint8Array, sizes: readonly number[] = [1 << 20]): Promise<string[]> {
  const seen: string[] = [];
  for await (const packet of readPackets(chunked(bytes, sizes))) {
    seen.push(packet.kind === "data" ? packet.content.toString("latin1") : packet.kind);
  }
  return seen;
}

describe("encodePacket", () => {
  it("puts the length before the line", () => {
    expect(encodePacket("a\n").toString()).toBe("0006a\n");
    expect(encodePacket("").toString()).toBe("0004");
    expect(encodePacket("ü").toString("latin1")).toBe("0006Ã¼");
  });

  it("refuses a line that no packet can carry", () => {
    expect(encodePacket("x".repeat(65_516))).toHaveLength(65_520);
    expect(() => encodePacket("x".repeat(65_517))).toThrow(expect.objectContaining({ code: "E_GIT_PROTOCOL" }));
  });

  it("writes a request with its markers", () => {
    expect(encodePackets(["command=ls-refs\n", "0001", "peel\n", "0000"]).toString()).toBe(
      "0014command=ls-refs\n00010009peel\n0000",
    );
  });
});

describe("readPackets", () => {
  it("gives lines and markers in order", async () => {
    expect(await readAll(Buffer.from("0006a\n0000000100020004"))).toEqual(["a\n", "flush", "delimiter", "end", ""]);
  });

  it("gives the same whatever the pieces are that arrive", async () => {
    const lines = fc.array(fc.string({ maxLength: 300, unit: "binary" }), { maxLength: 8 });
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(lines, sizes, async (texts, pieces) => {
        const bytes = Buffer.concat(texts.map((text) => encodePacket(text)));
        const expected = texts.map((text) => Buffer.from(text, "utf8").toString("latin1"));
        expect(await readAll(bytes, pieces)).toEqual(expected);
      }),
    );
  });

  it.each([
    { bytes: "000", reason: "a length that is cut off" },
    { bytes: "0009abc", reason: "a line that is cut off" },
    { bytes: "0003", reason: "a length below its own" },
    { bytes: "fff1", reason: "a length over the limit" },
    { bytes: "+00a123456", reason: "a sign" },
    { bytes: " 0a", reason: "a space" },
    { bytes: "HTTP/1.1 200", reason: "something else" },
  ])("refuses $reason", async ({ bytes }) => {
    await expect(readAll(Buffer.from(bytes))).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
  });

  it("throws nothing but its own error on any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const outcome = await readAll(bytes, [7]).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "E_GIT_PROTOCOL" });
      }),
    );
  });
});

describe("readSideBand", () => {
  async function* packets(...lines: (string | null)[]): AsyncGenerator<Packet> {
    for (const line of lines) yield line === null ? { kind: "flush" } : { kind: "data", content: Buffer.from(line) };
  }
  const fail = (text: string): never => {
    throw new Error(`fatal: ${text}`);
  };

  it("takes the bands apart up to the flush", async () => {
    const content: string[] = [];
    const messages: string[] = [];
    const stream = packets("\u0001ab", "\u0002progress", "\u0001cd", null, "\u0001after");
    await readSideBand(stream, {
      onData: (piece) => content.push(piece.toString()),
      onMessage: (text) => messages.push(text),
      onError: fail,
    });
    expect([content, messages]).toEqual([["ab", "cd"], ["progress"]]);
  });

  it("gives the reason on band three", async () => {
    const work = readSideBand(packets("\u0001ab", "\u0003no memory\n"), { onData: () => undefined, onError: fail });
    await expect(work).rejects.toThrow("fatal: no memory");
  });

  it.each([{ lines: ["\u0001ab"] }, { lines: ["\u0009x", null] }, { lines: ["", null] }])(
    "refuses an answer without an end or without bands: $lines",
    async ({ lines }) => {
      const work = readSideBand(packets(...lines), { onData: () => undefined, onError: fail });
      await expect(work).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    },
  );
});
