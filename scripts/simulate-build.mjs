import { mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "tsdown";

const root = resolve(import.meta.dirname, "..");

/** An event leaves much garbage and keeps little: in a larger young generation most of it is never copied. */
const youngFlags = ["--max-semi-space-size=64"];

/**
 * Those of this process too. Stacks cost much where a simulated refusal is an error: only one who reads a trace wants them.
 */
export function simulatorFlags({ isTraced }) {
  return [...process.execArgv, ...youngFlags, isTraced ? "--enable-source-maps" : "--stack-trace-limit=0"];
}

/**
 * Bundles the simulator into one file that node runs by itself, calls `use` with its path, and removes it afterwards.
 * `fault` ({ file, from, to }) is planted in the bundle; the source stays as it is. `isTraced`: with a source map, which is
 * three quarters of the file.
 */
export async function withSimulator(use, { fault, isTraced = false } = {}) {
  const outDir = await mkdtemp(join(root, "node_modules", ".simulation-"));
  try {
    await build({
      cwd: root,
      entry: { script: "test/simulation/main.ts" },
      outDir,
      format: "esm",
      platform: "node",
      target: "node20",
      dts: false,
      sourcemap: isTraced ? "inline" : false,
      // A part that is read from disk while a world runs would come in no certain order.
      outputOptions: { codeSplitting: false },
      // The bundler gives a name twice in one of its modules (@opentelemetry/api), which then cannot load.
      deps: { neverBundle: ["prom-client"] },
      plugins: fault === undefined ? [] : [planted(fault)],
      config: false,
      logLevel: "silent",
    });
    return await use(join(outDir, "script.mjs"));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

function planted({ name, file, from, to }) {
  return {
    name: "planted-fault",
    transform: {
      order: "pre",
      handler: (code, id) => {
        if (id !== join(root, file)) return undefined;
        if (code.split(from).length !== 2) throw new Error(`${name}: its text is not exactly once in ${file}`);
        return code.replace(from, () => to);
      },
    },
  };
}
