import { describe, expect, it } from "vitest";
import { chooseValue, chosenValue, termText } from "../../../../src/model/filter/edit-filter.ts";

describe("chooseValue", () => {
  it.each([
    { text: "", value: "Ready", changed: "state=Ready" },
    { text: "env=prod", value: "Ready", changed: "env=prod state=Ready" },
    { text: "state=Unknown  env=prod", value: "Ready", changed: "env=prod state=Ready" },
    { text: "env=prod state=Ready", value: "", changed: "env=prod" },
    { text: 'state!=Ready "a  b"', value: "Unknown", changed: 'state!=Ready "a  b" state=Unknown' },
  ])("makes `$changed` of `$text`", ({ text, value, changed }) => {
    expect(chooseValue(text, { field: "state", value })).toBe(changed);
  });
});

describe("chosenValue", () => {
  it("is the one value that is asked of the field", () => {
    expect(chosenValue("state=Ready env=prod", "state")).toBe("Ready");
    expect(chosenValue("state in (Ready, Unknown)", "state")).toBe("");
    expect(chosenValue("state=Ready state=Unknown", "state")).toBe("");
    expect(chosenValue("state=", "state")).toBe("");
  });
});

describe("termText", () => {
  it("puts what would be read as something else in quotes", () => {
    expect(termText("name", 'a "b" (c)')).toBe('name="a \\"b\\" (c)"');
    expect(termText("gpu", "")).toBe('gpu=""');
  });
});
