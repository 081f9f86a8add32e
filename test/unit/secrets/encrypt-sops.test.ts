import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { encryptSops } from "../../../src/secrets/encrypt-sops.ts";
import { realRandom } from "../../support/real-time.ts";

let recipients: string[] = [];
beforeAll(async () => {
  recipients = [await identityToRecipient(await generateX25519Identity())];
});

function encrypt(document: JsonObject): Promise<string> {
  return encryptSops(document, { recipients, random: realRandom, nowMs: 0 });
}

/** How the text is written outside of what is encrypted. */
async function written(text: string): Promise<string> {
  return (await encrypt({ note: text })).replace(/\nsops:\n[^]*$/u, "");
}

describe("a text outside of what is encrypted", () => {
  it.each(["kubeconfig", "a.b/c-d", "_x", "A1", "ENC[AES256_GCM,data:aB+/=,type:str]"])(
    "is written without quotes where every reader takes it for text: %s",
    async (text) => {
      expect(await written(text)).toBe(`note: ${text}`);
    },
  );

  it.each([
    ...["true", "False", "null", "NULL", "~", "", "y", "N", "yes", "No", "on", "OFF"],
    ...["1", "0x1f", "-1", ".inf", "1e3", "2024-01-02", "a b", " a", "a ", "a:b", "a#b", "-a", "ENC[]", "ENC[a b]"],
    ...["xENC[a]", "ENC[a]x", "x y.z", "\u00fcml", "a\tb"],
  ])("is written in quotes otherwise: %j", async (text) => {
    expect(await written(text)).toBe(`note: ${JSON.stringify(text)}`);
  });

  it.each(["\u007f", "\u0085", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff"])(
    "has no character that YAML wants escaped: %j",
    async (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
      expect(await written(`a${character}`)).toBe(`note: "a\\u${code}"`);
    },
  );

  it.each(["yesterday", "only", "none", "Norway"])("may begin or end as a truth value does: %s", async (text) => {
    expect(await written(text)).toBe(`note: ${text}`);
  });

  it("is written line by line where its lines are plain", async () => {
    expect(await written("one\n two: 3\nend\n")).toBe("note: |\n  one\n   two: 3\n  end");
    for (const text of [
      " one\nend\n",
      "one\nend",
      "one\nend \n",
      "#one\nend\n",
      "one\n\u00fc\n",
      "one\nend\n\n",
      "\none\n",
    ])
      expect(await written(text)).toMatch(/^note: "/u);
  });
});

describe("encryptSops", () => {
  it("encrypts the values of a Secret, and nothing else", async () => {
    const text = await encrypt({ kind: "Secret", empty: null, data: { a: "x", b: null, c: [1, null, true, ""] } });
    const clear = text.replace(/\nsops:\n[^]*$/u, "").replaceAll(/ENC\[[^\]]*type:(\w+)\]/gu, "<$1>");
    expect(clear).toBe(
      ["kind: Secret", "empty: null", "data:", "  a: <str>", "  b: null", "  c:", "    - <int>", "    - null"]
        .concat("    - <bool>", '    - ""')
        .join("\n"),
    );
    expect(text).toMatch(/\n {2}lastmodified: "1970-01-01T00:00:00Z"\n/u);
  });

  it("leaves out a field without a value", async () => {
    expect((await encrypt({ kind: "Secret", data: undefined })).split("\n")[1]).toBe("sops:");
  });

  it.each([2 ** 53, -(2 ** 53), 1e300])("refuses the number %d, which cannot be kept exactly", async (number) => {
    await expect(encrypt({ data: { number } })).rejects.toMatchObject({ code: "E_SOPS_FORMAT" });
    await expect(encrypt({ data: { number: Number.MAX_SAFE_INTEGER } })).resolves.toContain("type:int]");
  });
});
