import { describe, expect, it } from "vitest";
import { scanBlockScalar } from "../../../src/manifests/scan-block-scalar.ts";

/** Reads the block scalar that is the value of `a`, a key in the first column. */
function scanned(text: string): { readonly value: string; readonly rest: string } | undefined {
  const scalar = scanBlockScalar(text, { at: 3, lineEnd: text.indexOf("\n"), indent: 0 });
  return scalar && { value: scalar.value, rest: text.slice(scalar.lineEnd + 1) };
}

describe("scanBlockScalar", () => {
  it.each([
    { form: "a text of lines", text: "a: |\n  b\n   c \n\n  d\nk: 1\n", value: "b\n c \n\nd\n", rest: "k: 1\n" },
    {
      form: "the same without its last line end",
      text: "a: |-\n  b\n  c\n\n\nk: 1\n",
      value: "b\nc",
      rest: "\n\nk: 1\n",
    },
    { form: "lines that are folded", text: "a: > \n b\n c\n\n\n d\n", value: "b c\n\nd\n", rest: "" },
    { form: "the same without its line end", text: "a: >-\n b\n c\n--- # d\n", value: "b c", rest: "--- # d\n" },
    { form: "what is a comment elsewhere", text: "a: |\n # b\n", value: "# b\n", rest: "" },
  ])("reads $form", ({ text, value, rest }) => {
    expect(scanned(text)).toEqual({ value, rest });
  });

  it.each([
    ["another header", "a: |+\n  b\n"],
    ["no text", "a: |\nk: 1\n"],
    ["nothing behind it", "a: |\n"],
    ["a blank line in front", "a: |\n\n  b\n"],
    ["a line of spaces", "a: |\n  b\n  \n  c\n"],
    ["a comment behind it", "a: |\n  b\n # c\nk: 1\n"],
    ["a last line without its end", "a: |\n  b"],
    ["a deeper line that is folded", "a: >\n  b\n    c\n"],
    ["a space at the end of a line that is folded", "a: >\n  b \n  c\n"],
  ])("leaves to the parser %s", (_form, text) => {
    expect(scanned(text)).toBeUndefined();
  });
});
