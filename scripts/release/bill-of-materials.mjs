import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What Debian adds to the daemon's image. Its version is the newest one when the image was built. */
const ofDebian = ["ca-certificates", "git", "openssh-client"];

/** CycloneDX: what is in the program and in its page, and the packages beside it. `npm sbom` knows the last ones only. */
export function billOfMaterials(root, manifest) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const beside = Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true)
    .map(([path, entry]) => ({ ...entry, name: path.replace(/^.*node_modules\//u, "") }));
  const inside = [...packagesIn(root, "dist"), ...packagesIn(root, "dist/page")];
  return bill(packageOf("application", manifest), [...inside, ...beside].map(library));
}

/** The same of the daemon's image: its base, what Debian adds to it, and what is in the program; no package is beside it. */
export function billOfImage(root, manifest) {
  const dockerfile = readFileSync(join(root, "deploy/Dockerfile"), "utf8");
  const [, name, version, sha256] = /^ARG NODE_IMAGE=([^:]+):([^@]+)@sha256:([0-9a-f]{64})$/mu.exec(dockerfile) ?? [];
  if (sha256 === undefined) throw new Error("deploy/Dockerfile names no base by its digest");
  const purl = `pkg:docker/${name}@sha256:${sha256}`;
  const hashes = [{ alg: "SHA-256", content: sha256 }];
  const base = { type: "container", "bom-ref": purl, name, version, hashes, purl };
  const added = ofDebian.map((deb) => {
    const place = `pkg:deb/debian/${deb}`;
    return { type: "application", "bom-ref": place, name: deb, purl: place };
  });
  const inside = [...packagesIn(root, "dist-image/dist"), ...packagesIn(root, "dist-image/dist/page")];
  return bill(packageOf("container", manifest), [base, ...added, ...inside.map(library)]);
}

function packagesIn(root, folder) {
  return JSON.parse(readFileSync(join(root, folder, "packages.json"), "utf8"));
}

function library(item) {
  return packageOf("library", item);
}

function packageOf(type, { name, version, license }) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const licenses = [license.includes(" ") ? { expression: license } : { license: { id: license } }];
  return { type, "bom-ref": purl, name, version, licenses, purl };
}

/** A package that is in the program and beside it, or beside it twice, is one component. */
function bill(component, components) {
  const byPurl = new Map(components.map((item) => [item.purl, item]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component },
    components: [...byPurl.values()],
  };
}
