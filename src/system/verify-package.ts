import type { KeyObject } from "node:crypto";
import { createPublicKey, verify } from "node:crypto";
import type { Dirent } from "node:fs";
import { readFile, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { compareText } from "../core/compare-text.ts";
import { sha256Hex } from "../core/digest.ts";
import { AppError } from "../core/errors.ts";
import { parseJson } from "../core/parse-json.ts";
import { objectsAt, textAt } from "../core/read-json.ts";
import { readText } from "./read-text.ts";

/** The list of the package's files, as a release makes it, and its signature. scripts/release/package-files.mjs has them too. */
export const packageListPath = "dist/release-files.json";
export const packageSignaturePath = `${packageListPath}.sig`;
const listType = "https://rollcall.dev/package-files/v1";

/** What npm adds to an installed package: links from here to programs of the packages inside. */
const linksOfNpm = /^(?:.*\/)?node_modules\/\.bin\/[^/]+$/u;

/** A file whose content, or whose presence, is not as in the list. */
export interface PackageDifference {
  readonly path: string;
  readonly kind: "differs" | "missing" | "additional";
}

export interface PackageReport {
  readonly version: string;
  /** The commit that the release was made of. */
  readonly commit: string;
  /** How many files the list names. */
  readonly fileCount: number;
  /** By path. */
  readonly differences: readonly PackageDifference[];
  /** Whether the key signed the list; undefined without a key. */
  readonly isSigned: boolean | undefined;
}

/**
 * Compares the files of an installed package with the list that its release put into it. The program that compares is usually a
 * part of that package: only a program from elsewhere proves something about one that an attacker could write to.
 * @throws E_INSTALLATION when the package has no list, E_USAGE when the key cannot be read, E_READ when a folder cannot
 */
export async function verifyPackage(folder: string, keyPath?: string): Promise<PackageReport> {
  const key = keyPath === undefined ? undefined : await readPublicKey(keyPath);
  const bytes = await readPart(folder, packageListPath);
  const list = parseJson(bytes?.toString("utf8") ?? "");
  const [version, commit] = [textAt(list, "version"), textAt(list, "commit")];
  if (bytes === undefined || version === undefined || commit === undefined || textAt(list, "_type") !== listType) {
    throw new AppError(
      "E_INSTALLATION",
      `verify ${folder}: it is not a released package, it has no ${packageListPath}`,
      { remedy: "Name the folder of a released package with --package: a checkout has no list of its files." },
    );
  }
  const files = objectsAt(list, "files");
  const listed = new Map(files.map((file) => [textAt(file, "path") ?? "", textAt(file, "sha256") ?? ""]));
  const isSigned = key === undefined ? undefined : isSignedBy(key, bytes, await readPart(folder, packageSignaturePath));
  return { version, commit, fileCount: listed.size, differences: compare(listed, await digestsOf(folder)), isSigned };
}

function compare(
  listed: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string | undefined>,
): PackageDifference[] {
  const paths = new Set([...found.keys(), ...listed.keys()]);
  const differences: PackageDifference[] = [];
  for (const path of [...paths].sort(compareText)) {
    if (!found.has(path)) differences.push({ path, kind: "missing" });
    else if (!listed.has(path)) differences.push({ path, kind: "additional" });
    else if (found.get(path) !== listed.get(path)) differences.push({ path, kind: "differs" });
  }
  return differences;
}

/**
 * SHA-256 of each file by its path, with slashes; undefined for what is no plain file, which is never opened, and for what cannot
 * be read, such as a file whose name is not UTF-8: a release has none.
 */
async function digestsOf(folder: string): Promise<Map<string, string | undefined>> {
  const digests = new Map<string, string | undefined>();
  const base = await realpath(folder);
  const entries = await readdir(base, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new AppError("E_READ", `verify ${folder}: a folder of it cannot be read`, { cause: error });
  });
  for (const entry of entries) {
    const path = relative(base, join(entry.parentPath, entry.name)).split(sep).join("/");
    if (entry.isDirectory() || path === packageListPath || path === packageSignaturePath) continue;
    if (await isLinkOfNpm(base, path, entry)) continue;
    const bytes = entry.isFile() ? await readPart(base, path) : undefined;
    digests.set(path, bytes && sha256Hex(bytes));
  }
  return digests;
}

/** Whether npm made it: a link to a file of the package. */
async function isLinkOfNpm(base: string, path: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink() || !linksOfNpm.test(path)) return false;
  const target = await realpath(join(base, path)).catch(() => "");
  return target.startsWith(`${base}${sep}`);
}

async function readPart(folder: string, path: string): Promise<Buffer | undefined> {
  return readFile(join(folder, path)).catch(() => undefined);
}

async function readPublicKey(path: string): Promise<KeyObject> {
  const text = await readText(path);
  try {
    return createPublicKey(text);
  } catch (error) {
    throw new AppError("E_USAGE", `read ${path}: it is no public key in PEM`, { cause: error });
  }
}

/** The signature is one as of cosign: ECDSA over SHA-256 in DER, or of Ed25519. */
function isSignedBy(key: KeyObject, bytes: Buffer, signature: Buffer | undefined): boolean {
  if (signature === undefined) return false;
  try {
    return verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", bytes, key, signature);
  } catch {
    // A key of another kind has signed nothing.
    return false;
  }
}
