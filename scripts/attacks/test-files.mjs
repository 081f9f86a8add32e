// Which test files run the tests of a file: itself, or those that import it, directly or not (test/contract/agent/suite.ts).
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve, relative } from "node:path";

/** Test files of the projects for named files, sorted, and the named files that are of other projects; paths from the root. */
export function testFilesOf(root, named, projects) {
  const importers = importersOf(root);
  const folders = projects.flatMap((project) => folderNames[project] ?? [project]).map((name) => `test/${name}/`);
  const isOurs = (file) => folders.some((folder) => file.startsWith(folder));
  const files = new Set();
  const others = new Set();
  for (const file of new Set(named)) {
    const found = [...reachedFrom(file, importers)].filter((each) => each.endsWith(".test.ts"));
    const own = found.filter(isOurs);
    for (const each of own) files.add(each);
    if (own.length === 0) others.add(file);
  }
  return { files: [...files].sort(), others: [...others].sort() };
}

/** Folders of a project of vitest.config.ts, where they are not its name alone. */
const folderNames = { unit: ["unit", "rules"], e2e: ["e2e", "seeds"] };

function reachedFrom(file, importers) {
  const reached = new Set([file]);
  for (const each of reached) {
    for (const importer of importers.get(each) ?? []) reached.add(importer);
  }
  return reached;
}

function importersOf(root) {
  const importers = new Map();
  for (const entry of readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })) {
    const file = `test/${entry.replaceAll("\\", "/")}`;
    if (!file.endsWith(".ts")) continue;
    for (const [, path] of readFileSync(join(root, file), "utf8").matchAll(/from "(\.[^"]+)"/gu)) {
      const imported = relative(root, resolve(root, dirname(file), path)).replaceAll("\\", "/");
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}
