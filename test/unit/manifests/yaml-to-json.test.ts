import { describe, expect, it } from "vitest";
import { parseYaml } from "../../../src/manifests/parse-yaml.ts";
import { yamlFindings } from "./yaml-findings.ts";

const valueOf = (text: string): unknown => parseYaml(text).documents[0]?.value;

describe("yamlToJson", () => {
  it.each<{ text: string; value: unknown }>([
    { text: "", value: undefined },
    { text: "---\n", value: null },
    { text: "a:\nb: ~\nc: null\n", value: { a: null, b: null, c: null } },
    { text: "[1, -0, -0.0, -1.5, 1e3, 0x1F, 0o17]\n", value: [1, 0, 0, -1.5, 1000, 31, 15] },
    { text: "[true, false, 'true', \"1\"]\n", value: [true, false, "true", "1"] },
    { text: "9007199254740991: -9007199254740991\n", value: { "9007199254740991": -9_007_199_254_740_991 } },
    { text: "1.50: a\ntrue: b\n0x1F: c\n", value: { "1.50": "a", true: "b", "0x1F": "c" } },
    { text: "'<<': a\n\"null\": b\n", value: { "<<": "a", null: "b" } },
    { text: "&k a: 1\nb: *k\n", value: { a: 1, b: "a" } },
    { text: "&k 1.50: 1\nb: *k\n", value: { "1.50": 1, b: "1.50" } },
    { text: "a: &x\nb: *x\n", value: { a: null, b: null } },
    { text: "a: &x 1\nb: &x [*x]\n", value: { a: 1, b: [null] } },
    { text: "a: 😀\n😀: b\n", value: { a: "😀", "😀": "b" } },
    { text: "a: b\na: c\n", value: { a: "b" } },
    { text: "? [a]\n: b\nc: d\n", value: { c: "d" } },
    { text: "a: 123456789012345678\n", value: { a: 123_456_789_012_345_680 } },
    { text: "a: .nan\nb: 1\n", value: { a: null, b: 1 } },
  ])("reads $text as $value", ({ text, value }) => {
    expect(valueOf(text)).toStrictEqual(value);
  });

  it.each([
    [
      "a: 9007199254740992\n",
      "1:4 E_YAML the number has too many digits to be kept exactly (Put it in quotes if it is text, such as an account number.)",
    ],
    ["a: -.inf\n", "1:4 E_YAML the value is no finite number (Put it in quotes if it is text.)"],
    ["a: .nan\n", "1:4 E_YAML the value is no finite number (Put it in quotes if it is text.)"],
    [`a: 1${"0".repeat(400)}\n`, "1:4 E_YAML the value is no finite number (Put it in quotes if it is text.)"],
    [
      'a:\n- "\\udc00"\n',
      "2:3 E_YAML the text has half of a surrogate pair, which UTF-8 cannot carry (Write the whole character.)",
    ],
    ['b: 1\n"\\ud800": 1\n', "2:1 E_YAML the key is no valid text (Use another key.)"],
    ["b: 1\n'__proto__': 1\n", "2:1 E_YAML the key __proto__ is not allowed (Use another key.)"],
    ["b: 1\n? {a: 1}\n: c\n", "2:3 E_YAML the key is not text (Write the key out, in quotes.)"],
    ["b: 1\n? *x\n: c\n", "2:3 E_YAML the key is not text (Write the key out, in quotes.)"],
    ["b: 1\n? {a: 1}\n", "2:3 E_YAML the key is not text (Write the key out, in quotes.)"],
    ["b: {[a]: 1}\n", "1:5 E_YAML the key is not text (Write the key out, in quotes.)"],
    ["b: 1\n: c\n", "2:1 E_YAML the key is empty (Write a key before the colon.)"],
    ["b: {? }\n", "1:7 E_YAML the key is empty (Write a key before the colon.)"],
    ["b: 1\nnull: c\n", "2:1 E_YAML the key is empty (Write a key before the colon.)"],
    [
      "b: {{c: 1}: d}\n",
      "1:5 E_YAML double braces: templates are not filled in, files are read as they are (Write the value itself.)",
    ],
    [
      "b: 1\n<<: {a: 1}\n",
      "2:1 E_YAML merge keys (<<) are not supported: readers of YAML disagree on them (Write the keys out.)",
    ],
    ["b:\n- a: 1\n  a: 2\n", '3:3 E_NOT_UNIQUE_KEY the key "a" occurs twice in this map'],
    [
      "b: *x\nc: &x 1\n",
      "1:4 E_YAML the alias (*) refers to an anchor (&) that is not above it (Write the value out.)",
    ],
    ["b: &x\n  c: *x\n", "2:6 E_ALIAS the alias (*) is inside the value that it refers to (Write the value out.)"],
    [
      "b: 1\nno: 1\n",
      "2:1 W_YAML_AMBIGUOUS this key has no quotes; kubectl and other readers of YAML 1.1 take it as false (Put the key in quotes.)",
    ],
    [
      "b: 1\n010: 1\n",
      "2:1 W_YAML_AMBIGUOUS this key has no quotes; kubectl and other readers of YAML 1.1 take it as an octal number (Put the key in quotes.)",
    ],
    [
      "b:\n- on\n",
      "2:3 W_YAML_AMBIGUOUS this value has no quotes; kubectl and other readers of YAML 1.1 take it as true (Put the value in quotes if it is text.)",
    ],
  ])("finds in %j: %s", (text, finding) => {
    expect(yamlFindings(text)).toEqual([finding]);
  });

  it.each([
    ["quotes around keys and values", "'on': \"no\"\n"],
    ["a block of text", "a: |\n  yes\nb: >-\n  no\n"],
  ])("warns of no word in %s", (_reason, text) => {
    expect(yamlFindings(text)).toEqual([]);
  });

  const items = (count: number, item: string): string => Array.from({ length: count }, () => item).join(", ");

  it.each([
    { reason: "a value", text: `a: &x 1\nb: [${items(100, "*x")}]\n` },
    { reason: "an empty value", text: `a: &x\nb: [${items(100, "*x")}]\n` },
    { reason: "a key", text: `&x a: 1\nb: [${items(100, "*x")}]\n` },
    { reason: "a list of four", text: `a: &x [1, 2, 3, 4]\nb: [${items(20, "*x")}]\n` },
    { reason: "a map of four", text: `a: &x {k: 1, l: 2, m: 3, o: 4}\nb: [${items(20, "*x")}]\n` },
    { reason: "a text of 4 KiB", text: `a: &x ${"t".repeat(4096)}\nb: [${items(20, "*x")}]\n` },
    { reason: "a text of nearly 5 KiB", text: `a: &x ${"t".repeat(5119)}\nb: [${items(20, "*x")}]\n` },
    { reason: "a list with an alias of three", text: `a: &x [1, 2]\nb: &y [*x]\nc: [${items(19, "*y")}]\n` },
  ])("A17 expands aliases to 100 values together, and no more: $reason", ({ text }) => {
    expect(yamlFindings(text)).toEqual([]);
    expect(yamlFindings(text.replace(/\]\n$/u, ", *x]\n"))).toHaveLength(1);
    expect(yamlFindings(text.replace(/\]\n$/u, ", *x, *x]\nd: *x\n"))).toEqual([
      expect.stringMatching(/^\d:\d+ E_ALIAS .* the aliases \(\*\) of the document expand to more than 100 values$/u),
    ]);
  });

  it("A17 counts the aliases of each document on their own", () => {
    const text = `a: &x 1\nb: [${items(100, "*x")}]\n`;
    expect(yamlFindings(`${text}---\n${text}`)).toEqual([]);
  });

  it.each([
    { what: "list", text: (count: number) => `a:\n${"- 1\n".repeat(count)}` },
    {
      what: "map",
      text: (count: number) => `a: {${Array.from({ length: count }, (_, index) => `k${index}: 1`).join(",")}}\n`,
    },
  ])("A16 reads a $what of 10,000 entries, and nothing of a longer one", ({ text }) => {
    expect(yamlFindings(text(10_000))).toEqual([]);
    const [longer] = parseYaml(text(10_001)).documents;
    expect(longer?.findings.map(({ message }) => message)).toEqual([
      "the map or list has 10001 entries; at most 10000 are read",
    ]);
    expect(Object.keys((longer?.value as { a: object }).a)).toEqual([]);
  });
});
