import { describe, expect, it } from "vitest";
import { applyDelta, deltaTargetSize } from "../../../../src/git/wire/apply-delta.ts";

const base = Buffer.from("0123456789");
const noTurns = { pass: () => undefined };

/** The size that a delta starts with. Source: git, gitformat-pack(5), "size encoding". */
function sizeOf(bytes: number): number[] {
  return bytes < 128 ? [bytes] : [0x80 | (bytes & 0x7f), ...sizeOf(bytes >> 7)];
}

/** A delta of `base` that makes `size` bytes. */
function deltaOf(size: number, ...ops: readonly number[]): Buffer {
  return Buffer.from([...sizeOf(base.length), ...sizeOf(size), ...ops]);
}

const insert = (text: string): number[] => [text.length, ...Buffer.from(text)];
/** One byte of the start and one of the length. */
const copy = (start: number, length: number): number[] => [0x91, start, length];

describe("applyDelta", () => {
  it.each([
    ["abc", insert("abc")],
    ["0123456789", copy(0, 10)],
    ["89ab01", [...copy(8, 2), ...insert("ab"), 0x90, 2]],
    ["", []],
  ])("makes %j", async (text, ops) => {
    const delta = deltaOf(text.length, ...ops);
    expect(deltaTargetSize(delta)).toBe(text.length);
    expect(String(await applyDelta(base, delta, noTurns))).toBe(text);
  });

  it("reads each byte of a start and of a length, and takes a length of none for 64 KiB", async () => {
    const large = Buffer.alloc(0x01_02_04_00, ".");
    const start = 0x01_02_03_04;
    large.write("start", start);
    const head = [...sizeOf(large.length)];
    const from = (...ops: number[]) => Buffer.from([...head, ...ops]);
    const five = await applyDelta(large, from(5, 0x9f, 0x04, 0x03, 0x02, 0x01, 5), noTurns);
    expect(String(five)).toBe("start");
    const long = await applyDelta(large, from(...sizeOf(0x01_01_01), 0xf0, 0x01, 0x01, 0x01), noTurns);
    expect(long.length).toBe(0x01_01_01);
    const default64 = await applyDelta(large, from(...sizeOf(0x1_00_00), 0x80), noTurns);
    expect(default64.equals(large.subarray(0, 0x1_00_00))).toBe(true);
  });

  it.each([
    ["of another base", Buffer.from([9, 1, ...insert("a")]), "another object than its base"],
    ["that ends within a size", Buffer.from([10, 0x80]), "cut off"],
    ["without a size", Buffer.from([]), "cut off"],
    ["with an operation of none", deltaOf(1, 0), "beyond its base or its result"],
    ["that copies from behind its base", deltaOf(2, ...copy(9, 2)), "beyond its base or its result"],
    ["that copies more than it declares", deltaOf(2, ...copy(0, 3)), "beyond its base or its result"],
    ["that inserts more than it declares", deltaOf(2, ...insert("abc")), "beyond its base or its result"],
    ["that ends within what it inserts", deltaOf(3, 3, 0x61, 0x62), "beyond its base or its result"],
    ["that makes less than it declares", deltaOf(4, ...insert("abc")), "makes less than it declares"],
  ])("A57 refuses a delta %s", async (_what, delta, message) => {
    await expect(applyDelta(base, delta, noTurns)).rejects.toMatchObject({
      code: "E_GIT_PROTOCOL",
      message: expect.stringContaining(message) as string,
    });
  });

  it("lets others have their turn after each 4,096 operations", async () => {
    let turns = 0;
    const count = 2 * 4096 + 1;
    const ops = Array.from({ length: count }, () => insert("a")).flat();
    const pass = (): undefined => {
      turns += 1;
    };
    expect((await applyDelta(base, deltaOf(count, ...ops), { pass })).length).toBe(count);
    expect(turns).toBe(2);
  });
});
