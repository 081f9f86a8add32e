import { describe, expect, it } from "vitest";
import { pemBlocks } from "../../../../src/embedded-hub/certificates/pem-blocks.ts";

const blockOf = (type: string, content: string, end = type) =>
  `-----BEGIN ${type}-----\n${content}\n-----END ${end}-----\n`;
const shown = (text: string) => pemBlocks(text).map(({ type, bytes }) => [type, bytes.toString("latin1")]);

describe("the blocks of a PEM text", () => {
  it("are read in order, whatever is between them", () => {
    const text = `first\n${blockOf("A", "YWI=")}second\r\n${blockOf("B C", "Y2Q=").replaceAll("\n", "\r\n")}`;
    expect(shown(text)).toEqual([
      ["A", "ab"],
      ["B C", "cd"],
    ]);
  });

  it.each([
    { reason: "it has no end", text: "-----BEGIN A-----\nYWI=\n" },
    { reason: "its end is that of another type", text: blockOf("A", "YWI=", "B") },
    { reason: "it is no base64", text: blockOf("A", "Y?I=") },
    { reason: "its base64 is cut off", text: blockOf("A", "YWI") },
    { reason: "its line is not whole", text: "-----BEGIN A\nYWI=\n-----END A-----\n" },
  ])("leave out one when $reason", ({ text }) => {
    expect(shown(text + blockOf("B", "YWI="))).toEqual([["B", "ab"]]);
  });

  it("record whether they have headers", () => {
    const [block] = pemBlocks(blockOf("A", "Key: value\n\nYWI="));
    expect([block?.hasHeaders, block?.bytes.toString()]).toEqual([true, "ab"]);
  });
});
