// Imports a module of src/ with what it imports from src/: Node.js 20 runs no TypeScript, and dist/ may be older than src/.
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

/** The exports of the module. It may import nothing but Node.js and other modules below `sourceFolder`. */
export async function importTypeScript(sourceFolder, path) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-generate-"));
  try {
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const done = new Set();
    const queue = [resolve(sourceFolder, path)];
    for (const file of queue) {
      if (done.has(file)) continue;
      done.add(file);
      const target = join(folder, relative(sourceFolder, file)).replace(/\.ts$/u, ".js");
      const text = transpile(readFileSync(file, "utf8"));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
      for (const [, specifier] of text.matchAll(/(?:from|import)\s*"(\.[^"]+)\.js"/gu)) {
        queue.push(resolve(dirname(file), `${specifier}.ts`));
      }
    }
    return await import(pathToFileURL(join(folder, path.replace(/\.ts$/u, ".js"))).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function transpile(text) {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  return outputText;
}
