import type { TsdownPlugin, UserConfig } from "tsdown";
import { bundledPackages } from "./bundled-packages.ts";
import { importAppError } from "./program-config.ts";

/** The agent shares its machine with others' work: what it never uses would stay in its memory. */
const commandLine = `${importAppError}
export const runProgram = () => {
  throw new AppError("E_USAGE", "this file is the agent alone: start it with the argument agent, and nothing else");
};`;

/** The agent in one file for `node`, in the folder `rollcall-agent` of `outDir`. */
export function agentFile(outDir: string): UserConfig {
  return singleFile("rollcall-agent", outDir, replacedFiles(/\/src\/cli\/program\.ts$/u, commandLine));
}

/** The program in one file for `node`, in the folder `name` of `outDir`. */
export function singleFile(name: string, outDir: string, replaced: TsdownPlugin): UserConfig {
  return {
    name,
    entry: { [name]: "src/main.ts" },
    format: "esm",
    platform: "node",
    target: "node20",
    outDir: `${outDir}/${name}`,
    outExtensions: () => ({ js: ".mjs" }),
    outputOptions: { codeSplitting: false },
    deps: { alwaysBundle: [/^(?!node:)/u], onlyBundle: false },
    plugins: [bundledPackages(), replaced],
    banner: { js: "#!/usr/bin/env node" },
    minify: true,
    dts: false,
    logLevel: "warn",
  };
}

/** A plugin of the bundler that reads `content` in place of the files whose paths match. */
export function replacedFiles(path: RegExp, content: string): TsdownPlugin {
  return { name: "replaced", load: (id: string) => (path.test(id) ? content : undefined) };
}
