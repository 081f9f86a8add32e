import { describe, expect, it } from "vitest";
import { readObjectForm, renderValue } from "../../../../src/cli/render/object-form.ts";

const value = {
  metadata: { name: "a", labels: { "x.y/z": "dotted" } },
  status: {
    nodes: 3,
    list: [
      { type: "Ready", status: "True" },
      { type: "Joined", status: "\u001b" },
    ],
    none: null,
  },
};

function printed(template: string): string {
  const form = readObjectForm(`jsonpath=${template}`);
  return form.kind === "jsonpath" ? form.print(value) : form.kind;
}

describe("readObjectForm", () => {
  it.each([
    [undefined, { kind: "table", isWide: false }],
    ["table", { kind: "table", isWide: false }],
    ["wide", { kind: "table", isWide: true }],
    ["json", { kind: "json" }],
    ["yaml", { kind: "yaml" }],
    ["name", { kind: "name" }],
  ])("takes %s for %j", (text, form) => {
    expect(readObjectForm(text)).toEqual(form);
  });

  it.each([
    ["jsno", "--output is jsno; it can be wide, json, yaml, name, jsonpath=TEMPLATE (did you mean json?)"],
    ["jsonpth", "(did you mean jsonpath=TEMPLATE?)"],
    ["go-template", /jsonpath=TEMPLATE$/u],
    ["xjsonpath={.a}", "--output is xjsonpath"],
    ["jsonpath={.a", "--output jsonpath={.a: a brace has no partner; fields"],
    ["jsonpath=.a}", "a brace has no partner"],
    ["jsonpath={{.a}}", "a brace has no partner"],
    ["jsonpath={range .items[*]}", "{range .items[*]} is not supported"],
    ["jsonpath={..a..b}", "{..a..b} is not supported"],
    ["jsonpath={'text'}", "{'text'} is not supported"],
    ['jsonpath={"a}', "a brace has no partner"],
    ["jsonpath={name}", "{name} is not supported"],
  ])("refuses %s", (text, message) => {
    expect(() => readObjectForm(text)).toThrow(message);
    expect(() => readObjectForm(text)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
  });

  it.each([
    ["{.metadata.name}", "a"],
    ["{ .metadata.name }", "a"],
    ["{$.metadata.name}", "a"],
    ["name={.metadata.name}, {.status.nodes}\n", "name=a, 3\n"],
    [String.raw`{.metadata.name}{"\n}{"}{'x'}`.replace("{'x'}", ""), "a\n}{"],
    [String.raw`{"a\"}b"}`, 'a"}b'],
    [String.raw`{.metadata.labels.x\.y/z}`, "dotted"],
    ["{.status.list[*].type}", "Ready Joined"],
    ["{.status.list[0]}", '{"type":"Ready","status":"True"}'],
    ['{.status.list[?(@.type=="Joined")].status}', "\\u{1b}"],
    ["{.none.at.all}", ""],
    ["", ""],
    ["text", "text"],
  ])("prints %j as %j", (template, text) => {
    expect(printed(template)).toBe(text);
  });
});

describe("renderValue", () => {
  it("writes YAML with each value where it is, and JSON with large numbers as texts", () => {
    const shared = { a: 1 };
    const long = "word ".repeat(40).trim();
    expect(renderValue({ one: shared, two: shared, long }, "yaml")).toBe(`one:\n  a: 1\ntwo:\n  a: 1\nlong: ${long}\n`);
    expect(renderValue({ big: 2n ** 60n, small: 1 }, "json")).toBe(
      '{\n  "big": "1152921504606846976",\n  "small": 1\n}\n',
    );
    expect(renderValue("\u202e", "json")).toBe('"\\u202e"\n');
  });
});
