import { describe, expect, it } from "vitest";
import { renderField } from "../../../../src/cli/render/render-field.ts";
import type { FieldDescription } from "../../../../src/manifests/describe-field.ts";

function field(name: string, more: Partial<FieldDescription> = {}): FieldDescription {
  return { name, type: "string", description: `The ${name}.`, isRequired: false, allowed: [], fields: [], ...more };
}

const place = { kind: "Cluster", apiVersion: "rollcall.dev/v1alpha1", path: "spec.agent" };
const deep = field("env", { type: "[]object", fields: [field("name", { isRequired: true })] });
const described = field("agent", {
  ...{ type: "object", isRequired: true, description: "one two three four", default: { a: 1 } },
  ...{ allowed: ["at most 5", "refused: nothing"], fields: [field("image", { default: "x" }), deep] },
});
const linesOf = (text: string): string[] => text.split("\n");

describe("renderField", () => {
  it("describes a field and those below it, in lines of a width that only a word exceeds", () => {
    expect(linesOf(renderField(described, place, { width: 10, isRecursive: false }))).toEqual([
      ...["KIND:     Cluster", "VERSION:  rollcall.dev/v1alpha1", "FIELD:    spec.agent <object> -required-", ""],
      ...[
        "DESCRIPTION:",
        "  one two",
        "  three",
        "  four",
        "  Default:",
        '  {"a":1}',
        "  Allowed:",
        "  at most",
        "  5",
      ],
      ...["  Refused:", "  nothing", "", "FIELDS:"],
      ...["  image <string>", "    The", "    image.", "    Default:", '    "x"', ""],
      ...["  env <[]object>", "    The", "    env.", "", ""],
    ]);
  });

  it("names all fields below it, where that is wanted", () => {
    const lines = linesOf(renderField(described, place, { width: 80, isRecursive: true }));
    expect(lines.slice(-5)).toEqual([
      ...["FIELDS:", "  image <string>", "  env <[]object>", "    name <string> -required-", ""],
    ]);
    expect(lines).toContain("  one two three four");
  });

  it("of a kind has no line of a field, and of a field without others no list", () => {
    const lines = linesOf(renderField(field(""), { ...place, path: "" }, { width: 80, isRecursive: false }));
    expect(lines).toEqual(["KIND:     Cluster", "VERSION:  rollcall.dev/v1alpha1", "", "DESCRIPTION:", "  The .", ""]);
    const optional = renderField(field("a"), place, { width: 8, isRecursive: false });
    expect(linesOf(optional).slice(2)).toEqual(["FIELD:    spec.agent <string>", "", "DESCRIPTION:", "  The a.", ""]);
  });
});
