import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCodes } from "../../../src/core/error-codes.ts";
import { version } from "../../../src/core/version.ts";

const root = join(import.meta.dirname, "../../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  dependencies: Record<string, string>;
  bundleDependencies: readonly string[];
};

/** Packages that the program imports by name. */
const imported = new Set(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.startsWith(join("web", "dashboard", "browser")))
    .flatMap((path) => [
      ...readFileSync(join(root, "src", path), "utf8").matchAll(/(?:from |^import |import\()"(@?[a-z][-./\w]*)"/gmu),
    ])
    .map(([, name = ""]) => name),
);

describe("the table of error codes", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith("error-codes.ts"))
    .map((path) => readFileSync(join(root, "src", path), "utf8"))
    .join("\n");

  it.each(Object.keys(errorCodes))("%s is used somewhere", (code) => {
    expect(sources.includes(`"${code}"`)).toBe(true);
  });

  it("names a title and a remedy for every code", () => {
    for (const [code, { title, remedy }] of Object.entries(errorCodes)) {
      expect(title, code).not.toBe("");
      expect(remedy, code).toMatch(/[.!]$/u);
    }
  });
});

describe("the package", () => {
  it("has the version that the program prints", () => {
    expect(version).toBe(manifest.version);
  });

  it.each([...imported].sort())("can import %s on this Node.js", async (name) => {
    await import("reflect-metadata"); // @peculiar/x509 wants it first
    const module: object = (await import(name)) as object;
    expect(Object.keys(module).length + Number("default" in module)).toBeGreaterThan(0);
  });

  it("carries what it depends on, so that nothing else is installed", () => {
    expect(manifest.bundleDependencies).toEqual(Object.keys(manifest.dependencies));
  });
});
