import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { countOf } from "../../core/count-of.ts";
import { version } from "../../core/version.ts";
import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { PackageReport } from "../../system/verify-package.ts";
import { verifyPackage } from "../../system/verify-package.ts";
import type { PlainContext } from "./command-context.ts";

/**
 * `rollcall version [--verify]`: prints the version, or compares the files of an installed package with the signed list of its
 * release. Resolves with 1 when a file differs, is missing or additional, or when the list is not signed by the key.
 * @throws E_INSTALLATION where there is no list
 */
export async function runVersion({ settings, stdout }: Pick<PlainContext, "settings" | "stdout">): Promise<number> {
  if (!settings.isOn("verify")) {
    stdout.write(`${version}\n`);
    return 0;
  }
  const keyPath = settings.text("key");
  const report = await verifyPackage(settings.text("package") ?? ownPackage(), keyPath);
  stdout.write(renderReport(report, keyPath));
  return report.differences.length > 0 || report.isSigned === false ? 1 : 0;
}

/** The program of a package is in its folder `dist`. @throws E_INSTALLATION for a single file, which has no package around it */
function ownPackage(): string {
  const folder = dirname(fileURLToPath(import.meta.url));
  if (basename(folder) !== "dist") {
    throw new AppError("E_INSTALLATION", "this program is not in a package: name the folder of one with --package", {
      remedy: "Name the folder of a released package with --package.",
    });
  }
  return dirname(folder);
}

function renderReport({ version: released, commit, fileCount, differences, isSigned }: PackageReport, keyPath = "") {
  const lines = [
    `rollcall ${printable(released)}, made of commit ${printable(commit)}`,
    ...differences.map(({ kind, path }) => `${kind.padEnd(10)}  ${printable(path)}`),
    differences.length === 0
      ? `verified: ${countOf(fileCount, "file")}, all as in the package's list`
      : `failed: ${countOf(differences.length, "difference")} from the package's list of ${countOf(fileCount, "file")}`,
    signatureLine(isSigned, keyPath),
  ];
  return `${lines.join("\n")}\n`;
}

function signatureLine(isSigned: boolean | undefined, keyPath: string): string {
  if (isSigned === undefined)
    return "not verified: who made the list; name the public key of the releases, from a second place, with --key";
  return isSigned
    ? `verified: the list is signed by the key of ${keyPath}`
    : `failed: the list is not signed by the key of ${keyPath}`;
}
