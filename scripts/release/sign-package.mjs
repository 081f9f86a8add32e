import { createPublicKey } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { digestOf, digestsOf } from "./digests.mjs";
import { addPackaged, packageListPath, packageSignaturePath, readPackaged } from "./package-files.mjs";
import { isSigned, signBytes } from "./signature.mjs";

/** What names the package by its digest, where a release has it; the statement names these, too. */
const manifests = ["rollcall.yaml", "rollcall.rb"];
const statement = "provenance.json";

/**
 * Puts the signature of the list into the package of a release; what names the package then names the signed one. False where
 * there is no package, or none with a list. A package that this key has signed stays as it is.
 * @throws where it has another signature: what it is of, and who made it, is not known
 */
export function signPackage(folder, key) {
  const path = packageIn(folder);
  const archive = path && readFileSync(path);
  const list = archive && readPackaged(archive, packageListPath);
  if (list === undefined) return false;
  const signature = readPackaged(archive, packageSignaturePath);
  if (signature !== undefined) {
    if (isSigned(list, createPublicKey(key), signature)) return true;
    throw new Error(`${path} has a signature that is not of this key: make the release anew`);
  }
  const names = [basename(path), ...manifests.filter((name) => existsSync(join(folder, name)))];
  const before = names.map((name) => digestOf(join(folder, name)));
  writeFileSync(path, addPackaged(archive, packageSignaturePath, signBytes(list, key)));
  for (const name of names.slice(1)) replaceIn(join(folder, name), before[0], digestOf(path));
  names.forEach((name, at) => replaceIn(join(folder, statement), before[at], digestOf(join(folder, name))));
  return true;
}

/** Whether the list in the package of a release is what `key` signed. */
export function isPackageSigned(folder, key) {
  const path = packageIn(folder);
  const [list, signature] = [packageListPath, packageSignaturePath].map(
    (name) => path && readPackaged(readFileSync(path), name),
  );
  return list !== undefined && signature !== undefined && isSigned(list, key, signature);
}

function replaceIn(path, before, after) {
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(before, after));
}

function packageIn(folder) {
  const found = digestsOf(folder).find(({ name }) => /^rollcall-\d[^/]*\.tgz$/u.test(name));
  return found && join(folder, found.name);
}
