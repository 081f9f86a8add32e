import { describe, expect, it } from "vitest";
import { parsePatch } from "../../../../src/embedded-hub/http/read-patch.ts";

function parse(operations: readonly object[]): ReturnType<typeof parsePatch> {
  // A number like 1.0 is remembered as it is written, by its path in the object.
  const text = JSON.stringify(operations).replaceAll(/"(-?\d[\d.e]*)"/gu, "$1");
  return parsePatch(Buffer.from(text), { kind: "json", isForced: false, isUnchecked: false });
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, () => "1.0");
}

describe("parsePatch of a JSON patch", () => {
  it("places numbers that are written in another way than their value is where the operations put them", async () => {
    const { problems } = await parse([
      { op: "add", path: "/data/a~1b", value: { c: ["1.0", "2"] } },
      { op: "replace", path: "/spec/ports/0/port", value: "1e1" },
      { op: "add", value: "3.0" },
    ]);
    expect([...(problems.literals ?? [])]).toEqual([
      ["data.a/b.c[0]", "1.0"],
      ["spec.ports[0].port", "1e1"],
    ]);
  });

  it.each([
    { what: "one value", operations: [{ op: "add", path: `/${"a".repeat(8_000)}`, value: "1.0" }] },
    { what: "many values", operations: [{ op: "add", path: `/${"a".repeat(5_000)}`, value: numbers(5_000) }] },
    {
      what: "values of many operations",
      operations: Array.from({ length: 100 }, () => ({ op: "add", path: `/${"a".repeat(7_000)}`, value: numbers(30) })),
    },
  ])("A209 refuses long paths of $what: each is named by the path of its operation", async ({ operations }) => {
    await expect(parse(operations)).rejects.toThrow(/paths of its fields are too long/u);
  });

  it("A209 refuses paths of more than 128 steps, which no value has", async () => {
    await expect(parse([{ op: "add", path: "/a".repeat(128), value: "1.0" }])).resolves.toBeDefined();
    await expect(parse([{ op: "add", path: "/a".repeat(129), value: "1.0" }])).rejects.toThrow(/more than 128 levels/u);
  });

  it("A209 refuses more values than an object may have before it names them", async () => {
    const add = { op: "add", path: "/data", value: numbers(20_001) };
    await expect(parse([add])).rejects.toThrow(/more than 20000 values/u);
  });
});
