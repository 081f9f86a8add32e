import { createCipheriv, createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { contextOf, decryptTrees } from "../../../src/secrets/decrypt-sops.ts";
import { jsonOfTree, readSopsDocuments } from "../../../src/secrets/sops-tree.ts";

const dataKey = Buffer.alloc(32, 7);
const time = "2024-01-02T03:04:05Z";

function encrypted(text: string, context: string, type = "str"): string {
  const iv = Buffer.alloc(32, 9);
  const cipher = createCipheriv("aes-256-gcm", dataKey, iv).setAAD(Buffer.from(context));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const parts = Object.entries({ data, iv, tag: cipher.getAuthTag() });
  return `ENC[AES256_GCM,${parts.map(([name, bytes]) => `${name}:${bytes.toString("base64")}`).join(",")},type:${type}]`;
}

/** The checksum of these texts, as SOPS writes it. */
function checksumOf(...texts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha512");
  for (const text of texts) hash.update(text);
  return hash.digest("hex").toUpperCase();
}

function decrypt(text: string, mac: string, isMacOnlyEncrypted = false) {
  const metadata = {
    ...{ ageKeys: [], otherKeys: [], addresses: [], hasCommentRules: false, isMacOnlyEncrypted, lastModified: time },
    ...{ mac, isEncrypted: ([first]: readonly string[]) => first === "data" },
  };
  const trees = readSopsDocuments(text).map(({ tree }) => tree);
  return decryptTrees(trees, metadata, dataKey).map(jsonOfTree);
}

const value = encrypted("s3cret", "data:a:");
const text = `kind: Secret\ndata:\n  a: ${value}\n  none: null\nsops: {}\n`;

describe("decryptTrees", () => {
  it("gives the documents without the key sops, where nothing was changed", () => {
    const mac = encrypted(checksumOf("Secret", "s3cret"), time);
    expect(decrypt(text, mac)).toEqual([{ kind: "Secret", data: { a: "s3cret", none: null } }]);
  });

  it("covers what is not encrypted, unless the file declares that it does not", () => {
    const whole = encrypted(checksumOf("Secret", "s3cret"), time);
    const start = createHash("sha256").update("sops").digest();
    const part = encrypted(checksumOf(start, "s3cret"), time);
    const refused = expect.objectContaining({ code: "E_SOPS_MAC" }) as Error;
    expect(decrypt(text.replace("Secret", "Other"), part, true)).toMatchObject([{ kind: "Other" }]);
    expect(() => decrypt(text.replace("Secret", "Other"), whole)).toThrow(refused);
    expect(() => decrypt(text, whole, true)).toThrow(refused);
    expect(() => decrypt(text, part)).toThrow(refused);
  });

  it.each([
    { what: "half of a checksum", mac: encrypted(checksumOf("Secret", "s3cret").slice(0, 64), time) },
    { what: "an empty checksum", mac: encrypted("", time) },
    { what: "a comment", mac: encrypted(checksumOf("Secret", "s3cret"), time, "comment") },
    { what: "a checksum in small letters", mac: encrypted(checksumOf("Secret", "s3cret").toLowerCase(), time) },
  ])("A47 refuses $what", ({ mac }) => {
    expect(() => decrypt(text, mac)).toThrow(expect.objectContaining({ code: "E_SOPS_MAC" }));
  });

  it("A47 refuses a checksum of another time, and a clear number where a value is encrypted", () => {
    const malformed = expect.objectContaining({ code: "E_SOPS_FORMAT" }) as Error;
    const other = encrypted(checksumOf("Secret", "s3cret"), "2024-01-02T03:04:06Z");
    expect(() => decrypt(text, other)).toThrow(malformed);
    const mac = encrypted(checksumOf("1"), time);
    expect(() => decrypt("data:\n  a: 1\n", mac)).toThrow(malformed);
  });

  it("leaves out comments of lists, and binds each item to the place of its list", () => {
    const items = [encrypted("one", "data:list:"), encrypted("a note", "data:list:", "comment")];
    const list = `data:\n  list:\n${items.map((item) => `    - ${item}\n`).join("")}`;
    expect(decrypt(list, encrypted(checksumOf("one"), time))).toEqual([{ data: { list: ["one"] } }]);
    expect(contextOf(["data", "list"])).toBe("data:list:");
  });

  it("takes documents that are no maps as they are", () => {
    const mac = encrypted(checksumOf("1", "s3cret"), time);
    expect(decrypt(`[1]\n---\ndata:\n  a: ${value}\n`, mac)).toEqual([[1], { data: { a: "s3cret" } }]);
  });
});
