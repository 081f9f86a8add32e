// npm run release -- make VERSION FOLDER [--key PRIVATE_KEY_PEM]    writes all files of a release
// npm run release -- verify FOLDER PUBLIC_KEY_PEM                   exits with 1 where one byte is not what was signed
import { execFileSync } from "node:child_process";
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const sums = "SHA256SUMS";
const signature = "SHA256SUMS.sig";
const [command, ...rest] = process.argv.slice(2);

if (command === "make" && rest.length >= 2)
  makeRelease(rest[0], resolve(rest[1]), rest[2] === "--key" ? rest[3] : undefined);
else if (command === "verify" && rest.length === 2) verifyRelease(resolve(rest[0]), rest[1]);
else fail("npm run release -- make VERSION FOLDER [--key FILE], or verify FOLDER PUBLIC_KEY_FILE", 2);

function makeRelease(version, folder, keyPath) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (version !== manifest.version) fail(`package.json has version ${manifest.version}, not ${version}`, 2);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) fail(`${folder} is not empty`, 2);
  const commit = run("git", "rev-parse", "HEAD").trim();
  const changed = run("git", "status", "--porcelain").trim();
  if (changed !== "") fail(`the work tree has changes that no commit has:\n${changed}`, 1);

  run("npm", "run", "--silent", "build");
  run("npm", "run", "--silent", "build:single");
  run("npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder);
  for (const name of ["rollcall", "rollcall-agent"]) {
    copyFileSync(join(root, "dist-single", name, `${name}.mjs`), join(folder, `${name}.mjs`));
  }
  const epoch = run("git", "log", "-1", "--format=%ct").trim();
  for (const name of ["rollcall", "rollcall-agent"]) packChart(folder, name, epoch);
  write(folder, "CHANGELOG.md", changelog(version));
  write(folder, "sbom.cdx.json", json(billOfMaterials(manifest)));
  write(folder, "provenance.json", json(provenance(folder, commit)));
  const list = digestsOf(folder).map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  write(folder, sums, list.join(""));
  if (keyPath !== undefined) {
    const key = createPrivateKey(readFileSync(keyPath));
    writeFileSync(join(folder, signature), sign(null, Buffer.from(list.join("")), key));
  }
  console.log(`${folder}: ${list.length} files of ${commit}${keyPath === undefined ? ", not signed" : ", signed"}`);
}

/** As `helm package` does, which writes the time of the day into its archive. */
function packChart(folder, name, epoch) {
  const charts = join(root, "deploy/charts");
  const [, version] = /^version: (\S+)$/mu.exec(readFileSync(join(charts, name, "Chart.yaml"), "utf8"));
  const tar = join(folder, `${name}-chart-${version}.tar`);
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  run("tar", "--sort=name", `--mtime=@${epoch}`, ...owner, "-C", charts, "-cf", tar, name);
  run("gzip", "--no-name", "--best", "--suffix=.tgz", tar);
  renameSync(`${tar}.tgz`, tar.replace(/\.tar$/u, ".tgz"));
}

function verifyRelease(folder, keyPath) {
  const list = readFileSync(join(folder, sums));
  const key = createPublicKey(readFileSync(keyPath));
  if (!verify(null, list, key, readFileSync(join(folder, signature)))) fail(`${sums} is not what was signed`, 1);
  const found = digestsOf(folder).map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  if (found.join("") !== list.toString("utf8")) fail("a file is not what was signed, is missing, or was added", 1);
  console.log(`${found.length} files are what was signed`);
}

/** Every file but the list itself and its signature, in the order of names. */
function digestsOf(folder) {
  const names = readdirSync(folder).filter((name) => name !== sums && name !== signature);
  return names.sort().map((name) => ({
    name,
    sha256: createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex"),
  }));
}

/** The commits since the tag before, under the area that their subjects begin with. */
function changelog(version) {
  const [before] = run("git", "tag", "--merged", "HEAD^", "--sort=-version:refname", "v*").split("\n");
  const range = before ? [`${before}..HEAD`] : ["HEAD"];
  const areas = new Map();
  for (const subject of run("git", "log", "--no-merges", "--format=%s", ...range)
    .split("\n")
    .filter(Boolean)) {
    const [, area, text] = /^([\w/-]+): (.*)$/u.exec(subject) ?? [undefined, "other", subject];
    areas.set(area, [...(areas.get(area) ?? []), `- ${text}`]);
  }
  const sections = [...areas]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([area, lines]) => `### ${area}\n\n${lines.join("\n")}`);
  return `## ${version}\n\n${sections.join("\n\n")}\n`;
}

/** CycloneDX: what is in the program, and the packages beside it. `npm sbom` knows the second half only. */
function billOfMaterials({ name, version, license }) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const beside = Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true)
    .map(([path, entry]) => ({ ...entry, name: path.replace(/^.*node_modules\//u, "") }));
  const inside = JSON.parse(readFileSync(join(root, "dist/packages.json"), "utf8"));
  const component = (type) => (item) => ({
    type,
    "bom-ref": `pkg:npm/${item.name.replace("@", "%40")}@${item.version}`,
    name: item.name,
    version: item.version,
    licenses: [item.license.includes(" ") ? { expression: item.license } : { license: { id: item.license } }],
    purl: `pkg:npm/${item.name.replace("@", "%40")}@${item.version}`,
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: component("application")({ name, version, license }) },
    components: [...inside, ...beside].map(component("library")),
  };
}

/** An in-toto statement of SLSA's provenance: which commit these files were made of. */
function provenance(folder, commit) {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: digestsOf(folder).map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://rollcall.dev/release/v1",
        externalParameters: { command: "npm run release" },
        resolvedDependencies: [{ digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: process.env.GITHUB_WORKFLOW_REF ?? "https://rollcall.dev/release/local" } },
    },
  };
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
