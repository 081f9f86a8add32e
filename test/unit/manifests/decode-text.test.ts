import { describe, expect, it } from "vitest";
import { decodeText, maxFileBytes } from "../../../src/manifests/decode-text.ts";

const encode = (text: string) => new TextEncoder().encode(text);

describe("decodeText", () => {
  it("gives the text without its byte order mark", () => {
    expect(decodeText(encode("\ufeffa: ä\n"))).toBe("a: ä\n");
  });

  it("A16 refuses a file over the limit before it looks at anything in it", () => {
    expect(decodeText(new Uint8Array(maxFileBytes).fill(0x61))).toHaveLength(maxFileBytes);
    expect(decodeText(new Uint8Array(maxFileBytes + 1).fill(0xff))).toMatchObject({
      code: "E_FILE_TOO_LARGE",
      line: 1,
      column: 1,
    });
  });

  it("says where bytes are not UTF-8", () => {
    const bytes = new Uint8Array([...encode("a: 1\nb: "), 0xff, 0x0a]);
    expect(decodeText(bytes)).toMatchObject({ code: "E_ENCODING", line: 2, column: 4 });
  });

  it("names UTF-16", () => {
    expect(decodeText(new Uint8Array([0xff, 0xfe, 0x61, 0x00]))).toMatchObject({
      code: "E_ENCODING",
      message: "the file is UTF-16 text, not UTF-8",
    });
  });

  it("A44 refuses control characters and says which and where", () => {
    expect(decodeText(encode("a: 1\nb: \u001b[31m\n"))).toMatchObject({
      code: "E_ENCODING",
      line: 2,
      column: 4,
      message: "the file has the control character U+001B, which YAML does not allow",
    });
  });
});
