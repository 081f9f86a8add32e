import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { quotedButTimes } from "../../../src/core/yaml/quoted-for-all.ts";
import { writeYaml } from "../../../src/planning/write-yaml.ts";

function byThePackage(value: object): string {
  return stringify(value, { ...quotedButTimes, aliasDuplicateObjects: false });
}

const words = ["true", "Null", "NO", "y", "on", "Off", "012", "1_000", "12:30", "0o17", "~", "", "a: b", "a:b", "x #y", "-", "a-", "a -b", "1e3", "0x1F", "2026-01-02", "2026-01-02T03:04:05Z", "True", "False", "TRUE", ".inf", "é", " a", "a ", "'", '"', "a\nb", "a\n", "\t", "[a]", "{", "*a", "&a", "!t", "%", "@", "`", "? a", "- a", "a:", "...", "---", "--- a", "...: b", "a\r---", "https://x.example/a?b", "sha256:00ff", "1 of 2", "a, b (c)"] as const; // oxfmt-ignore
const text = fc.oneof(fc.constantFrom(...words), fc.string(), fc.stringMatching(/^[a-zA-Z :,./()-]{0,12}$/u));

describe("writeYaml", () => {
  it("writes the bytes of the yaml package, whatever the value", () => {
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constantFrom(null, undefined, -0)),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.stringMatching(/^[a-z]{1,6}$/u), text), tie("value"), {
          maxKeys: 4,
          noNullPrototype: true,
        }),
      ),
    }));
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/u), value), fc.array(value)), (root) => {
        expect(writeYaml(root)).toBe(byThePackage(root));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(words.map((word) => [word]))("writes %j as the package does: as a value, in a list and as a key", (word) => {
    const value = { a: word, list: [word, { b: word, c: [{ d: word }] }], map: { [word]: word } };
    expect(writeYaml(value)).toBe(byThePackage(value));
    const plain = { a: word, list: [word, { b: word }] };
    expect(writeYaml(plain)).toBe(byThePackage(plain));
  });

  it.each(["no", "Yes", "y", "on", "012", "1_000", "12:30:45", "0b1", "0o17", "<<"])(
    "a record with the text %j is the same to a reader of YAML 1.1, such as that of Python",
    (text) => {
      const record = { metadata: { name: text }, labels: { site: text, [text]: "" } };
      expect(parse(writeYaml(record), { version: "1.1" })).toEqual(record);
      expect(parse(writeYaml(record))).toEqual(record);
    },
  );

  it.each(["...", "---", "--- a", "...b"])("A89 a record in which an agent has version %j reads back", (version) => {
    const record = { kind: "ClusterRecord", agent: { version, namespace: "rollcall-system" }, keys: [{ version }] };
    expect(parse(writeYaml(record))).toEqual(record);
  });

  it("writes a date and a shared object as the package does", () => {
    const shared = { a: 1 };
    const value = { first: shared, second: shared, at: new Date(0), empty: { list: [], map: {} } };
    expect(writeYaml(value)).toBe(byThePackage(value));
  });
});
