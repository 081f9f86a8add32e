import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { defineConfig } from "tsdown";

/** What review commands load at every start: many small files, which take longer to find and to read than to run. */
const bundled = /^(?:@marcbachmann\/cel-js|ajv|ajv-formats|commander|isomorphic-git|picocolors|yaml)(?:\/|$)/u;

const browser = "src/web/dashboard/browser";

export default defineConfig([
  {
    entry: { main: "src/main.ts", "plan-worker": "src/daemon/unmerged/plan-worker.ts" },
    format: "esm",
    platform: "node",
    target: "node20",
    outDir: "dist",
    outExtensions: () => ({ js: ".js" }),
    dts: false,
    sourcemap: true,
    deps: { alwaysBundle: [bundled], onlyBundle: false },
    clean: ["dist/*.js", "dist/*.map"],
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
    clean: false,
    onSuccess: copyPageFiles,
  },
]);

/** The page's other files; the style of its plots stands before its own. */
async function copyPageFiles(): Promise<void> {
  for (const name of ["index.html", "icon.svg"]) await copyFile(`${browser}/${name}`, `dist/page/${name}`);
  const plots = await readFile(createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css"), "utf8");
  await writeFile("dist/page/page.css", `${plots}\n${await readFile(`${browser}/page.css`, "utf8")}`);
}
