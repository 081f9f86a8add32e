import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { defineConfig } from "tsdown";
import { bundledPackages } from "./scripts/build/bundled-packages.ts";
import { listClientDescriptions } from "./src/embedded-hub/discovery/client-descriptions.ts";

/** The bundler gives two things of this package's CommonJS form the same name; its other form has the same content. */
const moduleForm = {
  "@opentelemetry/api": join(import.meta.dirname, "node_modules/@opentelemetry/api/dist/index.mjs"),
};

/** Machine code, one file for each system: it stays a package of its own, inside of ours (bundleDependencies). */
const native = "classic-level";

const browser = "src/web/dashboard/browser";

export default defineConfig([
  {
    entry: {
      main: "src/main.ts",
      "plan-worker": "src/daemon/unmerged/plan-worker.ts",
      "embedded-hub": "src/demo/hub-library.ts",
    },
    format: "esm",
    platform: "node",
    target: "node20",
    outDir: "dist",
    outExtensions: () => ({ js: ".js" }),
    dts: false,
    logLevel: "warn",
    // What is tested is what is installed: no package is resolved on the machine of a user.
    deps: { alwaysBundle: [/^(?!node:)/u], neverBundle: [native], onlyBundle: false },
    plugins: [bundledPackages()],
    alias: moduleForm,
    clean: ["dist/*.js", "dist/*.map"],
    onSuccess: writeDescriptions,
  },
  {
    name: "page",
    entry: { page: `${browser}/page.tsx` },
    format: "esm",
    platform: "browser",
    target: "es2022",
    tsconfig: `${browser}/tsconfig.json`,
    outDir: "dist/page",
    outExtensions: () => ({ js: ".js" }),
    // Everything is in the one script: the page loads nothing from elsewhere.
    deps: { alwaysBundle: [/./u], onlyBundle: false },
    minify: true,
    dts: false,
    logLevel: "warn",
    clean: false,
    onSuccess: copyPageFiles,
  },
]);

/** What `kubectl explain` prints on the embedded hub. */
async function writeDescriptions(): Promise<void> {
  await writeFile("dist/descriptions.json", JSON.stringify(listClientDescriptions()));
}

/** The page's other files; the style of its plots stands before its own. */
async function copyPageFiles(): Promise<void> {
  for (const name of ["index.html", "icon.svg"]) await copyFile(`${browser}/${name}`, `dist/page/${name}`);
  const plots = await readFile(createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css"), "utf8");
  await writeFile("dist/page/page.css", `${plots}\n${await readFile(`${browser}/page.css`, "utf8")}`);
}
