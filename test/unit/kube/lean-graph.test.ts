import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../../src");

/** All modules that a file of src/ imports when it is loaded, packages by name, own files by their path in src/. */
function graphOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(root, file), "utf8");
  for (const [, specifier = ""] of text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from "([^"]+)"/gmu)) {
    if (!specifier.startsWith(".")) seen.add(specifier);
    else graphOf(relative(root, resolve(root, dirname(file), specifier)), seen);
  }
  return seen;
}

describe("what an agent loads of kube", () => {
  it("is nothing but Node.js: no undici, no YAML, no official client", () => {
    const entries = ["kube/kube-api", "kube/https-transport", "kube/read-in-cluster-config", "http/choose-proxy"];
    const loaded = new Set(entries.flatMap((entry) => [...graphOf(`${entry}.ts`)]));
    const packages = [...loaded].filter((name) => !name.endsWith(".ts") && !name.startsWith("node:"));
    expect(packages).toEqual([]);
    expect(loaded).toContain("kube/open-socket.ts");
  });

  it("grows by the official client only when a kubeconfig needs a plugin", () => {
    const loaded = graphOf("kube/read-trusted-kubeconfig.ts");
    expect(loaded).toContain("yaml");
    expect(loaded).not.toContain("@kubernetes/client-node");
  });
});
