// From what was measured to the rows of test/rules/fields.golden.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names in each measured row the test that failed, and reports it. Other rows stay. */
export function keepMeasured(root, path) {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  const found = new Map(lines.map((line) => JSON.parse(line)).map((row) => [row.id, row]));
  const golden = join(root, "test/rules/fields.golden");
  let section = "";
  const rows = readFileSync(golden, "utf8")
    .split("\n")
    .map((line) => {
      if (line.startsWith("[")) section = line.slice(1, -1);
      if (line === "" || line.startsWith("#") || line.startsWith("[")) return line;
      const [name] = line.split(" | ");
      const row = found.get(`${section} ${name}`);
      return row === undefined ? line : `${name} | ${textOf(root, row)} | measured`;
    });
  writeFileSync(golden, rows.join("\n"));
}

/** The file and the title as they are written there; a suite may be in a file that the test file imports. */
function textOf(root, { file, title, suites }) {
  const files = [file, ...importsOf(root, file)];
  for (const wanted of [title, ...[...suites].reverse()]) {
    for (const candidate of files) {
      const text = literalOf(readFileSync(join(root, candidate), "utf8"), wanted);
      if (text !== undefined) return `${candidate} | ${text}`;
    }
  }
  throw new Error(`${file} has no text ${title}`);
}

function importsOf(root, file) {
  const folder = file.slice(0, file.lastIndexOf("/"));
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/from "(\.[^"]+\.ts)"/gu)]
    .map(([, path]) => join(folder, path))
    .filter((path) => path.startsWith("test/") && existsSync(join(root, path)));
}

/** A title of a table of tests has `%s`, `$name` or `${name}` where a run has a value. */
function literalOf(text, title) {
  if (text.includes(title)) return title;
  for (const [, , written] of text.matchAll(/\(\s*(["'`])((?:(?!\1)[^\n\\]|\\.)+)\1/gu)) {
    const parts = written.split(/%[sdoji#]|\$\{[^}]*\}|\$[\w.]+/u);
    if (parts.length < 2 || parts.join("").length < 3) continue;
    const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")).join("[^]*");
    if (new RegExp(`^${pattern}$`, "u").test(title)) return written;
  }
  return undefined;
}
