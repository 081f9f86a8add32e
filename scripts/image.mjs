// npm run image -- FOLDER [--base IMAGE] [--store FOLDER]    builds deploy/Dockerfile with buildah, without a daemon of containers
// npm run image -- base [--store FOLDER]                     makes localhost/rollcall-base of Debian's packages and this Node.js
// FOLDER gets rollcall.tar and rollcall-agent.tar (OCI archives). The same commit and the same base give the same digests.
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeBase } from "./image/base.mjs";
import { openBuildah } from "./image/buildah.mjs";

const root = resolve(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { base: { type: "string" }, store: { type: "string" } },
});
const [folder] = positionals;
if (folder === undefined || positionals.length > 1) {
  console.error("image: npm run image -- FOLDER [--base IMAGE] [--store FOLDER], or base [--store FOLDER]");
  process.exit(2);
}
const buildah = openBuildah(values.store);
if (folder === "base") console.log(makeBase(buildah));
else buildImages(resolve(folder));

function buildImages(target) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  mkdirSync(target, { recursive: true });
  for (const [name, stage] of [
    ["rollcall", "daemon"],
    ["rollcall-agent", "agent"],
  ]) {
    const image = `localhost/${name}:${version}`;
    const archive = join(target, `${name}.tar`);
    buildah.build({ root, stage, image, base: values.base });
    console.log(`${image} ${buildah.write(image, archive)}`);
  }
}
