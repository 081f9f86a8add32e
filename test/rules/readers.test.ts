import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/u.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** What of the library writes YAML, or looks at what core/yaml has read. */
const harmless = new Set(["Document", "isAlias", "isCollection", "isMap", "isPair", "isScalar", "isSeq"]);
const writers = new Set(["stringify", "visit"]);

function yamlImports(text: string): string[] {
  return [...text.matchAll(/^import (type )?([^;]*?) from "(?:yaml|js-yaml)(?:\/[^"]*)?";/gmu)].flatMap(
    ([, isType, names = ""]) =>
      isType === undefined
        ? names
            .replace(/[{}]/gu, "")
            .split(",")
            .map((name) => name.trim())
            .filter((name) => name !== "" && !name.startsWith("type "))
        : [],
  );
}

describe("readers of what others write", () => {
  it("A17 YAML is parsed by core/yaml alone, which bounds it", () => {
    const found = sources
      .filter(({ file }) => !file.startsWith("core/yaml/"))
      .flatMap(({ file, text }) =>
        yamlImports(text)
          .filter((name) => !harmless.has(name) && !writers.has(name))
          .map((name) => `${file}: ${name}`),
      );
    expect(found).toEqual([]);
    // Libraries that bring a reader of their own get what ours has read, as JSON.
    const others = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\b(?:loadFromString|loadFromFile|loadYaml|loadAllYaml)\((?!JSON\.stringify\()/gu)].map(
        ([call]) => `${file}: ${call}`,
      ),
    );
    expect(others).toEqual([]);
  });
});
