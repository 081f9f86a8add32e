import { describe, expect, it } from "vitest";
import { decodeText, maxFileBytes } from "../../../src/manifests/decode-text.ts";

const encode = (text: string) => new TextEncoder().encode(text);

describe("decodeText", () => {
  it("gives the text without its byte order mark", () => {
    expect(decodeText(encode("\ufeffa: ä\n"))).toBe("a: ä\n");
  });

  it("A16 refuses a file over the limit before it reads anything in it", () => {
    expect(decodeText(new Uint8Array(maxFileBytes).fill(0x61))).toHaveLength(maxFileBytes);
    expect(decodeText(new Uint8Array(maxFileBytes + 1).fill(0xff))).toEqual({
      code: "E_FILE_TOO_LARGE",
      line: 1,
      column: 1,
      message: "the file has 257 KiB, more than the 256 KiB that are read; nothing in it was checked",
      fix: "Split it into several files, or list it in .rollcallignore when it declares nothing of the fleet.",
    });
  });

  it("names the place where bytes are not UTF-8", () => {
    const bytes = new Uint8Array([...encode("a: 1\nb: "), 0xff, 0x0a]);
    expect(decodeText(bytes)).toMatchObject({ code: "E_ENCODING", line: 2, column: 4 });
  });

  it.each([
    { reason: "the lower byte first", bytes: [0xff, 0xfe, 0x61, 0x00] },
    { reason: "the higher byte first", bytes: [0xfe, 0xff, 0x00, 0x61] },
  ])("names UTF-16 with $reason", ({ bytes }) => {
    expect(decodeText(new Uint8Array(bytes))).toEqual({
      code: "E_ENCODING",
      line: 1,
      column: 1,
      message: "the file is UTF-16 text, not UTF-8",
    });
  });

  it.each([
    { bytes: [0x61, 0x00, 0x3a, 0x00], from: "UTF-16LE" },
    { bytes: [0x00, 0x61, 0x00, 0x3a], from: "UTF-16BE" },
    { bytes: [0x61, 0x00, 0xfc, 0x00], from: "UTF-16LE" },
  ])("names $from without a byte order mark: $bytes", ({ bytes, from }) => {
    expect(decodeText(new Uint8Array(bytes))).toEqual({
      code: "E_ENCODING",
      line: 1,
      column: 1,
      message: "the file is UTF-16 text, not UTF-8",
      fix: `Save the file as UTF-8, for example with \`iconv -f ${from} -t UTF-8 FILE > NEW\`.`,
    });
  });

  it.each([
    [[0x00]],
    [[0x00, 0x00]],
    [[0x61, 0x3a, 0x00]],
    // Other files, such as fonts and pictures.
    [[0x00, 0x01, 0x00, 0x00]],
    [[0x00, 0x01, 0x02, 0x00]],
    [[0x61, 0x00, 0x00, 0x00]],
    [[0x61, 0x00, 0x62]],
  ])("takes no other zeros for UTF-16: %j", (bytes) => {
    expect(decodeText(new Uint8Array(bytes))).toMatchObject({
      message: "the file has the control character U+0000, which YAML does not allow",
    });
  });

  it.each([
    { bytes: [0xff, 0x61], column: 1 },
    { bytes: [0xfe, 0x61], column: 1 },
    { bytes: [0xff, 0xff], column: 1 },
    { bytes: [0xfe, 0xfe], column: 1 },
    { bytes: [0x61, 0xfe], column: 2 },
    { bytes: [0x61, 0xff], column: 2 },
  ])("takes no other bytes for UTF-16: $bytes", ({ bytes, column }) => {
    expect(decodeText(new Uint8Array(bytes))).toEqual({
      code: "E_ENCODING",
      line: 1,
      column,
      message: "the file is not UTF-8 text",
      // `iconv -f UTF-16` would make other text of it.
      fix: "Save the file as UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW`.",
    });
  });

  it("A44 refuses control characters and names which and where", () => {
    expect(decodeText(encode("a: 1\nb: \u001b[31m\n"))).toMatchObject({
      code: "E_ENCODING",
      line: 2,
      column: 4,
      message: "the file has the control character U+001B, which YAML does not allow",
    });
  });
});
