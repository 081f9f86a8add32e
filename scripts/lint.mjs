// Lints every file that changed, or of which something changed that it imports, since it was last found clean.
//   node scripts/lint.mjs [OPTIONS OF ESLINT]
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import { lintKeys } from "./lint/lint-keys.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const memory = join(root, "node_modules/.cache/lint.json");
const skipped = new Set(["node_modules", ".git", "dist", "site"]);
/** What decides of every file: rules, packages, settings of types. */
const isCommon = (path) =>
  /^(?:eslint\.config\.js|package(?:-lock)?\.json|scripts\/own-keys-rule\.mjs)$|tsconfig[^/]*\.json$/u.test(path);

const texts = new Map(filesBelow(root).map((path) => [path, readFileSync(join(root, path), "utf8")]));
const common = [process.version, ...[...texts].filter(([path]) => isCommon(path)).flat()].join("\0");
const eslint = new ESLint({ cwd: root });
const keys = new Map();
for (const [path, key] of lintKeys(texts, common)) {
  if (!path.endsWith(".json") && !(await eslint.isPathIgnored(join(root, path)))) keys.set(path, key);
}
const clean = readClean();
const stale = [...keys].filter(([path, key]) => clean[path] !== key).map(([path]) => path);
if (stale.length > 0) {
  const program = join(root, "node_modules/eslint/bin/eslint.js");
  // All of them are not named: a command has a longest length.
  const named = stale.length > keys.size / 2 ? ["."] : stale;
  const args = [program, "--max-warnings", "0", ...process.argv.slice(2), ...named];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
if (stale.length > 0) {
  mkdirSync(dirname(memory), { recursive: true });
  writeFileSync(memory, JSON.stringify(Object.fromEntries(keys)));
}

/** What was found clean, by path; nothing where no lint has ended yet. */
function readClean() {
  try {
    return JSON.parse(readFileSync(memory, "utf8"));
  } catch {
    return {};
  }
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path);
    const isRead = entry.isFile() && /\.(?:[cm]?js|[cm]?tsx?|json)$/u.test(entry.name);
    return isRead ? [relative(root, path).split(sep).join("/")] : [];
  });
}
