import { defineConfig } from "tsdown";
import { bundledPackages } from "./scripts/build/bundled-packages.ts";

const errors = `import { AppError } from "${import.meta.dirname}/src/core/errors.ts";`;

/** Commands that need more than one file: machine code, the files of the page, an example repository. */
const commandsOfPackage = `${errors}
const refuse = () => {
  throw new AppError("E_UNSUPPORTED", "this file has no hub and no daemon: install the package, or use the image");
};
export { refuse as runHub, refuse as runDaemon, refuse as runUp };`;

/** The agent shares its machine with others' work: what it never uses would stay in its memory. */
const commandLine = `${errors}
export const runProgram = () => {
  throw new AppError("E_USAGE", "this file is the agent alone: start it with the argument agent, and nothing else");
};`;

export default defineConfig([
  singleFile("rollcall", /\/src\/cli\/commands\/(?:hub|run|up)\.ts$/u, commandsOfPackage),
  singleFile("rollcall-agent", /\/src\/cli\/program\.ts$/u, commandLine),
]);

/** The program in one file for `node`, with other code in place of the files that `replaced` matches. */
function singleFile(name: string, replaced: RegExp, replacement: string) {
  return {
    name,
    entry: { [name]: "src/main.ts" },
    format: "esm" as const,
    platform: "node" as const,
    target: "node20",
    outDir: `dist-single/${name}`,
    outExtensions: () => ({ js: ".mjs" }),
    outputOptions: { codeSplitting: false },
    deps: { alwaysBundle: [/^(?!node:)/u], onlyBundle: false as const },
    plugins: [
      bundledPackages(),
      { name: "replaced", load: (id: string) => (replaced.test(id) ? replacement : undefined) },
    ],
    banner: { js: "#!/usr/bin/env node" },
    minify: true,
    dts: false,
    logLevel: "warn" as const,
  };
}
