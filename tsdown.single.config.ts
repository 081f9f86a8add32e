import { defineConfig } from "tsdown";
import { importAppError } from "./scripts/build/program-config.ts";
import { agentFile, replacedFiles, singleFile } from "./scripts/build/single-file.ts";

/** Commands that need more than one file: machine code, the files of the page, an example repository. */
const commandsOfPackage = `${importAppError}
const refuse = () => {
  throw new AppError("E_UNSUPPORTED", "this file has no hub and no daemon: install the package, or use the image");
};
export { refuse as runHub, refuse as runDaemon, refuse as runUp };`;

export default defineConfig([
  singleFile("rollcall", "dist-single", replacedFiles(/\/src\/cli\/commands\/(?:hub|run|up)\.ts$/u, commandsOfPackage)),
  agentFile("dist-single"),
]);
