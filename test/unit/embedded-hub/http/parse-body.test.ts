import { describe, expect, it } from "vitest";
import { parseBody } from "../../../../src/embedded-hub/http/parse-body.ts";

const expected = { group: "", version: "v1", kind: "ConfigMap" };

function parse(text: string): ReturnType<typeof parseBody> {
  return parseBody(Buffer.from(text), { encoding: "json", expected });
}

function nested(name: string, levels: number, inner: string): string {
  return `${`{"${name}":`.repeat(levels)}${inner}${"}".repeat(levels)}`;
}

describe("parseBody", () => {
  it.each([
    { what: "keys that stand twice", inner: `{"a":1,"a":1,"b":1,"b":1}` },
    { what: "numbers that are written in another way", inner: "[1.0,1.0]" },
    { what: "values", inner: `{"a":[1,2,3]}` },
  ])("A96 refuses $what below a key of a megabyte: each is named by its path", async ({ inner }) => {
    await expect(parse(`{"data":{"${"k".repeat(1_000_000)}":${inner}}}`)).rejects.toThrow(
      /paths of its fields are too long/u,
    );
  });

  it("A96 refuses many keys that are there twice far down, which together have long paths", async () => {
    const twice = Array.from({ length: 20_000 }, (_, index) => `"${index}":1,"${index}":1`).join(",");
    await expect(parse(nested("k".repeat(60), 100, `{${twice}}`))).rejects.toThrow(/paths of its fields are too long/u);
  });

  it("takes long texts, deep values and long keys", async () => {
    const { value } = await parse(
      `{"data":{"${"k".repeat(7_000)}":"${"v".repeat(1_000_000)}"},"x":${nested("k", 120, "1")}}`,
    );
    expect(Object.keys(value)).toEqual(["data", "x"]);
  });

  it("A96 refuses values that are nested more than 128 levels deep, and takes those of 128", async () => {
    const { value } = await parse(`{"x":${nested("k", 127, "1")}}`);
    expect(Object.keys(value)).toEqual(["x"]);
    for (const inner of [nested("k", 128, "1"), `${"[".repeat(128)}${"]".repeat(128)}`])
      await expect(parse(`{"x":${inner}}`)).rejects.toThrow(/nested more than 128 levels deep/u);
  });

  it("counts the path of each value by its own names", async () => {
    const long = `"${"k".repeat(5_000)}"`;
    const { value } = await parse(`{"a":{${long}:[1,{"b":2}],"c":{${long}:3}},"d":[{${long}:4}]}`);
    expect(Object.keys(value)).toEqual(["a", "d"]);
  });

  it("A96 names the first hundred keys that are there twice, as kube-apiserver does", async () => {
    const twice = Array.from({ length: 150 }, (_, index) => `"k${index}":1,"k${index}":2`).join(",");
    const { problems } = await parse(`{"data":{${twice}}}`);
    expect(problems.single).toHaveLength(100);
    expect([problems.single.at(0), problems.single.at(-1)]).toEqual([
      'duplicate field "data.k0"',
      'duplicate field "data.k99"',
    ]);
  });
});
