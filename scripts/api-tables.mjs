// Compares the tables of the embedded hub's built-in kinds with the published Go types of a Kubernetes version.
//   node scripts/api-tables.mjs FOLDER VERSION          lists what differs; exit status 1 when something does
//   node scripts/api-tables.mjs FOLDER VERSION --write  also writes the fields of the types into the tables
// FOLDER has the modules as Go stores them: FOLDER/api@VERSION (`$(go env GOMODCACHE)/k8s.io` after `go mod download
// k8s.io/api@VERSION k8s.io/apimachinery@VERSION ...`). VERSION is that of the modules: v0.35.7 for Kubernetes 1.35.7.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compareTables } from "./generate/api-tables.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [folder, version] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
if (folder === undefined || version === undefined) {
  process.stderr.write("usage: node scripts/api-tables.mjs FOLDER VERSION [--write]\n");
  process.exitCode = 2;
} else {
  const { lines, typeCount } = await compareTables({
    root,
    folder,
    version,
    isWritten: process.argv.includes("--write"),
  });
  process.stdout.write([...lines, `${typeCount} types compared, ${lines.length} differences`, ""].join("\n"));
  process.exitCode = lines.length === 0 ? 0 : 1;
}
