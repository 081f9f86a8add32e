// Generates types, CRDs, strict schemas and spec pages from schemas/.
//   node scripts/generate.mjs          writes what changed
//   node scripts/generate.mjs --check  writes nothing; exit status 1 when a file differs, listing each
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { generatedFolders, renderOutputs } from "./generate/outputs.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const isCheck = process.argv.includes("--check");

const outputs = await renderOutputs(join(root, "schemas"));
const changed = [...outputs].filter(([path, text]) => readText(path) !== text);
const stale = generatedFolders.flatMap(filesBelow).filter((path) => !outputs.has(path));

if (isCheck) {
  const complaints = [
    ...changed.map(([path]) => `differs from what schemas/ declare: ${path}`),
    ...stale.map((path) => `is no longer generated: ${path}`),
  ];
  if (complaints.length > 0) {
    process.stderr.write([...complaints, "run: npm run generate", ""].join("\n"));
    process.exitCode = 1;
  }
} else {
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const path of stale) rmSync(join(root, path));
  process.stdout.write(`${outputs.size} files, ${changed.length} written, ${stale.length} removed\n`);
}

function readText(path) {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function filesBelow(folder) {
  const absolute = join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}
