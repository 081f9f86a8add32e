import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { nameObject } from "../../../../src/git/objects/git-object.ts";
import { largeBlobBytes, makePackBudget } from "../../../../src/git/wire/pack-limits.ts";
import { createPackContents } from "../../../../src/git/wire/pack-contents.ts";
import { emptyObject } from "../../../../src/git/wire/packed-object.ts";
import { readPackObjects } from "../../../../src/git/wire/pack-objects.ts";
import { entryHead, packOf } from "../../../support/git-packs.ts";

const turns = { pass: () => undefined };
const blob = 3;
const idOf = (text: string): Buffer => Buffer.from(nameObject("blob", Buffer.from(text), "sha1").id, "hex");

function whole(text: string | Buffer, typeCode = blob): Buffer {
  return Buffer.concat([entryHead(typeCode, text.length), deflateSync(text)]);
}

/** A delta that adds `text` to nothing of its base. */
function deltaOf(baseLength: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([baseLength, text.length, text.length]), Buffer.from(text)]);
}

function onId(base: Buffer, delta: Buffer): Buffer {
  return Buffer.concat([entryHead(7, delta.length), base, deflateSync(delta)]);
}

function onPlace(distance: number, delta: Buffer): Buffer {
  return Buffer.concat([entryHead(6, delta.length), Buffer.from([distance]), deflateSync(delta)]);
}

async function read(entries: readonly Buffer[], maximumObjectBytes = 1_000) {
  const body = packOf(entries).subarray(0, -20);
  const objects = await readPackObjects(body, makePackBudget({ maximumObjectBytes }, body.length), turns);
  return objects.map(({ id, type, contentBytes, isLeftOut }) => ({
    id: id === undefined ? undefined : Buffer.from(id, "latin1"),
    ...{ type, contentBytes, isLeftOut },
  }));
}

const blobOf = (text: string) => ({ id: idOf(text), type: "blob", contentBytes: text.length, isLeftOut: false });

describe("readPackObjects", () => {
  const base = whole("base");
  const second = onId(idOf("base"), deltaOf(4, "two"));
  const third = onId(idOf("two"), deltaOf(3, "3"));

  it.each([
    ["behind its base", [base, second, third], ["base", "two", "3"]],
    ["before its base", [third, second, base], ["3", "two", "base"]],
    ["around its base", [second, base, third], ["two", "base", "3"]],
    ["twice before its base", [second, onId(idOf("base"), deltaOf(4, "other")), base], ["two", "other", "base"]],
    [
      "by its place, on a delta that waits",
      [second, onPlace(second.length, deltaOf(3, "placed")), base],
      ["two", "placed", "base"],
    ],
    [
      "by its place, on an object between others",
      [whole("a"), base, whole("b"), onPlace(base.length + whole("b").length, deltaOf(4, "placed"))],
      ["a", "base", "b", "placed"],
    ],
  ])("resolves a delta %s", async (_where, entries, texts) => {
    expect(await read(entries)).toEqual(texts.map(blobOf));
  });

  it.each([
    ["misses the base of a delta", [base, third], "misses objects"],
    ["has a delta that builds on itself by its id", [onId(idOf("self"), deltaOf(4, "self"))], "misses objects"],
    ["has more than its objects", [Buffer.concat([base, Buffer.from("x")])], "more than its objects"],
  ])("refuses a pack that %s", async (_what, entries, text) => {
    await expect(read(entries)).rejects.toMatchObject({
      code: "E_GIT_PROTOCOL",
      message: expect.stringContaining(text) as unknown,
    });
  });

  it("takes an object as large as may be, and leaves out a larger blob, whose id is known all the same", async () => {
    const [most, more] = ["x".repeat(100), "x".repeat(101)];
    expect(await read([whole(most), whole(more)], 100)).toEqual([blobOf(most), { ...blobOf(more), isLeftOut: true }]);
    const large = { type: "blob", id: undefined, isLeftOut: true };
    const grown = onId(idOf("base"), deltaOf(4, "y".repeat(101)));
    const onMore = onId(idOf(more), deltaOf(101, "z"));
    expect(await read([base, onId(idOf("base"), deltaOf(4, "y".repeat(100)))], 103)).toEqual([
      ...["base", "y".repeat(100)].map(blobOf),
    ]);
    expect(await read([base, grown, whole(more), onMore], 100)).toEqual([
      blobOf("base"),
      { ...large, contentBytes: 104 },
      { ...blobOf(more), isLeftOut: true },
      { ...large, contentBytes: 1 },
    ]);
    expect(await read([grown, base], 100)).toEqual([{ ...large, contentBytes: 104 }, blobOf("base")]);
  });

  it("makes the content of a base again that is not kept, through the deltas between", async () => {
    const entries = [base, second, third];
    const body = packOf(entries).subarray(0, -20);
    const made: number[] = [];
    const budget = { ...makePackBudget({}, 0), make: (sizeBytes: number) => void made.push(sizeBytes) };
    const contents = createPackContents(body, budget, turns);
    const starts = [12, 12 + base.length, 12 + base.length + second.length];
    const [one, two, three] = starts.map(emptyObject);
    if (!one || !two || !three) throw new Error("three were made");
    [two.base, three.base, one.contentBytes] = [one, two, 4];
    expect(String(await contents.of(three))).toBe("3");
    expect(made).toEqual([4, 3, 1]);
    expect([one.end, two.end, three.end]).toEqual([starts[1], starts[2], body.length]);
    // All three are kept from then on.
    expect((await Promise.all([three, two, one].map((object) => contents.of(object)))).map(String)).toEqual([
      "3",
      "two",
      "base",
    ]);
    expect(made.length).toBe(3);
    contents.keep(two, Buffer.from("kept"));
    expect(String(await contents.of(two))).toBe("kept");
  });

  it.each([1, 2, 4])("refuses an object of type %i that is too large", async (typeCode) => {
    await expect(read([whole("x".repeat(101), typeCode)], 100)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      data: { sizeBytes: 101, maximumBytes: 100 },
    });
  });
});

describe("makePackBudget", () => {
  it("takes as much as may be, and refuses one byte more", () => {
    const limits = { maximumInflatedBytes: 2 * largeBlobBytes, maximumTotalBytes: 3 * largeBlobBytes };
    const budget = makePackBudget(limits, 0);
    budget.inflate(largeBlobBytes);
    // Smaller ones that deltas make count among these alone.
    budget.make(largeBlobBytes - 1);
    budget.make(largeBlobBytes);
    budget.make(largeBlobBytes - 1);
    budget.make(2);
    expect(() => budget.make(1)).toThrow(`unpacks to ${3 * largeBlobBytes + 1} bytes where ${3 * largeBlobBytes}`);
    expect(() => budget.inflate(1)).toThrow(`unpacks to ${2 * largeBlobBytes + 1} bytes where ${2 * largeBlobBytes}`);
  });
});
