import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../../src");

/** What is loaded with a file: its imports that are not of types alone, and theirs. */
function loadedWith(entry: string): { readonly files: readonly string[]; readonly packages: readonly string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(/^(?:import|export)(?! type\b)[^;]*?from "([^"]+)";/gmu)) {
      if (specifier.startsWith(".")) visit(resolve(dirname(file), specifier));
      else packages.add(specifier);
    }
  };
  visit(resolve(root, entry));
  return { files: [...files].map((file) => relative(root, file)).sort(), packages: [...packages].sort() };
}

/** Without the lines that are comments, which are not loaded. */
function codeBytesOf(text: string): number {
  const code = text.split("\n").filter((line) => !/^\s*(?:\/\*\*|\*|\/\/)/u.test(line));
  return Buffer.byteLength(code.join("\n"));
}

describe("what an agent loads", () => {
  const { files, packages } = loadedWith("cli/lean-agent.ts");

  it("is itself and Node.js: no package", () => {
    expect(packages.filter((name) => !name.startsWith("node:"))).toEqual([]);
    expect(files).toContain("agent/agent.ts");
    expect(files).toContain("kube/https-transport.ts");
  });

  it("has nothing of the hub, of files or of git", () => {
    const foreign =
      /^(?:hub|planning|policy|manifests|reconcile|git|forge|web|publish|adopt|embedded-)|join\/rollcall\/hub/u;
    expect(files.filter((file) => foreign.test(file))).toEqual([]);
    expect(files.filter((file) => file.startsWith("model/generated/"))).toEqual([]);
  });

  it("is small: its size decides its memory", () => {
    const sizeBytes = files.reduce((sum, file) => sum + codeBytesOf(readFileSync(resolve(root, file), "utf8")), 0);
    expect(files.length).toBeLessThanOrEqual(96);
    expect(sizeBytes).toBeLessThan(290_000);
  });
});
