import { join } from "node:path";
import { build } from "tsdown";

/**
 * Bundles a TypeScript file, with everything it imports, into one that node runs by itself: for tests that need a real
 * process to kill. Returns its path.
 */
export async function buildScript(entry: string, outDir: string): Promise<string> {
  await build({
    entry: { script: entry },
    outDir,
    format: "esm",
    platform: "node",
    noExternal: [/.*/u],
    logLevel: "silent",
    config: false,
    dts: false,
    clean: false,
  });
  return join(outDir, "script.mjs");
}
