import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** A statement that imports or exports from a file of ours: its kind words, its names in braces, and the file. */
const imports = /^\s*(?:import|export)\s(?<names>[^"';]*?)\sfrom "(?<file>\.[^"]+)"/gmu;
const dynamicImports = /import\("(?<file>\.[^"]+)"\)/gu;
/** How scripts import sources: `importTypeScript(folder, "planning/cluster-phase.ts")`. */
const scriptImports = /importTypeScript\((?:join\([^)]*\)|\w+),\s*"(?<file>[^"]+)"/gu;
/** Declarations of values. A type is exported with the function that has it in its signature. */
const exported = /^export (?:async )?(?:function\*?|const|class) (?<name>\w+)/gmu;

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:ts|tsx|mjs)$/u.test(path))
    .map((path) => join(folder, path));
}

/** `file#name` of everything that some file imports; `file#*` where all of it may be used. */
function namesUsedBy(path: string, text: string): string[] {
  const fileOf = (target: string): string => resolve(root, dirname(path), target);
  const all = [...text.matchAll(dynamicImports)].map(({ groups }) => `${fileOf(groups?.["file"] ?? "")}#*`);
  for (const { groups } of text.matchAll(scriptImports)) all.push(`${resolve(root, "src", groups?.["file"] ?? "")}#*`);
  for (const { groups } of text.matchAll(imports)) {
    const { names = "", file = "" } = groups ?? {};
    const inBraces = /\{(?<list>[^}]*)\}/u.exec(names)?.groups?.["list"];
    if (inBraces === undefined) all.push(`${fileOf(file)}#*`);
    for (const name of inBraces?.split(",") ?? []) {
      all.push(
        `${fileOf(file)}#${
          name
            .trim()
            .replace(/^type /u, "")
            .split(" as ")[0] ?? ""
        }`,
      );
    }
  }
  return all;
}

function unusedExports(files: ReadonlyMap<string, string>): string[] {
  const used = new Set([...files].flatMap(([path, text]) => namesUsedBy(path, text)));
  return [...files].flatMap(([path, text]) => {
    const file = resolve(root, path);
    if (!path.startsWith("src/") || path.includes("/generated/") || used.has(`${file}#*`)) return [];
    return [...text.matchAll(exported)]
      .map(({ groups }) => groups?.["name"] ?? "")
      .filter((name) => !used.has(`${file}#${name}`))
      .map((name) => `${path}: ${name}`);
  });
}

describe("an export", () => {
  it("is imported by some file", () => {
    const paths = ["src", "test", "scripts"].flatMap(sourcesIn).concat("tsdown.config.ts");
    const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
    expect(files.size).toBeGreaterThan(1000);
    expect(unusedExports(files)).toEqual([]);
  });

  it("is found when nothing imports it", () => {
    const files = new Map([
      ["src/a.ts", "export function used(): void {}\nexport const unused = 1;\nexport class Renamed {}\n"],
      ["src/b.ts", 'import {\n  used,\n  type Renamed as Other,\n} from "./a.ts";\nexport async function late() {}\n'],
      ["src/c.ts", 'const { late } = await import("./b.ts");\n'],
    ]);
    expect(unusedExports(files)).toEqual(["src/a.ts: unused"]);
  });
});
