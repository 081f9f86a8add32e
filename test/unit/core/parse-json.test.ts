import { describe, expect, it } from "vitest";
import { parseJson } from "../../../src/core/parse-json.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";

describe("parseJson", () => {
  it.each([
    ["null", null],
    ['{"a":[1,"[[[",{"b":"\\\\"}]}', { a: [1, "[[[", { b: "\\" }] }],
    ["", undefined],
    ['{"a":', undefined],
    ["[1]]", undefined],
  ])("reads %j", (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it("A17 refuses what is nested too deep or too long before it is parsed", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(parseJson(nested(128))).toBeInstanceOf(Array);
    expect(parseJson(nested(129))).toBeUndefined();
    expect(parseJson(`{"a":${nested(1_000_000)}}`)).toBeUndefined();
    expect(parseJson(`"${"a".repeat(100)}"`, { maxLength: 100 })).toBeUndefined();
    expect(parseJson(nested(3), { maxDepth: 2 })).toBeUndefined();
  });

  it.each([
    ['"aaa"', { maxLength: 5 }, "aaa"],
    ['"aaa"', { maxLength: 4 }, undefined],
    [String.raw`["\\",[1]]`, { maxDepth: 1 }, undefined],
    [String.raw`["\",[[",2]`, { maxDepth: 1 }, ['",[[', 2]],
    [String.raw`["\\\",[["]`, { maxDepth: 1 }, [String.raw`\",[[`]],
    ["[[],[],{}]", { maxDepth: 2 }, [[], [], {}]],
    ["[1,2,{}]", { maxDepth: 1 }, undefined],
    ["12", { maxDepth: 0 }, 12],
    ["[]", { maxDepth: 0 }, undefined],
  ])("A17 reads %s within %j", (text, bounds, value) => {
    expect(parseJson(text, bounds)).toEqual(value);
  });

  it("A163 reads the rest of a text when it empties what is nested deeper", () => {
    const read = (text: string): unknown => parseJson(text, { maxDepth: 2, deeper: "emptied" });
    expect(read('{"a":[[1,["]"]],{"b":{}},"[",[]],"c":{"d":[2]}}')).toEqual({ a: [[], {}, "[", []], c: { d: [] } });
    expect(read("[[1,2],[3]]")).toEqual([[1, 2], [3]]);
    for (const broken of ["[[[", "[[[]", "[[[]]", "[[[]]]]", '{"a":{"b":{"c']) expect(read(broken)).toBeUndefined();
    const deep = `{"items":[${"[".repeat(100_000)}${"]".repeat(100_000)},{"name":"other"}]}`;
    expect(read(deep)).toEqual({ items: [[], {}] });
    expect(parseJson(deep, { maxDepth: 3, deeper: "emptied" })).toEqual({ items: [[[]], { name: "other" }] });
  });

  it("A163 is linear in what it empties", () => {
    const text = `[[[${"[[]],".repeat(2_000_000)}[]]]]`;
    const cpuMs = leastCpuMs(() => parseJson(text, { maxDepth: 3, deeper: "emptied" }), 1500);
    expect(cpuMs).toBeLessThan(1500);
  });

  it("A17 takes no bracket of a text for a level, and is linear in backslashes and quotes", () => {
    const texts = [`"${"[".repeat(1000)}"`, `"${String.raw`\"[`.repeat(1000)}"`, `"${"\\".repeat(2000)}[["`];
    for (const text of texts) expect(parseJson(text)).toEqual(JSON.parse(text));
    for (const piece of [String.raw`\"`, "\\\\", '"', '["']) {
      const text = `"${piece.repeat(2_000_000)}`;
      expect(leastCpuMs(() => parseJson(text), 300)).toBeLessThan(300);
    }
  });
});
