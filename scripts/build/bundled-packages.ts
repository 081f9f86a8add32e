import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TsdownPlugin } from "tsdown";

interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly licenseTexts: readonly string[];
}

/**
 * A plugin of the bundler that writes two files beside the bundle: `packages.json` (name, version and license of each
 * package that it was made of) and `licenses.txt` (the texts that their licenses ask to be passed on).
 */
export function bundledPackages(): TsdownPlugin {
  return {
    name: "bundled-packages",
    generateBundle(_options, bundle) {
      const folders = new Set(
        Object.values(bundle).flatMap((output) =>
          output.type === "chunk" ? output.moduleIds.flatMap((id) => packageFolderOf(id) ?? []) : [],
        ),
      );
      const packages = [...folders].map(readPackage).sort((a, b) => compare(keyOf(a), keyOf(b)));
      const table = packages.map(({ name, version, license }) => ({ name, version, license }));
      this.emitFile({ type: "asset", fileName: "packages.json", source: `${JSON.stringify(table, undefined, 2)}\n` });
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: packages.map(licenseText).join("\n") });
    },
  };
}

/** The folder of the package that a module belongs to; undefined for our own modules. */
function packageFolderOf(id: string): string | undefined {
  const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(id) ?? [];
  return folder;
}

function readPackage(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as BundledPackage;
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/iu.test(file));
  const licenseTexts = files.sort(compare).map((file) => readFileSync(join(folder, file), "utf8").trim());
  return { name: manifest.name, version: manifest.version, license: manifest.license, licenseTexts };
}

function keyOf({ name, version }: BundledPackage): string {
  return `${name} ${version}`;
}

function licenseText({ name, version, license, licenseTexts }: BundledPackage): string {
  return [`== ${name} ${version} (${license})`, "", ...licenseTexts, ""].join("\n");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
