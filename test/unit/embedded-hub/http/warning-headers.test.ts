import { describe, expect, it } from "vitest";
import { warningHeaders } from "../../../../src/embedded-hub/http/warning-headers.ts";

const texts = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index} `.padEnd(length, "x"));

describe("warningHeaders", () => {
  it("are quoted, in UTF-8, each text once", () => {
    expect(warningHeaders(['a "b" \\', "ä\n", "ä\n"])).toEqual([
      '299 - "a \\"b\\" \\\\"',
      Buffer.from('299 - "ä "', "utf8").toString("latin1"),
    ]);
  });

  it("have 4096 characters of text together, not counting what is around them", () => {
    expect(warningHeaders(texts(128, 32))).toHaveLength(128);
    expect(warningHeaders(["😀".repeat(4096)])).toHaveLength(1);
  });

  it("beyond that are cut, not left out", () => {
    const headers = warningHeaders(texts(3, 3000));
    expect(headers.map((header) => header.length)).toEqual([256, 256, 256].map((length) => length + '299 - ""'.length));
    expect(warningHeaders(["😀".repeat(5000)])).toEqual([
      Buffer.from(`299 - "${"😀".repeat(256)}"`).toString("latin1"),
    ]);
  });

  it("end at 4096 characters of what is cut", () => {
    expect(warningHeaders(texts(100, 1000))).toHaveLength(16);
    expect(warningHeaders(texts(1000, 30))).toHaveLength(137);
  });
});
