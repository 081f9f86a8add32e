import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { TsdownPlugin, UserConfig } from "tsdown";
import { bundledPackages } from "./bundled-packages.ts";

const root = resolve(import.meta.dirname, "../..");
const browser = "src/web/dashboard/browser";

/** The bundler gives two things of this package's CommonJS form the same name; its other form has the same content. */
const moduleForm = {
  "@opentelemetry/api": join(root, "node_modules/@opentelemetry/api/dist/index.mjs"),
};

/** Machine code, one file for each system: it stays a package of its own, inside of ours (bundleDependencies). */
const native = "classic-level";

/** Begins a file that replaces another one. */
export const importAppError = `import { AppError } from "${root}/src/core/errors.ts";`;

interface ProgramOptions {
  /** File of the source for each file of `outDir` that is imported from outside. */
  readonly entry: Readonly<Record<string, string>>;
  /** Relative to the checkout. */
  readonly outDir: string;
  readonly plugins?: readonly TsdownPlugin[];
  readonly onSuccess?: () => Promise<void>;
}

/** The program in many files, each loaded when it is needed. */
export function programConfig({ entry, outDir, plugins = [], onSuccess }: ProgramOptions): UserConfig {
  return {
    entry: { ...entry },
    format: "esm",
    platform: "node",
    target: "node20",
    outDir,
    outExtensions: () => ({ js: ".js" }),
    dts: false,
    logLevel: "warn",
    // What is tested is what is installed: no package is resolved on the machine of a user.
    deps: { alwaysBundle: [/^(?!node:)/u], neverBundle: [native], onlyBundle: false },
    plugins: [bundledPackages(), ...plugins],
    alias: moduleForm,
    clean: [`${outDir}/*.js`, `${outDir}/*.map`],
    ...(onSuccess === undefined ? {} : { onSuccess }),
  };
}

/** The page, in the folder `page` of `outDir`. */
export function pageConfig(outDir: string): UserConfig {
  return {
    name: "page",
    entry: { page: `${browser}/page.tsx` },
    format: "esm",
    platform: "browser",
    target: "es2022",
    tsconfig: `${browser}/tsconfig.json`,
    outDir: `${outDir}/page`,
    outExtensions: () => ({ js: ".js" }),
    // Everything is in the one script: the page loads nothing from elsewhere.
    deps: { alwaysBundle: [/./u], onlyBundle: false },
    plugins: [bundledPackages()],
    minify: true,
    dts: false,
    logLevel: "warn",
    clean: false,
    onSuccess: () => copyPageFiles(`${outDir}/page`),
  };
}

/** The page's other files; the style of its plots stands before its own. */
async function copyPageFiles(folder: string): Promise<void> {
  for (const name of ["index.html", "icon.svg"]) await copyFile(`${browser}/${name}`, `${folder}/${name}`);
  const plots = await readFile(createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css"), "utf8");
  await writeFile(`${folder}/page.css`, `${plots}\n${await readFile(`${browser}/page.css`, "utf8")}`);
}
