import { describe, expect, it } from "vitest";
import { chunksOf, partsOf, sizeOf, textOf } from "../../../../src/embedded-hub/http/body-parts.ts";

const parts = ["{", "first", ",", "a much longer second one", "", "}"].map((text) => Buffer.from(text));

describe("the parts of a body", () => {
  it("are the same bytes in chunks of one size, whatever the size of the parts", () => {
    const whole = Buffer.concat(parts);
    for (const size of [1, 2, 7, whole.length, 1000]) {
      const chunks = [...chunksOf(parts, size)];
      expect(Buffer.concat(chunks).equals(whole)).toBe(true);
      expect(chunks.slice(0, -1).every(({ length }) => length === size)).toBe(true);
    }
    expect([...chunksOf([], 10)]).toEqual([]);
  });

  it("are one part of a text or of bytes", () => {
    expect(partsOf("é")).toEqual([Buffer.from("é")]);
    expect([sizeOf(parts), textOf(parts)]).toEqual([32, "{first,a much longer second one}"]);
  });
});
