import { readFileSync } from "node:fs";
import { join } from "node:path";

/** CycloneDX: what is in the program, and the packages beside it. `npm sbom` knows the second half only. */
export function billOfMaterials(root, { name, version, license }) {
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
