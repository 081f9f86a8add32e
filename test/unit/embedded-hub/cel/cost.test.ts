import { describe, expect, it } from "vitest";
import { compileCel } from "../../../../src/embedded-hub/cel/cel.ts";
import { dyn } from "../../../../src/embedded-hub/cel/cel-type.ts";
import { celOfJson } from "../../../../src/embedded-hub/cel/json-values.ts";
import { faultOfPattern } from "../../../../src/embedded-hub/schema/patterns.ts";
import { readSopsMetadata } from "../../../../src/secrets/sops-metadata.ts";

const self = celOfJson({
  text: "a".repeat(100_000),
  list: Array.from({ length: 100_000 }, () => "a"),
  pattern: `(?i)${"[a-\\x{10ffff}]".repeat(50)}`,
});

describe("a rule of a definition", () => {
  it.each([
    ["replaces each character by a long text", "self.text.replace('a', self.text).size() > 0"],
    ["replaces nothing by a long text", "self.text.replace('', self.text).size() > 0"],
    ["replaces many times by a long text", "self.text.replace('a', self.text, 90000).size() > 0"],
    ["joins a long list by a long text", "self.list.join(self.text).size() > 0"],
    ["counts a long text for each item", "self.list.all(a, self.text.size() > 0)"],
    ["copies a long list for each item", "self.list.all(a, (self.list + self.list).size() > 0)"],
    ["searches a long text for many of its parts", "self.list.all(a, self.text.contains(self.text))"],
  ])("A61 is stopped before it %s", (_what, text) => {
    const program = compileCel(text, { variables: { self: dyn } });
    if (program.kind !== "program") throw new Error(program.message);
    const before = process.cpuUsage();
    const outcome = program.run({ self }, 1_000_000);
    const { user, system } = process.cpuUsage(before);
    expect(outcome).toMatchObject({ kind: "failure", isOverBudget: true });
    expect((user + system) / 1000).toBeLessThan(200);
  });
});

describe("a pattern that ignores case", () => {
  const pattern = `(?i)${"[a-\\x{10ffff}]".repeat(50)}`;

  it("A61 is refused where it ranges over all characters again and again", () => {
    expect(faultOfPattern(pattern)).toBe("error parsing regexp: expression too large");
    expect(faultOfPattern("(?i)[a-zé]+\\pL")).toBeUndefined();
    const sops = { mac: "x", lastmodified: "2026-01-01T00:00:00Z", encrypted_regex: pattern };
    expect(() => readSopsMetadata(sops)).toThrow("has a pattern that is too large");
  });
});
