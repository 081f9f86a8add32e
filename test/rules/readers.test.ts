import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/u.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** What of the library writes YAML, or inspects what core/yaml has read. */
const harmless = new Set(["Document", "isAlias", "isCollection", "isMap", "isPair", "isScalar", "isSeq"]);
const writers = new Set(["stringify", "visit"]);

/** Who may call JSON.parse besides core/parse-json, and on what. */
const ownJson: ReadonlyMap<string, string> = new Map([
  ["core/exact-json.ts", "what only the embedded hub reads, after bounds of its own, and its store"],
  ["embedded-hub/http/duplicate-keys.ts", "one key of such a body"],
  ["embedded-hub/store/level-persistence.ts", "the hub's own store"],
  ["embedded-hub/types/type-registry.ts", "generated tables"],
  ["join/rollcall/hub/hub-info.ts", "what the function before has written"],
  ["manifests/validate-foreign.ts", "a copy of a value that is bounded"],
  ["work-tree/parse-cache.ts", "a cache that only this program writes"],
]);

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

  it("A17 JSON of others is parsed by core/parse-json alone, which bounds it", () => {
    const found = sources
      // A browser reads what the daemon that served its page answers.
      .filter(({ file }) => !file.startsWith("web/dashboard/browser/"))
      .filter(({ file, text }) => !ownJson.has(file) && /\bJSON\.parse\b|\.json\(\)/u.test(text))
      .map(({ file }) => file);
    expect(found).toEqual(["core/parse-json.ts"]);
    const unused = [...ownJson.keys()].filter(
      (name) => !sources.some(({ file, text }) => file === name && text.includes("JSON.parse(")),
    );
    expect(unused).toEqual([]);
  });
});
