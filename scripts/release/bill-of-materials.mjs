import { readFileSync } from "node:fs";
import { join } from "node:path";

/** CycloneDX: what is in the program and in its page, and the packages beside it. `npm sbom` knows the last ones only. */
export function billOfMaterials(root, { name, version, license }) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const beside = Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true)
    .map(([path, entry]) => ({ ...entry, name: path.replace(/^.*node_modules\//u, "") }));
  const inside = ["dist", "dist/page"].flatMap((folder) =>
    JSON.parse(readFileSync(join(root, folder, "packages.json"), "utf8")),
  );
  const component = (type) => (item) => ({
    type,
    "bom-ref": `pkg:npm/${item.name.replace("@", "%40")}@${item.version}`,
    name: item.name,
    version: item.version,
    licenses: [item.license.includes(" ") ? { expression: item.license } : { license: { id: item.license } }],
    purl: `pkg:npm/${item.name.replace("@", "%40")}@${item.version}`,
  });
  // A package that is in the program and beside it, or beside it twice, is one component.
  const libraries = new Map([...inside, ...beside].map(component("library")).map((item) => [item.purl, item]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: component("application")({ name, version, license }) },
    components: [...libraries.values()],
  };
}
