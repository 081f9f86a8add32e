// npm run release -- make VERSION FOLDER [--url ADDRESS]    writes all files of a release; it has no key to sign them by
// npm run release -- sign FOLDER PRIVATE_KEY_PEM    signs what was made; it starts no program and loads no package
// npm run release -- verify VERSION FOLDER PUBLIC_KEY_PEM    exits with 1 where one byte is not what was signed for this version
// ADDRESS is where the files of the release will be: manifests of package managers name it.
import { execFileSync } from "node:child_process";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packFolder } from "./release/archive.mjs";
import { billOfImage, billOfMaterials } from "./release/bill-of-materials.mjs";
import { changelog } from "./release/changelog.mjs";
import { digestOf, digestsOf, envelope, signature, sums } from "./release/digests.mjs";
import { homebrewFormula, krewManifest } from "./release/package-managers.mjs";
import { addPackaged, packageList, packageListPath } from "./release/package-files.mjs";
import { provenance } from "./release/provenance.mjs";
import { isPackageSigned, signPackage } from "./release/sign-package.mjs";
import { isEnvelopeOf, isSigned, signBytes, signEnvelope } from "./release/signature.mjs";

const root = resolve(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: "string" } },
});
const [command, ...rest] = positionals;

if (command === "make" && rest.length === 2) makeRelease(rest[0], resolve(rest[1]));
else if (command === "sign" && rest.length === 2) signRelease(resolve(rest[0]), rest[1]);
else if (command === "verify" && rest.length === 3) verifyRelease(rest[0], resolve(rest[1]), rest[2]);
else
  fail(
    "make VERSION FOLDER [--url ADDRESS], sign FOLDER PRIVATE_KEY_FILE, or verify VERSION FOLDER PUBLIC_KEY_FILE",
    2,
  );

function makeRelease(version, folder) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (version !== manifest.version) fail(`package.json has version ${manifest.version}, not ${version}`, 2);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) fail(`${folder} is not empty`, 2);
  const commit = run("git", "rev-parse", "HEAD").trim();
  const changed = run("git", "status", "--porcelain").trim();
  if (changed !== "") fail(`the work tree has changes that no commit has:\n${changed}`, 1);

  run("npm", "run", "--silent", "build");
  run("npm", "run", "--silent", "build:single");
  packPackage(folder, version, commit);
  for (const name of ["rollcall", "rollcall-agent"]) {
    copyFileSync(join(root, "dist-single", name, `${name}.mjs`), join(folder, `${name}.mjs`));
  }
  const epoch = run("git", "log", "-1", "--format=%ct").trim();
  for (const name of ["rollcall", "rollcall-agent"]) packChart(folder, name, epoch);
  packAction(folder, version, epoch);
  if (values.url !== undefined) writeManifests(folder, manifest, values.url);
  write(folder, "CHANGELOG.md", changelog(version, run));
  write(folder, "sbom.cdx.json", json(billOfMaterials(root, manifest)));
  run("node_modules/.bin/tsdown", "--config", "tsdown.image.config.ts");
  write(folder, "sbom-image.cdx.json", json(billOfImage(root, manifest)));
  write(folder, "provenance.json", json(provenance(folder, commit)));
  write(folder, sums, listOf(folder));
  console.log(`${folder}: ${digestsOf(folder).length} files of ${commit}, not signed`);
}

/** The package, with the list of its own files in it. */
function packPackage(folder, version, commit) {
  const packed = run("npm", "pack", "--ignore-scripts", "--json", "--pack-destination", folder);
  const [{ filename, files }] = JSON.parse(packed);
  const list = packageList(root, { version, commit, paths: files.map(({ path }) => path) });
  const path = join(folder, filename);
  writeFileSync(path, addPackaged(readFileSync(path), packageListPath, Buffer.from(json(list))));
}

/** Signs the list of the package's files, the list and the statement, if the list is that of the folder's files. */
function signRelease(folder, keyPath) {
  if (listOf(folder) !== readFileSync(join(folder, sums), "utf8"))
    fail(`${sums} is not the list of the files of ${folder}`, 1);
  const key = createPrivateKey(readFileSync(keyPath));
  if (!signPackage(folder, key)) fail(`the package has no ${packageListPath}`, 1);
  write(folder, sums, listOf(folder));
  const list = readFileSync(join(folder, sums));
  writeFileSync(join(folder, signature), signBytes(list, key));
  write(folder, envelope, json(signEnvelope(readFileSync(join(folder, "provenance.json")), key)));
  console.log(`${folder}: signed`);
}

function listOf(folder) {
  return digestsOf(folder)
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join("");
}

/** As `helm package` does, which writes the time of the day into its archive. */
function packChart(folder, name, epoch) {
  const parent = join(root, "deploy/charts");
  const [, version] = /^version: (\S+)$/mu.exec(readFileSync(join(parent, name, "Chart.yaml"), "utf8"));
  packFolder({ parent, name, path: join(folder, `${name}-chart-${version}.tgz`), epoch }, run);
}

/** The Action with the program in it: a run of it downloads nothing. */
function packAction(folder, version, epoch) {
  const parent = mkdtempSync(join(tmpdir(), "rollcall-action-"));
  try {
    const action = join(parent, "rollcall-action");
    mkdirSync(action);
    for (const name of ["action.yml", "LICENSE"]) copyFileSync(join(root, name), join(action, name));
    copyFileSync(join(folder, "rollcall.mjs"), join(action, "rollcall.mjs"));
    packFolder({ parent, name: "rollcall-action", path: join(folder, `rollcall-action-${version}.tgz`), epoch }, run);
  } finally {
    rmSync(parent, { recursive: true });
  }
}

function writeManifests(folder, { version, description, license }, url) {
  const name = `rollcall-${version}.tgz`;
  const address = `${url.replace(/\/$/u, "")}/${name}`;
  // Forges have the files of a release below the address of its repository.
  const [, repository] = /^(.*?)\/(?:-\/)?releases\//u.exec(address) ?? [];
  const homepage = repository ?? new URL(address).origin;
  const release = { version, description, license, homepage, address, sha256: digestOf(join(folder, name)) };
  write(folder, "rollcall.yaml", krewManifest(release));
  write(folder, "rollcall.rb", homebrewFormula(release));
}

/** Names in the list are signed: an older release, with its good signature, has another package. */
function verifyRelease(version, folder, keyPath) {
  const list = readFileSync(join(folder, sums));
  const key = createPublicKey(readFileSync(keyPath));
  if (!isSigned(list, key, readFileSync(join(folder, signature)))) fail(`${sums} is not what was signed`, 1);
  if (!isEnvelopeOf(readFileSync(join(folder, "provenance.json")), key, readFileSync(join(folder, envelope), "utf8")))
    fail(`${envelope} is not what was signed`, 1);
  if (listOf(folder) !== list.toString("utf8")) fail("a file is not what was signed, is missing, or was added", 1);
  if (!isPackageSigned(folder, key)) fail("the list in the package is not what was signed", 1);
  const names = digestsOf(folder).map(({ name }) => name);
  if (!names.includes(`rollcall-${version}.tgz`)) fail(`this is a release of another version than ${version}`, 1);
  console.log(`${names.length} files are what was signed for version ${version}`);
}

function run(program, ...args) {
  return execFileSync(program, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function write(folder, name, text) {
  writeFileSync(join(folder, name), text);
}

function json(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function fail(message, code) {
  console.error(`release: ${message}`);
  process.exit(code);
}
