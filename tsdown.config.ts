import { writeFile } from "node:fs/promises";
import { defineConfig } from "tsdown";
import { pageConfig, programConfig } from "./scripts/build/program-config.ts";
import { listClientDescriptions } from "./src/embedded-hub/discovery/client-descriptions.ts";

export default defineConfig([
  programConfig({
    entry: {
      main: "src/main.ts",
      "plan-worker": "src/daemon/unmerged/plan-worker.ts",
      "embedded-hub": "src/demo/hub-library.ts",
      "yaml-thread": "src/embedded-hub/http/yaml-thread.ts",
    },
    outDir: "dist",
    onSuccess: writeDescriptions,
  }),
  pageConfig("dist"),
]);

/** What `kubectl explain` prints on the embedded hub. */
async function writeDescriptions(): Promise<void> {
  await writeFile("dist/descriptions.json", JSON.stringify(listClientDescriptions()));
}
