// Keys that decide which files a lint has to check again.
import { createHash } from "node:crypto";
import { posix } from "node:path";

const relativePath = /["'](\.{1,2}\/[^"'\n]+)["']/gu;
/** Types that hold in files which do not import them. */
const changesOtherModules = /^declare (?:global|module)\b/mu;

/**
 * By path a key of what a rule may see of a file: its text, the texts of all that it imports, however far away, since rules know
 * the types of these, and what counts for every file.
 */
export function lintKeys(texts, common) {
  const hashes = new Map([...texts].map(([path, text]) => [path, hashOf([text])]));
  const imports = new Map([...texts].map(([path, text]) => [path, importsOf(path, text, texts)]));
  const everywhere = [...texts].filter(([, text]) => changesOtherModules.test(text)).map(([path]) => path);
  const keyOf = (path) => {
    const seen = [...reach([path, ...everywhere], imports)].sort();
    return hashOf([common, path, ...seen.map((other) => `${other} ${hashes.get(other)}`)]);
  };
  return new Map([...texts.keys()].map((path) => [path, keyOf(path)]));
}

/** Any text with the form of a path counts: one too many lints a file too often, one too few would pass over a fault. */
function importsOf(path, text, texts) {
  const named = [...text.matchAll(relativePath)].map(([, relative]) => posix.join(posix.dirname(path), relative));
  return named.filter((other) => texts.has(other));
}

function reach(paths, imports) {
  const seen = new Set(paths);
  // A set gives what is added while it is read, too.
  for (const path of seen) for (const other of imports.get(path) ?? []) seen.add(other);
  return seen;
}

function hashOf(texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
}
