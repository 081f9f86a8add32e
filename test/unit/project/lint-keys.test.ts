import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

type LintKeys = (texts: ReadonlyMap<string, string>, common: string) => ReadonlyMap<string, string>;

const path = pathToFileURL(resolve(import.meta.dirname, "../../../scripts/lint/lint-keys.mjs")).href;
const { lintKeys } = (await import(path)) as { lintKeys: LintKeys };

const texts: Readonly<Record<string, string>> = {
  "src/a.ts": 'import { b } from "./in/b.ts";\n',
  "src/in/b.ts": 'import type { C } from "../c.ts";\nexport { x } from "./data.json";\n',
  "src/c.ts": 'const later = import("./in/b.ts");\n',
  "src/in/data.json": "{}",
  "src/alone.ts": "export const one = 1;\n",
  "test/types.ts": 'declare module "vitest" {}\n',
};

/** The files that are linted again after a change. */
function changedBy(change: Readonly<Record<string, string | undefined>>, common = "rules"): string[] {
  const before = lintKeys(new Map(Object.entries(texts)), "rules");
  const present = Object.entries({ ...texts, ...change }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const after = lintKeys(new Map(present), common);
  return [...after].filter(([name, key]) => before.get(name) !== key).map(([name]) => name);
}

describe("a file that was found clean is linted again", () => {
  it("never, while nothing changes", () => expect(changedBy({})).toEqual([]));

  it("when it changes, and no other one does", () =>
    expect(changedBy({ "src/alone.ts": "export const one = 2;\n" })).toEqual(["src/alone.ts"]));

  it("when what it imports changes, through others, in a circle, by type or as data", () => {
    expect(changedBy({ "src/c.ts": "export type C = 1;\n" })).toEqual(["src/a.ts", "src/in/b.ts", "src/c.ts"]);
    expect(changedBy({ "src/in/data.json": "[]" })).toEqual([
      "src/a.ts",
      "src/in/b.ts",
      "src/c.ts",
      "src/in/data.json",
    ]);
  });

  it("when what it imports is deleted, or is there for the first time", () => {
    expect(changedBy({ "src/in/data.json": undefined })).toEqual(["src/a.ts", "src/in/b.ts", "src/c.ts"]);
    const waits = 'import "./new.ts";\n';
    const keys = (more: object) =>
      lintKeys(new Map(Object.entries({ "src/w.ts": waits, ...more })), "").get("src/w.ts");
    expect(keys({})).not.toBe(keys({ "src/new.ts": "" }));
  });

  it("when a file changes that adds types to other modules, or the rules do", () => {
    expect(changedBy({ "test/types.ts": "declare global {}\n" })).toHaveLength(Object.keys(texts).length);
    expect(changedBy({}, "other rules")).toHaveLength(Object.keys(texts).length);
  });
});
