import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

function sourceFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sourceFiles(path);
    return /\.tsx?$/u.test(path) ? [path] : [];
  });
}

interface LockedPackage {
  readonly link?: boolean;
  readonly version?: string;
  readonly integrity?: string;
}

describe("what the program is made of", () => {
  it("A46 has one name for the whole of a module of Node.js: between two the bundler chooses by chance", () => {
    const imports = sourceFiles(join(root, "src")).flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^import (\w+)(?:, \{[^}]*\})? from "(node:[\w/]+)";/gmu)].map(
        ([, name = "", module = ""]) => `${module} ${name}`,
      ),
    );
    expect(new Set(imports)).toEqual(new Set(["node:process process"]));
  });

  it("A46 is locked by content: each package has a digest, and none comes from an address of its own", () => {
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, LockedPackage>>;
    };
    const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
    expect(packages.length).toBeGreaterThan(100);
    expect(packages.filter(([, entry]) => !/^sha512-/u.test(entry.integrity ?? "")).map(([path]) => path)).toEqual([]);
    expect(JSON.stringify(lock)).not.toMatch(/git\+|"file:|http:/u);
  });

  it("A46 names its dependencies by exact version", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(all.filter(([, version]) => !/^(?:npm:typescript@)?\d+\.\d+\.\d+$/u.test(version))).toEqual([]);
  });

  it("A46 names the image that it is built on by digest", () => {
    const text = readFileSync(join(root, "deploy/Dockerfile"), "utf8");
    expect(text).toMatch(/^ARG NODE_IMAGE=\S+@sha256:[0-9a-f]{64}$/mu);
    expect(text.match(/^FROM .*/gmu)).toEqual([
      "FROM ${NODE_IMAGE} AS build",
      "FROM ${NODE_IMAGE} AS runtime",
      "FROM runtime AS agent",
      "FROM runtime AS daemon",
    ]);
  });

  it("A15 opens no archive: only git objects, packs, HTTP and its own rows are unpacked", () => {
    const unpacking = sourceFiles(join(root, "src"))
      .filter((file) => /"node:zlib"/u.test(readFileSync(file, "utf8")))
      .map((file) => file.slice(root.length + 1));
    expect(unpacking.filter((file) => !/^src\/(?:git|embedded-hub\/(?:http|store)|web)\//u.test(file))).toEqual([]);
    const archives = /^(?:tar|tar-stream|yauzl|unzipper|adm-zip|jszip|decompress)$/u;
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(Object.keys(manifest.dependencies).filter((name) => archives.test(name))).toEqual([]);
  });
});
