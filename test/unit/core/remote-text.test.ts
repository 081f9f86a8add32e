import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { redactError } from "../../../src/core/redact-error.ts";
import { cleanRemoteText, cleanRemoteValue, redact } from "../../../src/core/remote-text.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import { leastGrowth } from "../../support/least-growth.ts";
import { credentialForms, makeCredential, shownPiece } from "../../support/credential-forms.ts";

const secret = makeCredential();

describe("cleanRemoteText", () => {
  it.each(credentialForms(secret))("A55 shows no piece of eight characters of a credential $name", ({ text }) => {
    const shown = cleanRemoteText(`refused: ${text}; done`, { secrets: ["other-secret", secret] });
    expect(shownPiece(shown, secret).length).toBeLessThan(8);
    expect(shown).toContain("***");
  });

  it("A55 keeps what is no credential", () => {
    const text = 'configmaps "settings" is forbidden: User "edge-7" cannot get resource "configmaps" in API group ""';
    expect(cleanRemoteText(text, { secrets: [secret] })).toBe(text);
  });

  it("A35 hides a short secret in each form that it can have been sent in", () => {
    const short = "p/s+ü";
    const forms = [short, encodeURIComponent(short), Buffer.from(short).toString("base64")];
    expect(cleanRemoteText(forms.join(" "), { secrets: [short, ""] })).not.toMatch(/p\/s|%2F|cC9z/u);
  });

  it("A44 A55 keeps no control characters and no marks of direction, and has an end", () => {
    const text = "\u001b[31mred\r\nnext\u0007\u202e\u2066 end\u2029\ud800\n";
    expect(cleanRemoteText(text, { secrets: [] })).toBe("[31mred next end");
    expect(cleanRemoteText("x".repeat(600), { secrets: [], maximumLength: 500 })).toHaveLength(503);
    expect(cleanRemoteText("a\u{1f600}b", { secrets: [], maximumLength: 2 })).toBe("a...");
    expect(cleanRemoteText("a\u{1f600}b", { secrets: [], maximumLength: 3 })).toBe("a\u{1f600}...");
    expect(cleanRemoteText("x".repeat(10 << 20), { secrets: [secret] })).toHaveLength(1003);
  });

  it("A35 hides unknown tokens: JSON Web Tokens, and what follows Bearer or Basic", () => {
    const token = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.${"x".repeat(40)}`;
    for (const before of ["", "a", "ab", "abc"])
      for (const encoding of ["base64", "base64url", "hex"] as const) {
        const encoded = Buffer.from(`${before}${token}`).toString(encoding);
        expect(cleanRemoteText(`it sent ${encoded} now`, { secrets: [] })).toBe("it sent *** now");
      }
    const text = `sent ${token} and Authorization: Basic dXNlcjpwYXNzd29yZA== and bearer 0123456789abcdef0123`;
    expect(cleanRemoteText(text, { secrets: [] })).toBe("sent *** and Authorization: Basic *** and bearer ***");
    expect(cleanRemoteText("HTTP Basic authentication is off", { secrets: [] })).toContain("authentication");
  });

  it("A55 cleans each text and key of a JSON value", () => {
    const value = { [`a${secret}`]: ["b\u202e\n", 1, null, { c: secret }], d: true };
    expect(cleanRemoteValue(value, { secrets: [secret] })).toEqual({ "a***": ["b", 1, null, { c: "***" }], d: true });
  });

  it("A55 takes time in proportion to text and secrets, also where a text repeats itself", () => {
    const milliseconds = (size: number): number => {
      const texts = ["a".repeat(size), "ab".repeat(size / 2), secret.repeat(size / secret.length)];
      const secrets = ["a".repeat(size), ...Array.from({ length: size / 1024 }, makeCredential)];
      return leastCpuMs(() => {
        for (const text of texts) redact(text, secrets);
      });
    };
    milliseconds(1 << 15);
    const costs = { small: () => milliseconds(1 << 16), large: () => milliseconds(1 << 18) };
    // Four times as much: by squares it would be sixteen.
    expect(leastGrowth(costs, 9)).toBeLessThan(9);
  });
});

describe("redact", () => {
  it.each([
    ["abc", "abc abcd", "abc abcd"],
    ["abcd", "abc abcd abcdabcd.", "abc *** ***."],
    ["abcd", "abc", "abc"],
    ["abcd", "abcd", "***"],
    ["abcdefg", "abcdef abcdefg bcdefg", "abcdef *** bcdefg"],
    ["abcdefgh", "abcdefg abcdefgh", "abcdefg ***"],
    ["abcdefghij", "bcdefghi cdefghi xabcdefghijx", "*** cdefghi x***x"],
    ['a"b/', String.raw`a"b/ a\"b/ a%22b%2F a%22b%2f`, "*** *** *** ***"],
    ["jkl/", "6a6b6c2f 6A6B6C2F %6a%6b%6c%2f %6A%6B%6C%2F", "*** *** *** ***"],
    ["jkl/", "amtsLw== xamtsLwx", "***w== x***wx"],
    // Behind one other byte, and behind two.
    ["jkl/", "AGprbC8= AABqa2wv", "AG***8= AAB***"],
    ["??>>", "Pz8+Pg Pz8-Pg", "***g ***g"],
  ])("of %j takes it out of %j", (one, text, shown) => {
    expect(redact(text, ["unrelated", one])).toBe(shown);
  });

  it("leaves text as it is where there are no secrets", () => {
    expect([redact("text", []), redact("text", [""]), redact("", ["abcd"])]).toEqual(["text", "text", ""]);
  });
});

describe("redactError", () => {
  it("A35 A55 takes a credential out of message, data and cause, and keeps code and recovery", () => {
    const error = new AppError("E_KUBE_FORBIDDEN", `get x: ${secret}`, {
      data: { reason: secret, status: 403 },
      cause: new Error(`sent ${Buffer.from(secret).toString("base64")}`),
      recovery: "waiting",
    });
    const clean = redactError(error, [secret]);
    expect(clean).toMatchObject({
      code: "E_KUBE_FORBIDDEN",
      recovery: "waiting",
      data: { reason: "***", status: 403 },
    });
    expect(shownPiece(JSON.stringify(clean), secret).length).toBeLessThan(8);
  });

  it("leaves an error without one as it is", () => {
    const error = new AppError("E_KUBE_FORBIDDEN", "get x: no");
    expect(redactError(error, [secret])).toBe(error);
  });
});
