import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64, readSsh, sshString } from "../../../../src/git/signing/ssh-wire.ts";

describe("readSsh", () => {
  it("gives what was written, in order, and nothing past the end", () => {
    const reader = readSsh(
      Buffer.concat([sshString("name"), sshString(Buffer.from([0, 255])), Buffer.from([0, 0, 1, 2])]),
    );
    expect([reader.name(), reader.bytes()?.toString("hex"), reader.isAtEnd()]).toEqual(["name", "00ff", false]);
    expect([reader.take(5), reader.uint32(), reader.isAtEnd()]).toEqual([undefined, 258, true]);
    expect([reader.take(1), reader.bytes(), reader.name(), reader.uint32()]).toEqual(Array(4).fill(undefined));
  });

  it("gives no text that is longer than what is left", () => {
    const reader = readSsh(Buffer.concat([sshString("ab"), sshString("abcd").subarray(0, 7)]));
    expect([reader.bytes()?.toString(), reader.bytes()]).toEqual(["ab", undefined]);
  });

  it.each([
    { text: "ssh-rsa", isName: true },
    { text: "!~", isName: true },
    { text: "a b", isName: false },
    { text: " a", isName: false },
    { text: "a\u007f", isName: false },
    { text: "a\n", isName: false },
    { text: "\u00e9a", isName: false },
  ])("takes $text for a name: $isName", ({ text, isName }) => {
    expect(readSsh(sshString(text)).name()).toBe(isName ? text : undefined);
  });
});

describe("decodeBase64", () => {
  it("gives the bytes of what was written", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(decodeBase64(buffer.toString("base64"))).toEqual(buffer);
      }),
    );
  });

  it.each([
    { text: "AB==", reason: "bits that are left over" },
    { text: "AA", reason: "no padding" },
    { text: "AAAA=", reason: "padding that is not needed" },
    { text: "AA==AAAA", reason: "something behind the padding" },
    { text: "AAAA\n", reason: "a line end" },
    { text: " AAAA", reason: "a blank" },
    { text: "__--", reason: "the alphabet of addresses" },
    { text: "A&AA", reason: "another character" },
  ])("refuses $reason", ({ text }) => {
    expect(decodeBase64(text)).toBeUndefined();
  });
});
