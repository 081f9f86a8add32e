import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderValue } from "../../../../src/embedded-hub/http/render.ts";

const dates = ["2020-01-01", "2020-1-1", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000000Z", "2020-01-01 00:00:00"];
const texts = [
  ...dates,
  ..."1:30 190:20:30 12:30:45.15 yes No ON y ~ null 0x1f 0o17 017 0b11 1_000 1e3 .5 .inf .nan - ! & * @ % | > ? << = --- ...".split(
    " ",
  ),
  ..."#a a: a:b {a} [a] 'a' \"a\" \\a".split(" "),
  ...[
    "",
    " a",
    "a ",
    "\ta",
    "a\nb",
    "a\nb\n",
    "\n\na\n",
    " a\nb",
    "a\r\nb",
    "# a\nb",
    "a\u0007b",
    "\u0085",
    "\u2028",
    "\ufeff",
  ],
  ...["2020-13-01", "2020-02-30", "20200101", "1:60"],
];

function yamlOf(value: object): string {
  const { body } = renderValue(value, "yaml");
  if (typeof body !== "string") throw new Error("YAML is text");
  return body;
}

describe("an object in YAML", () => {
  it.each(texts)("has %j as text for a reader of YAML 1.1", (text) => {
    const value = { kind: "ConfigMap", data: { key: text, [text]: "value" } };
    expect(parse(yamlOf(value), { version: "1.1", schema: "yaml-1.1" })).toEqual(value);
  });

  it.each(dates)("quotes %s, which is a date without quotes", (date) => {
    expect(yamlOf({ date })).toBe(`date: "${date}"\n`);
  });

  it.each(["20200101x", "10.0.0.1", "a:b"])("leaves %s without quotes", (text) => {
    expect(yamlOf({ text })).toBe(`text: ${text}\n`);
  });
});
