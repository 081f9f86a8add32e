import { createCipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clearText, decryptValue, encryptValue } from "../../../src/secrets/sops-value.ts";

const dataKey = Buffer.alloc(32, 7);
const iv = Buffer.alloc(32, 9);
const context = "data:password:";
const malformed = expect.objectContaining({ code: "E_SOPS_FORMAT" }) as Error;

/** Any text as a value of any type. */
function encrypted(text: string, type: string, change: (parts: { data: Buffer; tag: Buffer }) => object = (p) => p) {
  const cipher = createCipheriv("aes-256-gcm", dataKey, iv).setAAD(Buffer.from(context));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const parts = { data, iv, tag: cipher.getAuthTag(), ...change({ data, tag: cipher.getAuthTag() }) };
  const texts = Object.entries(parts).map(([name, bytes]) => `${name}:${bytes.toString("base64")}`);
  return `ENC[AES256_GCM,${texts.join(",")},type:${type}]`;
}

describe("decryptValue", () => {
  it.each([
    { type: "str", text: "a b", value: "a b", inChecksum: "a b" },
    { type: "bytes", text: "x", value: "x", inChecksum: "x" },
    { type: "time", text: "2024-01-02T00:00:00Z", value: "2024-01-02T00:00:00Z", inChecksum: "2024-01-02T00:00:00Z" },
    { type: "int", text: "-12", value: -12, inChecksum: "-12" },
    { type: "int", text: "007", value: 7, inChecksum: "7" },
    { type: "int", text: "9007199254740991", value: 2 ** 53 - 1, inChecksum: "9007199254740991" },
    { type: "float", text: "1.50", value: 1.5, inChecksum: "1.5" },
    { type: "float", text: "Inf", value: Infinity, inChecksum: "+Inf" },
    { type: "float", text: "+Inf", value: Infinity, inChecksum: "+Inf" },
    { type: "float", text: "xInf", value: Number.NaN, inChecksum: "NaN" },
    { type: "float", text: "Infx", value: Number.NaN, inChecksum: "NaN" },
    { type: "bool", text: "True", value: true, inChecksum: "True" },
    { type: "bool", text: "1", value: true, inChecksum: "True" },
    { type: "bool", text: "no", value: false, inChecksum: "False" },
  ])("reads $text of the type $type as $value", ({ type, text, value, inChecksum }) => {
    expect(decryptValue(encrypted(text, type), dataKey, context)).toEqual({ kind: "value", value, text: inChecksum });
  });

  it("reads a comment, and an empty text, which is not encrypted", () => {
    expect(decryptValue(encrypted("note", "comment"), dataKey, context)).toEqual({ kind: "comment" });
    expect(decryptValue("", dataKey, context)).toEqual({ kind: "value", value: "", text: "" });
  });

  it.each([
    { reason: "a number with more digits than are kept", value: encrypted("9007199254740992", "int") },
    { reason: "a number with a text before it", value: encrypted("x1", "int") },
    { reason: "a number with a blank", value: encrypted("1 ", "int") },
    { reason: "a number with a fraction", value: encrypted("1.5", "int") },
    { reason: "no number", value: encrypted("", "int") },
    { reason: "a number in letters", value: encrypted("0x1f", "int") },
    { reason: "a type that is not known", value: encrypted("x", "uint") },
    {
      reason: "A47 a tag that is cut short",
      value: encrypted("x", "str", ({ tag }) => ({ tag: tag.subarray(0, 12) })),
    },
    { reason: "A47 data that was changed", value: encrypted("x", "str", () => ({ data: Buffer.from("y") })) },
    { reason: "a text before it", value: ` ${encrypted("x", "str")}` },
    { reason: "a text behind it", value: `${encrypted("x", "str")}x` },
    { reason: "a clear text", value: "hunter2" },
  ])("refuses $reason, and shows nothing of it", ({ value }) => {
    const decrypt = () => decryptValue(value, dataKey, context);
    expect(decrypt).toThrow(malformed);
    expect(decrypt).not.toThrow(/hunter2|9007/u);
  });

  it("A47 refuses a value that was moved to another place, or is of another key", () => {
    expect(() => decryptValue(encrypted("x", "str"), dataKey, "data:user:")).toThrow(malformed);
    expect(() => decryptValue(encrypted("x", "str"), Buffer.alloc(32), context)).toThrow(malformed);
  });
});

it("gives what was encrypted, with its text in the checksum", () => {
  const values = fc.oneof(fc.string({ unit: "binary" }), fc.boolean(), fc.maxSafeInteger(), fc.double({ noNaN: true }));
  fc.assert(
    fc.property(values, (value) => {
      fc.pre(!Object.is(value, -0) && !(typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER));
      const again = decryptValue(encryptValue(value, { dataKey, context, iv }), dataKey, context);
      expect(again).toEqual({ kind: "value", value, text: clearText(value) });
    }),
  );
  expect(encryptValue("", { dataKey, context, iv })).toBe("");
});
