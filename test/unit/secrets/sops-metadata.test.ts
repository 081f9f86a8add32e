import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { readSopsMetadata } from "../../../src/secrets/sops-metadata.ts";

const least: JsonObject = { mac: "ENC[...]", lastmodified: "2024-01-02T03:04:05Z" };
const malformed = expect.objectContaining({ code: "E_SOPS_FORMAT" }) as Error;

function read(more: JsonObject) {
  return readSopsMetadata({ ...least, ...more });
}

function isEncrypted(rule: JsonObject, ...path: readonly string[]): boolean {
  return read(rule).isEncrypted(path);
}

describe("the time that the checksum is bound to", () => {
  it.each([
    { text: "2024-01-02T03:04:05Z", time: "2024-01-02T03:04:05Z" },
    { text: "2024-01-02T03:04:05.1234567Z", time: "2024-01-02T03:04:05Z" },
    { text: "2024-01-02T03:04:05+00:00", time: "2024-01-02T03:04:05Z" },
    { text: "2024-01-02T03:04:05-00:00", time: "2024-01-02T03:04:05Z" },
    { text: "2024-01-02T03:04:05.5+02:30", time: "2024-01-02T03:04:05+02:30" },
    { text: "2024-01-02T03:04:05-10:00", time: "2024-01-02T03:04:05-10:00" },
  ])("is $time for $text", ({ text, time }) => {
    expect(read({ lastmodified: text }).lastModified).toBe(time);
  });

  it.each(["", "x2024-01-02T03:04:05Z", "2024-01-02T03:04:05Zx", "2024-01-02", "2024-01-02T03:04:05 00:00"])(
    "is none in %j",
    (lastmodified) => {
      expect(() => read({ lastmodified })).toThrow(malformed);
    },
  );

  it("is needed, as the checksum is", () => {
    expect(() => readSopsMetadata({ mac: "ENC[...]" })).toThrow(malformed);
    expect(() => readSopsMetadata({ lastmodified: "2024-01-02T03:04:05Z" })).toThrow(malformed);
  });
});

describe("the keys of a file", () => {
  it("are those of age that are whole", () => {
    const whole = { recipient: "age1x", enc: "file" };
    const { ageKeys, otherKeys } = read({ age: [{ recipient: "age1y" }, whole, { enc: "file" }], pgp: [], kms: null });
    expect(ageKeys).toEqual([{ recipient: "age1x", encrypted: "file" }]);
    expect(otherKeys).toEqual([]);
  });

  it.each<{ what: string; sops: JsonObject; expected: string[] }>([
    { what: "a key of PGP", sops: { pgp: [{ fp: "x" }] }, expected: ["pgp"] },
    { what: "keys of two kinds", sops: { pgp: [{}], kms: [{ arn: "x" }] }, expected: ["kms", "pgp"] },
    { what: "groups", sops: { key_groups: [{ hc_vault: [{}] }, { age: [] }] }, expected: ["hc_vault", "key_groups"] },
    { what: "a group of age keys", sops: { key_groups: [{ age: [{}] }] }, expected: ["key_groups"] },
    { what: "shares of a key", sops: { shamir_threshold: 2 }, expected: ["key_groups"] },
    { what: "no shares of a key", sops: { shamir_threshold: 0 }, expected: [] },
  ])("beside those of age are $expected for $what", ({ sops, expected }) => {
    expect(read(sops).otherKeys).toEqual(expected);
  });

  it("A30 have these addresses", () => {
    const arn = "arn:aws:kms:eu-west-1:123:key/ab-1";
    const role = "arn:aws:iam::123:role/rollcall";
    expect(
      read({
        hc_vault: [{ vault_address: "https://vault.example.com" }, {}],
        key_groups: [{ azure_kv: [{ vault_url: "https://kv.example.com" }] }],
        kms: [{ arn, role }, { arn }, { arn: "elsewhere" }, { arn, role: "also" }, {}],
        hckms: [{ key_id: "eu-west:ab-1" }, { key_id: "a.b:c" }],
      }).addresses,
    ).toEqual(["https://vault.example.com", "", "elsewhere", "", "also", "a.b:c", "https://kv.example.com"]);
  });

  it.each(["unencrypted_comment_regex", "encrypted_comment_regex"])("depend on comments by %s", (name) => {
    expect(read({ [name]: "x" }).hasCommentRules).toBe(true);
    expect(read({ [name]: "" }).hasCommentRules).toBe(false);
  });

  it("have a checksum of all values, unless the file declares another", () => {
    expect([read({}).isMacOnlyEncrypted, read({ mac_only_encrypted: true }).isMacOnlyEncrypted]).toEqual([false, true]);
  });
});

describe("what is encrypted of a file", () => {
  it.each<{ rule: JsonObject; path: string[]; expected: boolean }>([
    { rule: {}, path: ["a"], expected: true },
    { rule: {}, path: ["a_unencrypted"], expected: false },
    { rule: {}, path: ["a_unencrypted", "b"], expected: false },
    { rule: {}, path: ["_unencrypted_a", "b"], expected: true },
    { rule: { unencrypted_suffix: "" }, path: ["a_unencrypted"], expected: false },
    { rule: { unencrypted_suffix: "_open" }, path: ["a_unencrypted"], expected: true },
    { rule: { unencrypted_suffix: "_open" }, path: ["a_open", "b"], expected: false },
    { rule: { encrypted_suffix: "_secret" }, path: ["a"], expected: false },
    { rule: { encrypted_suffix: "_secret" }, path: ["a_secret", "b"], expected: true },
    { rule: { encrypted_suffix: "_secret" }, path: ["_secret_a"], expected: false },
    { rule: { encrypted_regex: "^(data|stringData)$" }, path: ["data", "b"], expected: true },
    { rule: { encrypted_regex: "^(data|stringData)$" }, path: ["metadata", "b"], expected: false },
    { rule: { unencrypted_regex: "^metadata$" }, path: ["metadata", "name"], expected: false },
    { rule: { unencrypted_regex: "^metadata$" }, path: ["data", "b"], expected: true },
  ])("by the rule $rule: $path is $expected", ({ rule, path, expected }) => {
    const { isEncrypted: decides } = read(rule);
    expect([decides(path), decides(path)]).toEqual([expected, expected]);
  });

  it("is not known by two rules", () => {
    expect(() => read({ encrypted_suffix: "_a", encrypted_regex: "a" })).toThrow(malformed);
    expect(() => read({ unencrypted_suffix: "_a", unencrypted_regex: "a" })).toThrow(malformed);
    expect(() => read({ unencrypted_suffix: "_a", encrypted_regex: "" })).not.toThrow();
  });

  it.each(["encrypted_regex", "unencrypted_regex"])("A57 is by a pattern of bounded size and work (%s)", (name) => {
    expect(isEncrypted({ [name]: "a".repeat(1000) }, "b")).toBe(name === "unencrypted_regex");
    expect(isEncrypted({ [name]: `(?i)${"\\pL".repeat(4)}` }, "b")).toBe(name === "unencrypted_regex");
    for (const pattern of ["a".repeat(1001), "a{1000}".repeat(6), `(?i)${"\\pL".repeat(5)}`, "(", "(?=a)"])
      expect(() => read({ [name]: pattern })).toThrow(malformed);
    const { isEncrypted: decides } = read({ [name]: "(?:ab?){500}" });
    expect(() => decides(["x".repeat(1_000_000)])).toThrow(malformed);
  });

  it("A57 compares each key once, however many values are below it", () => {
    const { isEncrypted: decides } = read({ encrypted_regex: "(?:ab?){500}" });
    const key = "x".repeat(1000);
    for (let count = 0; count < 20; count++) expect(decides([key])).toBe(false);
    expect(() => {
      for (let count = 0; count < 20; count++) decides([`${key}${count}`]);
    }).toThrow(malformed);
  });
});
