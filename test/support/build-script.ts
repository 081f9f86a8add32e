import { join } from "node:path";
import { build } from "tsdown";

/**
 * Bundles a TypeScript file, with everything it imports, into one that node runs by itself: for tests that need a real
 * process to kill. Returns its path. With `leavesPackages`, those stay in `node_modules`, and `outDir` must be there: machine code
 * cannot be bundled.
 */
export async function buildScript(entry: string, outDir: string, { leavesPackages = false } = {}): Promise<string> {
  await build({
    entry: { script: entry },
    outDir,
    format: "esm",
    platform: "node",
    ...(leavesPackages ? { external: [/^[\w@]/u] } : { noExternal: [/.*/u] }),
    logLevel: "silent",
    config: false,
    dts: false,
    clean: false,
  });
  return join(outDir, "script.mjs");
}
