// What the images of deploy/Dockerfile run: the program without the embedded hub, and the agent alone.
import { defineConfig } from "tsdown";
import { importAppError, pageConfig, programConfig } from "./scripts/build/program-config.ts";
import { agentFile, replacedFiles } from "./scripts/build/single-file.ts";

/** A hub inside of the image would be one that no backup and no upgrade of the cluster knows. */
const commandsOfHub = `${importAppError}
const refuse = () => {
  throw new AppError("E_UNSUPPORTED", "the image has no hub of its own: install the package");
};
export { refuse as runHub, refuse as runUp };`;

export default defineConfig([
  programConfig({
    entry: { main: "src/main.ts", "plan-worker": "src/daemon/unmerged/plan-worker.ts" },
    outDir: "dist-image/dist",
    plugins: [replacedFiles(/\/src\/cli\/commands\/(?:hub|up)\.ts$/u, commandsOfHub)],
  }),
  pageConfig("dist-image/dist"),
  agentFile("dist-image"),
]);
