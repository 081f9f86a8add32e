// Licenses and known vulnerabilities of what a user gets: the packages in the program and in its page, and those beside it.
// Of packages that only build and test, licenses that allow their use.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/** Licenses that allow what we do: to pass the code on, changed and bundled, with its notice. */
const allowed = /^\(?(?:0BSD|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|ISC|MIT|Unlicense|Zlib|\(| AND | OR |\))+\)?$/u;

/** What may also be used, unchanged and not passed on. */
const allowedToBuild = /^(?:BlueOak-1\.0\.0|MPL-2\.0|PSF-2\.0|Python-2\.0)$/u;
/** Names its license, MIT, in a form that package-lock.json does not have. */
const namedElsewhere = new Set(["memorystream"]);

function lockedPackages(isWanted) {
  const { packages } = read("package-lock.json");
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && isWanted(dev === true))
    .map(([path, { version, license }]) => ({ name: path.replace(/^.*node_modules\//u, ""), version, license }));
}

const packages = [
  ...read("dist/packages.json"),
  ...read("dist/page/packages.json"),
  ...lockedPackages((isForBuild) => !isForBuild),
];
const ofBuild = lockedPackages((isForBuild) => isForBuild).filter(
  ({ name, license }) => !allowedToBuild.test(license ?? "") && !namedElsewhere.has(name),
);
const refused = [...packages, ...ofBuild].filter(({ license }) => !allowed.test(license ?? ""));
for (const { name, version, license } of refused) console.error(`${name} ${version}: license ${license}`);
console.log(`${packages.length} packages and those of the build, ${refused.length} with a license that is not allowed`);

// Packages of the build are part of the program: all are audited.
const audit = spawnSync("npm", ["audit", "--audit-level", "high", "--json"], { cwd: root, encoding: "utf8" });
const report = parse(audit.stdout);
const counts = report?.metadata?.vulnerabilities;
if (counts === undefined)
  console.log(`npm audit was not possible: ${report?.message ?? "the registry did not answer"}`);
else
  console.log(
    `npm audit: ${counts.critical} critical, ${counts.high} high, ${counts.moderate} moderate, ${counts.low} low`,
  );

const isVulnerable = counts !== undefined && counts.critical + counts.high > 0;
process.exitCode = refused.length > 0 || isVulnerable ? 1 : 0;

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
