import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

interface Step {
  readonly file: string;
  /** The file that imports it, or that calls it by `name`. Absent: the walk begins here. */
  readonly caller: string | undefined;
  readonly name: string | undefined;
}

const page = readFileSync("docs/architecture.md", "utf8");

/** The rows of the table below a heading. */
function walkOf(heading: string): Step[] {
  const section = page.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) => {
    const [, file = "", , calledBy = ""] = row.split("|").map((cell) => cell.trim());
    const names = [...calledBy.matchAll(/`([^`]+)`/gu)].map(([, quoted = ""]) => quoted);
    return { file: file.replaceAll("`", ""), caller: names.at(-1), name: names.length === 2 ? names[0] : undefined };
  });
}

function isImportedBy(file: string, caller: string): boolean {
  const text = readFileSync(join("src", caller), "utf8");
  const path = relative(dirname(caller), file).replaceAll("\\", "/");
  return text.includes(`from "${path.startsWith(".") ? path : `./${path}`}"`);
}

describe.each(["The walk from a commit to the status commit", "The walk from a changed Cluster to its children"])(
  "%s",
  (heading) => {
    const steps = walkOf(heading);

    it("has no file twice", () => {
      const files = steps.map(({ file }) => file);
      expect(files.length).toBeGreaterThan(10);
      expect(files.filter((file, index) => files.indexOf(file) !== index)).toEqual([]);
    });

    it.each(steps)("reaches $file", ({ file, caller, name }) => {
      expect(existsSync(join("src", file))).toBe(true);
      if (caller === undefined) return expect(steps[0]?.file).toBe(file);
      const earlier = steps.slice(
        0,
        steps.findIndex((step) => step.file === file),
      );
      expect(earlier.map((step) => step.file)).toContain(caller);
      if (name === undefined) expect(isImportedBy(file, caller)).toBe(true);
      else expect(readFileSync(join("src", caller), "utf8")).toContain(name);
    });
  },
);
